import SwiftSyntax

extension DeclaredProperty {
    /// `$labels`, through which the relationship's routes are called; `nil` for what certainly isn't a relationship.
    func relationshipPeer(inClass className: String, isOwn: Bool) -> String? {
        guard mayBeRelationship, let value = relationshipType(inClass: className) else { return nil }
        return """
            nonisolated \(access.prefix)var \(peerName): RestfulData.Relationship<\(className), \(value)> {
                RestfulData.Relationship(of: self, Self.\(isOwn ? "ownProperties" : "properties").\(spelling))
            }
            """
    }

    /// `$labels`, in backticks where the property's name is.
    private var peerName: String { spelling == name ? "$\(name)" : "`$\(name)`" }

    /// The type as it is written, or else the one that the value `[Label]()` spells.
    private func relationshipType(inClass className: String) -> String? {
        let spelled =
            annotation.map { Syntax($0) }
            ?? initialValue?.as(FunctionCallExprSyntax.self).map { Syntax($0.calledExpression) }
        return spelled?.text(inClass: className)
    }
}
