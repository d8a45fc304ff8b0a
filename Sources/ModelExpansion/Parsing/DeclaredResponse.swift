import SwiftSyntax

/// What the source of a response type declares, before it is checked.
struct DeclaredResponse {
    /// As it is spelled, with any backticks.
    let name: String
    /// Without backticks.
    let plainName: String
    let access: AccessLevel?
    /// Whether it has generic parameters: then it can't have static memory.
    let isGeneric: Bool
    /// The argument that names the API.
    let api: ExprSyntax?
    /// Every stored property of an instance in the order of declaration.
    let properties: [DeclaredProperty]

    /// The properties that are parts of the response. One that has a flaw is left as it is, so that its own diagnostic
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
