import SwiftSyntax

enum TooManyProperties: ModelRule {
    /// The store's limit, `ColumnMask.limit`.
    private static let limit = 256

    static func findings(in model: DeclaredModel) -> [Finding] {
        let count = model.modelled.count
        guard count > limit else { return [] }
        let message =
            "'\(model.name)' has \(count) properties, and \(limit) is the most; keep some of them "
            + "together in a Codable value, or in a model of their own"
        return [Finding(Self.self, at: model.syntax.name, message)]
    }
}
