import SwiftSyntax

// The compiler parses emitted code. Parsing and formatting it here too would take most of the time of the plugin, which
// debug builds leave unoptimised. Each node here is one token with the whole text, in the form that "Expand Macro"
// shows.

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
    /// Creates an accessor from text, indented for the braces of its property.
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
    /// The literal of a name. In a name in backticks, quotation marks are valid, and backslashes are errors.
    var emittedLiteral: String { "\"" + replacing("\"", with: "\\\"") + "\"" }
}
