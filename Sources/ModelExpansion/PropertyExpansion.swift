package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@_ModelProperty`, which `@Model` adds to each certain attribute: emits the accessors.
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

/// `@_ModelRelationship`, which `@Model` adds to other properties: emits the accessors, and the `$` peer of a
/// relationship. As a separate macro, it makes the compiler request peers of relationships only.
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
    /// `nil` if the class inherits from another model.
    fileprivate var propertyIndex: String? { argumentList?[label: "at"]?.trimmedDescription }
}
