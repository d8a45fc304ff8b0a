import SwiftSyntax

/// `@MainActor @Model class User`: an object's isolation is that of its context.
enum IsolatedModel: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        let attributes = model.syntax.attributes.compactMap { $0.as(AttributeSyntax.self) }
        return attributes.filter { $0.baseName.hasSuffix("Actor") }.map { attribute in
            let name = attribute.attributeName.trimmedDescription
            let message = "a model belongs to its context, on the main actor or elsewhere; remove '@\(name)'"
            var plain = model.syntax
            plain.attributes = plain.attributes.filter { $0.id != attribute.id }
            plain.leadingTrivia = model.syntax.leadingTrivia
            let remedy = Remedy("remove '@\(name)'", replacing: model.syntax, with: plain)
            return Finding(Self.self, at: attribute, message, remedies: [remedy])
        }
    }
}
