import SwiftSyntax

// What a macro emits is parsed by the compiler, and so not here as well: to parse and to format it would be most of the
// time that the plugin takes, which is not optimised where a project is built for debugging. Each node here is one
// token, with all of the text, as it is to be read in "Expand Macro".

extension DeclSyntax {
    /// A declaration that nothing but its text is known of.
    init(text: String) {
        self.init(MissingDeclSyntax(placeholder: .identifier(text)))
    }
}

extension ExtensionDeclSyntax {
    /// The same for an extension.
    init(text: String) {
        self.init(
            extensionKeyword: .identifier(text), extendedType: MissingTypeSyntax(placeholder: .identifier("")),
            memberBlock: MemberBlockSyntax(
                leftBrace: .identifier(""), members: [], rightBrace: .identifier("")))
    }
}

extension AccessorDeclSyntax {
    /// The same for an accessor, which stands in the braces of its property.
    init(text: String) {
        let lines = text.split(separator: "\n").map { "    " + $0 }
        self.init(accessorSpecifier: .identifier(lines.joined(separator: "\n")))
    }
}

extension AttributeSyntax {
    /// The same for an attribute.
    init(text: String) {
        self.init(
            atSign: .identifier(text), attributeName: MissingTypeSyntax(placeholder: .identifier("")))
    }
}

extension String {
    /// The literal of a name. One in backticks may have quotation marks, but no backslash.
    var emittedLiteral: String { "\"" + replacing("\"", with: "\\\"") + "\"" }
}
