import SwiftSyntax

/// `@ResponseBody class Page`: each response is a value.
enum NotAStruct {
    static func findings(in declaration: some DeclGroupSyntax, attribute: AttributeSyntax) -> [Finding] {
        if declaration.is(ExtensionDeclSyntax.self) {
            let message = "'@ResponseBody' can't be attached to an extension; attach it to the struct's own declaration"
            return [Finding(Self.self, at: attribute, message)]
        }
        let keyword = declaration.introducer
        let message = "a response type is a struct, as each reply is one value; '\(keyword.text)' can't be one"
        guard declaration.is(ClassDeclSyntax.self) else { return [Finding(Self.self, at: keyword, message)] }
        let remedy = Remedy(
            "replace '\(keyword.text)' with 'struct'", replacing: keyword,
            with: keyword.with(\.tokenKind, .keyword(.struct)))
        return [Finding(Self.self, at: keyword, message, remedies: [remedy])]
    }
}
