import SwiftSyntax

/// `@Model final class User: Identifiable { var id: Int? }`: every model is `Identifiable` by its instance. Its own
/// conformance would use the property.
enum IdentifiableModel: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let clause = model.syntax.inheritanceClause, model.properties.contains(where: { $0.name == "id" }) else {
            return []
        }
        return Array(clause.inheritedTypes).filter { $0.isNamed("Identifiable") }.map { type in
            let message =
                "every model is 'Identifiable' already, by the object that it is and not by its 'id'; remove it"
            let remedy = Remedy.removing("Identifiable", from: clause, of: model.syntax)
            return Finding(Self.self, at: type.type, message, remedies: [remedy])
        }
    }
}
