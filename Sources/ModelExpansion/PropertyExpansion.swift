package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@_ModelProperty`, which `@Model` adds to each property: the accessors, and the `$` peer of a relationship.
package protocol PropertyExpansion: AccessorMacro, PeerMacro {}

extension PropertyExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        declaration.as(VariableDeclSyntax.self).map { DeclaredProperty($0).accessors(isOwn: node.isOfSubmodel) } ?? []
    }
}

extension PropertyExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let owner = context.lexicalContext.first?.as(ClassDeclSyntax.self)
        else { return [] }
        return [DeclaredProperty(variable).relationshipPeer(inClass: owner.name.text, isOwn: node.isOfSubmodel)]
            .compactMap(\.self)
    }
}

extension AttributeSyntax {
    /// Whether `@Model` declares that the class inherits from another model.
    fileprivate var isOfSubmodel: Bool { argumentList?[label: "ofSubmodel"] != nil }
}
