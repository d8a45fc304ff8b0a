package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@_ModelProperty`, which `@Model` adds to each property that is certainly an attribute: the accessors.
package protocol PropertyExpansion: AccessorMacro {}

extension PropertyExpansion {
    package static var formatMode: FormatMode { .disabled }

    package static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return [] }
        return DeclaredProperty(variable).accessors(at: node.propertyIndex).map { AccessorDeclSyntax(text: $0) }
    }
}

/// `@_ModelRelationship`, which `@Model` adds to any other property: the accessors, and the `$` peer of a relationship.
/// It is a macro of its own, as the compiler would ask in vain for the peers of most properties.
package protocol RelationshipExpansion: PropertyExpansion, PeerMacro {}

extension RelationshipExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let owner = context.lexicalContext.first?.as(ClassDeclSyntax.self)
        else { return [] }
        let isOwn = node.propertyIndex == nil
        let peer = DeclaredProperty(variable).relationshipPeer(inClass: owner.name.text, isOwn: isOwn)
        return peer.map { [DeclSyntax(text: $0)] } ?? []
    }
}

extension AttributeSyntax {
    /// The index of the property's token; `nil` where `@Model` declares that the class inherits from another model.
    fileprivate var propertyIndex: String? { argumentList?[label: "at"]?.trimmedDescription }
}
