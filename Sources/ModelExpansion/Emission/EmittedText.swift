import SwiftSyntax

// The compiler parses emitted code. Parsing and formatting it here too would take most of the plugin's time, which
// debug builds leave unoptimised. So each node is one token with the whole text, as "Expand Macro" shows it.

extension DeclSyntax {
    init(text: String) {
        self.init(MissingDeclSyntax(placeholder: .identifier(text)))
    }
}

extension ExtensionDeclSyntax {
    init(text: String) {
        self.init(
            extensionKeyword: .identifier(text), extendedType: MissingTypeSyntax(placeholder: .identifier("")),
            memberBlock: MemberBlockSyntax(
                leftBrace: .identifier(""), members: [], rightBrace: .identifier("")))
    }
}

extension AccessorDeclSyntax {
    /// Indented for the braces of its property.
    init(text: String) {
        let lines = text.split(separator: "\n").map { "    " + $0 }
        self.init(accessorSpecifier: .identifier(lines.joined(separator: "\n")))
    }
}

extension AttributeSyntax {
    init(text: String) {
        self.init(
            atSign: .identifier(text), attributeName: MissingTypeSyntax(placeholder: .identifier("")))
    }
}

extension String {
    /// Names in backticks may have quotation marks, but no backslashes.
    var emittedLiteral: String { "\"" + replacing("\"", with: "\\\"") + "\"" }
}
