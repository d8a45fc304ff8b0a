import SwiftSyntax

/// `private enum State` in a model: the property's token is in another nested type.
enum PrivateNestedType: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.syntax.memberBlock.members.compactMap { privateType($0.decl) }
            .filter { type in model.modelled.contains { $0.annotation?.mentions(type.name) ?? false } }
            .map { type in
                let message =
                    "'\(type.name)' is the type of a modelled property, whose token can't see it; "
                    + "make it 'fileprivate'"
                let replacement = type.modifier.name.with(\.tokenKind, .keyword(.fileprivate))
                let remedy = Remedy(
                    "replace 'private' with 'fileprivate'", replacing: type.modifier.name, with: replacement)
                return Finding(Self.self, at: type.modifier, message, remedies: [remedy])
            }
    }

    private static func privateType(_ declaration: DeclSyntax) -> (name: String, modifier: DeclModifierSyntax)? {
        guard let named = declaration.asProtocol((any NamedDeclSyntax).self),
            let modified = declaration.asProtocol((any WithModifiersSyntax).self),
            let modifier = modified.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }),
            !declaration.is(FunctionDeclSyntax.self)
        else { return nil }
        return (named.name.text, modifier)
    }
}

extension TypeSyntax {
    fileprivate func mentions(_ name: String) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.text == name }
    }
}
