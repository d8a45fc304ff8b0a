import SwiftDiagnostics
package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@ResponseBody`: parses the struct into a ``DeclaredResponse``, reports misuses, and emits its members.
package protocol ResponseExpansion: MemberMacro, ExtensionMacro {}

extension ResponseExpansion {
    package static var formatMode: FormatMode { .disabled }

    package static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let syntax = declaration.as(StructDeclSyntax.self) else {
            context.report(NotAStruct.findings(in: declaration, attribute: node))
            return []
        }
        let misplaced = MisplacedType.findings(of: syntax, macro: "@ResponseBody", in: context.lexicalContext)
        context.report(misplaced)
        guard misplaced.isEmpty else { return [] }
        let response = DeclaredResponse(syntax, node)
        context.report(response.properties.flatMap { ResponseRules.findings(in: $0) })
        context.report(ConditionalProperty.findings(in: syntax.memberBlock, of: "@ResponseBody"))
        context.report(
            UnreadCodingKeys.findings(in: syntax.memberBlock, of: "@ResponseBody", with: response.properties))
        return response.members.map { DeclSyntax(text: $0) }
    }

    package static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let syntax = declaration.as(StructDeclSyntax.self),
            MisplacedType.findings(of: syntax, macro: "@ResponseBody", in: context.lexicalContext).isEmpty
        else { return [] }
        return [DeclaredResponse(syntax, node).conformance(of: type)]
    }
}
