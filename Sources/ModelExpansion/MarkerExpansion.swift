package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship` and `@Transient`, which `@Model` reads. Their own expansion only reports uses that it
/// can't see.
package protocol MarkerExpansion: PeerMacro {}

extension MarkerExpansion {
    package static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        context.report(MarkerWithoutEffect.findings(marker: node, on: declaration, in: context.lexicalContext))
        return []
    }
}
