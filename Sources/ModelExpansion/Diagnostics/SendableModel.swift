import SwiftSyntax

/// `@Model class User: @unchecked Sendable`: the compiler would no longer confine objects to their context.
enum SendableModel: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let clause = model.syntax.inheritanceClause else { return [] }
        return Array(clause.inheritedTypes).filter(isSendable).map { type in
            let message =
                "a model can't be 'Sendable', as an object is used where its context is; pass its identity on"
            return Finding(Self.self, at: type.type, message, remedies: [remedy(clause, in: model.syntax)])
        }
    }

    private static func isSendable(_ inherited: InheritedTypeSyntax) -> Bool {
        let type = inherited.type.as(AttributedTypeSyntax.self)?.baseType ?? inherited.type
        return ["Sendable", "Swift.Sendable"].contains(type.trimmedDescription)
    }

    private static func remedy(_ clause: InheritanceClauseSyntax, in model: ClassDeclSyntax) -> Remedy {
        var others = clause.inheritedTypes.filter { !isSendable($0) }
        var plain = model
        if let last = others.indices.last {
            others[last] = others[last].with(\.trailingComma, nil)
            plain.inheritanceClause = clause.with(\.inheritedTypes, others).with(
                \.trailingTrivia, clause.trailingTrivia)
        } else {
            plain.inheritanceClause = nil
            plain.name = model.name.with(\.trailingTrivia, clause.trailingTrivia)
        }
        return Remedy("remove 'Sendable'", replacing: model, with: plain)
    }
}
