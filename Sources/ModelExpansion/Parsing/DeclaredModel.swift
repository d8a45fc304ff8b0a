import SwiftSyntax

/// What the source of a model class declares, before it is checked.
struct DeclaredModel {
    /// As it is spelled, with any backticks.
    let name: String
    /// Without backticks.
    let plainName: String
    let access: AccessLevel?
    let isFinal: Bool
    let arguments: ModelArguments
    /// What follows the colon: protocols, or a superclass.
    let inheritedTypes: [String]
    /// Every stored property of an instance in the order of declaration, also those that can't be modelled.
    let properties: [DeclaredProperty]
    /// The properties that become attributes and relationships. One that has a flaw is left as it is, so that its
    /// own diagnostic is the only one.
    let modelled: [DeclaredProperty]
    let syntax: ClassDeclSyntax

    /// Whether the class inherits from another model, of which the macro sees only the name.
    var isSubmodel: Bool { arguments.parent != nil }

    /// The name of that model: `Event` of `Event.self`.
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
