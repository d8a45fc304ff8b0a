import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Model`: parses the class into a ``DeclaredModel``, reports its misuses, emits the members that make it a model.
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
        guard declaration.is(ClassDeclSyntax.self), let variable = member.as(VariableDeclSyntax.self),
            variable.isStoredInInstances
        else { return [] }
        let property = DeclaredProperty(variable)
        guard property.isModelled, declaration.directlyDeclares(property) else { return [] }
        let name = property.mayBeRelationship ? "_ModelRelationship" : "_ModelProperty"
        let isSubmodel = node.argumentList?[label: "inherits"] != nil
        return [AttributeSyntax(text: "@" + name + (isSubmodel ? "(ofSubmodel: true)" : ""))]
    }
}

extension DeclGroupSyntax {
    /// Whether the property is in the class itself, not within an `#if`, which is reported.
    fileprivate func directlyDeclares(_ property: DeclaredProperty) -> Bool {
        guard memberBlock.members.contains(where: { $0.decl.is(IfConfigDeclSyntax.self) }) else { return true }
        return memberBlock.members.contains {
            $0.decl.as(VariableDeclSyntax.self)?.bindings.first?.pattern.trimmedDescription == property.spelling
        }
    }
}

extension ClassExpansion {
    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self), !protocols.isEmpty else { return [] }
        return DeclaredModel.conformances(of: type, isSubmodel: node.argumentList?[label: "inherits"] != nil)
    }
}
