import SwiftSyntax

/// Of the source of a model class, before validation.
struct DeclaredModel {
    /// As written, with any backticks.
    let name: String
    let plainName: String
    let access: AccessLevel?
    let isFinal: Bool
    let arguments: ModelArguments
    /// Protocols, or a superclass.
    let inheritedTypes: [String]
    /// In the order of declaration, including those with an error.
    let properties: [DeclaredProperty]
    /// Those that become attributes and relationships. A property with an error is left out, so that its diagnostic is
    /// the only one.
    let modelled: [DeclaredProperty]
    let syntax: ClassDeclSyntax

    /// The macro sees only the parent's name.
    var isSubmodel: Bool { arguments.parent != nil }

    /// `Event` for `Event.self`.
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
