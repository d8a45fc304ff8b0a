import SwiftSyntax

/// Of the source of a response type, before validation.
struct DeclaredResponse {
    /// As written, with any backticks.
    let name: String
    let plainName: String
    let access: AccessLevel?
    /// Swift forbids static stored properties in generic types.
    let isGeneric: Bool
    let api: ExprSyntax?
    /// In the order of declaration.
    let properties: [DeclaredProperty]

    /// A property with an error is left out, so that its diagnostic is the only one.
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
