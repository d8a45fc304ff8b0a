import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Model`: parses the class into a ``DeclaredModel``, reports its misuses, and emits its members.
package protocol ClassExpansion: MemberMacro, MemberAttributeMacro, ExtensionMacro {}

extension ClassExpansion {
    package static var formatMode: FormatMode { .disabled }

    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let syntax = declaration.as(ClassDeclSyntax.self) else {
            context.report(NotAClass.findings(in: declaration, attribute: node))
            return []
        }
        guard !syntax.isMisplaced(in: context) else {
            context.report(MisplacedType.findings(of: syntax, macro: "@Model", in: context.lexicalContext))
            return []
        }
        let model = DeclaredModel(syntax, attribute: node)
        let isModelByParent = model.isModelByInheritance(missing: protocols)
        context.report(isModelByParent ? UnnamedParent.findings(in: model) : ModelRules.findings(in: model))
        return isModelByParent ? [] : model.members.map { DeclSyntax(text: $0) }
    }
}

extension ClassExpansion {
    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let syntax = declaration.as(ClassDeclSyntax.self), !syntax.isMisplaced(in: context),
            let variable = member.as(VariableDeclSyntax.self), variable.isStoredInInstances
        else { return [] }
        let property = DeclaredProperty(variable)
        guard property.isModelled, let index = declaration.index(of: property) else { return [] }
        let name = property.mayBeRelationship ? "_ModelRelationship" : "_ModelProperty"
        let isSubmodel = node.argumentList?[label: "inherits"] != nil
        return [AttributeSyntax(text: "@" + name + (isSubmodel ? "()" : "(at: \(index))"))]
    }
}

extension DeclGroupSyntax {
    /// The number of stored properties before it, including those with an error, which keeps the index from being
    /// compiled. `nil` within an `#if`, which is reported.
    fileprivate func index(of property: DeclaredProperty) -> Int? {
        var index = 0
        for member in memberBlock.members {
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isStoredInInstances else { continue }
            let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
            if name == property.spelling { return index }
            let isTransient = !variable.attributes.isEmpty && PropertyMarkers(variable.attributes).transient != nil
            if !isTransient { index += 1 }
        }
        return nil
    }
}

extension ClassExpansion {
    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let syntax = declaration.as(ClassDeclSyntax.self), !protocols.isEmpty, !syntax.isMisplaced(in: context)
        else { return [] }
        return DeclaredModel.conformances(
            of: type, isSubmodel: node.argumentList?[label: "inherits"] != nil,
            isSingular: ModelArguments(node).isSingular, saysModel: syntax.saysModel)
    }
}
