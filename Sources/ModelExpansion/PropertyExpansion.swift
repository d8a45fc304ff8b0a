package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@_ModelProperty`, which `@Model` adds to each certain attribute. It emits the accessors.
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

/// `@_ModelRelationship`, which `@Model` adds to any other property. It emits the accessors, and the `$` peer of a
/// relationship. It is a separate macro, so that the compiler requests peers of relationships only.
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
    /// The index of the property's token; `nil` if the class inherits from another model.
    fileprivate var propertyIndex: String? { argumentList?[label: "at"]?.trimmedDescription }
}
