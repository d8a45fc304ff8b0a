import SwiftSyntax

/// More attributes than a table of the store takes.
enum TooManyProperties: ModelRule {
    /// As the store's own, `ColumnMask.limit`.
    private static let limit = 256

    static func findings(in model: DeclaredModel) -> [Finding] {
        // Lists are left out, as those of models have no column.
        let count = model.modelled.filter { if case .array = $0.shape { false } else { true } }.count
        guard count > limit else { return [] }
        let message =
            "'\(model.name)' has \(count) attributes and to-one relationships, and \(limit) is the most; keep some of them "
            + "together in a Codable value, or in a model of their own"
        return [Finding(Self.self, at: model.syntax.name, message)]
    }
}
