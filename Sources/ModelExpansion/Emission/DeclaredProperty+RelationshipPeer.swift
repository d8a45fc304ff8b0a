import SwiftSyntax

extension DeclaredProperty {
    /// `$labels`; `nil` for certain attributes.
    func relationshipPeer(inClass className: String, isOwn: Bool) -> String? {
        guard mayBeRelationship, let value = relationshipType(inClass: className) else { return nil }
        return """
            nonisolated \(access.prefix)var \(peerName): RestfulData.Relationship<\(className), \(value)> {
                RestfulData.Relationship(of: self, Self.\(isOwn ? "ownProperties" : "properties").\(spelling))
            }
            """
    }

    /// In backticks if the property's name is.
    private var peerName: String { spelling == name ? "$\(name)" : "`$\(name)`" }

    /// As written, or else in the value `[Label]()`.
    private func relationshipType(inClass className: String) -> String? {
        let spelled =
            annotation.map { Syntax($0) }
            ?? initialValue?.as(FunctionCallExprSyntax.self).map { Syntax($0.calledExpression) }
        return spelled?.text(inClass: className)
    }
}
