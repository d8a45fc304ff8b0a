import SwiftSyntax

/// `@Model(discriminator: "type") final class Event`: a discriminator distinguishes subclasses.
enum FinalParent: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard model.arguments.namesDiscriminator,
            let modifier = model.syntax.modifiers.first(where: { $0.name.tokenKind == .keyword(.final) })
        else { return [] }
        let message = "no class can inherit from '\(model.name)', so it needs no discriminator; remove 'final' or that"
        var open = model.syntax
        open.modifiers = open.modifiers.filter { $0.id != modifier.id }
        if open.modifiers.isEmpty { open.classKeyword.leadingTrivia = modifier.leadingTrivia }
        open.leadingTrivia = model.syntax.leadingTrivia
        let remedy = Remedy("remove 'final'", replacing: model.syntax, with: open)
        return [Finding(Self.self, at: modifier, message, remedies: [remedy])]
    }
}
