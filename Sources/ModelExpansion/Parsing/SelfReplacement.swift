import SwiftSyntax

/// For code that moves from the class into a nested type.
final class SelfReplacement: SyntaxRewriter {
    private let name: TokenSyntax

    init(className: String) {
        name = .identifier(className)
        super.init()
    }

    override func visit(_ token: TokenSyntax) -> TokenSyntax {
        guard token.tokenKind == .keyword(.Self) else { return token }
        return name.with(\.leadingTrivia, token.leadingTrivia).with(\.trailingTrivia, token.trailingTrivia)
    }
}

extension SyntaxProtocol {
    /// Trimmed, with `className` for `Self`.
    func text(inClass className: String) -> String {
        let text = trimmedDescription
        guard text.contains("Self") else { return text }
        return SelfReplacement(className: className).rewrite(Syntax(trimmed)).trimmedDescription
    }
}
