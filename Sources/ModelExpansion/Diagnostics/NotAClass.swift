import SwiftSyntax

/// `@Model struct User`: all references to a model share one object.
enum NotAClass {
    static func findings(in declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> [Finding] {
        if declaration.is(ExtensionDeclSyntax.self) {
            let message = "'@Model' can't be attached to an extension; attach it to the class's own declaration"
            return [Finding(Self.self, at: attribute, message)]
        }
        let keyword = declaration.introducer
        let replacement = keyword.with(\.tokenKind, .identifier("final class"))
        let message = "a model is a class, as all who hold an object see the same one; '\(keyword.text)' can't be one"
        let remedy = Remedy("replace '\(keyword.text)' with 'final class'", replacing: keyword, with: replacement)
        return [Finding(Self.self, at: keyword, message, remedies: [remedy])]
    }
}
