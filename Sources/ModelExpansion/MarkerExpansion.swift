package import SwiftSyntax
package import SwiftSyntaxMacros

/// `@Attribute`, `@Relationship` and `@Transient` are read by `@Model`. Where it can't see them, they report that; they
/// emit nothing.
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
