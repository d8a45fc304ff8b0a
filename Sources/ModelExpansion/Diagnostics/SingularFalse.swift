import SwiftSyntax

/// `@Model("/settings", singular: false)`: `false` is the default.
enum SingularFalse: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let argument = model.arguments.list?.first(where: { $0.label?.text == "singular" }),
            argument.expression.trimmedDescription == "false"
        else { return [] }
        return [Finding(Self.self, at: argument, "'singular: false' has no effect; remove it")]
    }
}
