import SwiftSyntax

/// `@Model open class User`: only subclasses in this module can have a table.
enum OpenModel: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let modifier = model.syntax.modifiers.first(where: { $0.name.tokenKind == .keyword(.open) }) else {
            return []
        }
        let message = "a model can't be 'open', as another module's subclass would have no table; make it 'public'"
        let replacement = modifier.name.with(\.tokenKind, .keyword(.public))
        let remedy = Remedy("replace 'open' with 'public'", replacing: modifier.name, with: replacement)
        return [Finding(Self.self, at: modifier, message, remedies: [remedy])]
    }
}
