import SwiftSyntax

/// `@Model class User: @unchecked Sendable`: the compiler would no longer keep objects in their context.
enum SendableModel: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let clause = model.syntax.inheritanceClause else { return [] }
        return Array(clause.inheritedTypes).filter { $0.isNamed("Sendable") }.map { type in
            let message =
                "a model can't be 'Sendable', as an object is used where its context is; pass its identity on"
            let remedy = Remedy.removing("Sendable", from: clause, of: model.syntax)
            return Finding(Self.self, at: type.type, message, remedies: [remedy])
        }
    }
}
