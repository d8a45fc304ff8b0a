import SwiftSyntax

/// The declarations in the source of a response type, before validation.
struct DeclaredResponse {
    /// The name as written, with any backticks.
    let name: String
    /// The name, its backticks removed.
    let plainName: String
    let access: AccessLevel?
    /// Whether the type is generic. Swift forbids static stored properties in generic types.
    let isGeneric: Bool
    /// The argument that names the API.
    let api: ExprSyntax?
    /// Every stored instance property in the order of declaration.
    let properties: [DeclaredProperty]

    /// The properties that are parts of the response. A property with an error is left out, so that its own diagnostic
    /// is the only one.
    var parts: [DeclaredProperty] {
        properties.filter { $0.markers.transient == nil && ResponseRules.findings(in: $0).isEmpty }
    }

    init(_ syntax: StructDeclSyntax, _ attribute: AttributeSyntax) {
        name = syntax.name.text
        plainName = syntax.name.identifier?.name ?? name
        access = AccessLevel(syntax.modifiers)
        api = attribute.argumentList?[label: "api"]
        isGeneric = syntax.genericParameterClause != nil
        properties = syntax.memberBlock.members
            .compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .filter(\.isStoredInInstances)
            .map { DeclaredProperty($0) }
    }
}
