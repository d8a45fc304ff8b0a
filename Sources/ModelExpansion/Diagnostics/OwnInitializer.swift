import SwiftSyntax

/// An initializer must call that of `@Model`, which creates the object's row.
enum OwnInitializer: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        model.syntax.memberBlock.members.compactMap { $0.decl.as(InitializerDeclSyntax.self) }
            .compactMap { emittedTwice($0) ?? designated($0) }
    }

    private static func emittedTwice(_ initializer: InitializerDeclSyntax) -> Finding? {
        guard let parameter = initializer.signature.parameterClause.parameters.only,
            ["in", "_object"].contains(parameter.firstName.text)
        else { return nil }
        let name = "init(\(parameter.firstName.text):)"
        return Finding(Self.self, at: parameter, "'\(name)' is what '@Model' adds; give yours other parameters")
    }

    private static func designated(_ initializer: InitializerDeclSyntax) -> Finding? {
        let isConvenience = initializer.modifiers.contains { $0.name.tokenKind == .keyword(.convenience) }
        guard !isConvenience else { return nil }
        let message =
            "a model's initializer is a 'convenience' one that calls 'self.init(in:)', which gives the object its row"
        var changed = initializer.with(\.leadingTrivia, [])
        changed.modifiers.append(DeclModifierSyntax(name: .keyword(.convenience, trailingTrivia: .space)))
        changed.leadingTrivia = initializer.leadingTrivia
        let remedy = Remedy("make it 'convenience'", replacing: initializer, with: changed)
        return Finding(Self.self, at: initializer.initKeyword, message, remedies: [remedy])
    }
}
