import SwiftSyntax

/// The declarations in the source of a model class, before validation.
struct DeclaredModel {
    /// The name as written, with any backticks.
    let name: String
    /// The name, its backticks removed.
    let plainName: String
    let access: AccessLevel?
    let isFinal: Bool
    let arguments: ModelArguments
    /// The types after the colon: protocols, or a superclass.
    let inheritedTypes: [String]
    /// Every stored instance property in the order of declaration, including those with an error.
    let properties: [DeclaredProperty]
    /// The properties that become attributes and relationships. A property with an error is left out, so that its own
    /// diagnostic is the only one.
    let modelled: [DeclaredProperty]
    let syntax: ClassDeclSyntax

    /// Whether the class inherits from another model. The macro sees only that model's name.
    var isSubmodel: Bool { arguments.parent != nil }

    /// The name of the parent: `Event` for `Event.self`.
    var parentName: String? {
        guard let member = arguments.parent?.as(MemberAccessExprSyntax.self), member.declName.baseName.text == "self"
        else { return nil }
        return member.base?.trimmedDescription
    }
}

extension DeclaredModel {
    init(_ syntax: ClassDeclSyntax, attribute: AttributeSyntax) {
        name = syntax.name.text
        plainName = syntax.name.identifier?.name ?? name
        access = AccessLevel(syntax.modifiers)
        isFinal = syntax.modifiers.contains { $0.name.tokenKind == .keyword(.final) }
        arguments = ModelArguments(attribute)
        inheritedTypes = syntax.inheritanceClause?.inheritedTypes.map(\.type.trimmedDescription) ?? []
        properties = syntax.memberBlock.members
            .compactMap { $0.decl.as(VariableDeclSyntax.self) }
            .filter(\.isStoredInInstances)
            .map { DeclaredProperty($0) }
        modelled = properties.filter(\.isModelled)
        self.syntax = syntax
    }
}
