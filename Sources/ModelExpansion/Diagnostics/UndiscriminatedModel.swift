import SwiftSyntax

/// `@Model class Event`: a table with subclasses needs a discriminator.
enum UndiscriminatedModel: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        let isOpen = model.syntax.modifiers.contains { $0.name.tokenKind == .keyword(.open) }
        guard !model.isFinal, !isOpen, !model.isSubmodel, !model.arguments.namesDiscriminator else { return [] }
        let message =
            "nothing tells '\(model.name)' from a class that inherits from it; make it 'final', or name the attribute that "
            + "does with '@Model(discriminator:)'"
        return [Finding(Self.self, at: model.syntax.name, message, remedies: [.makingFinal(model.syntax)])]
    }
}

extension Remedy {
    static func makingFinal(_ syntax: ClassDeclSyntax) -> Remedy {
        let keyword = syntax.classKeyword
        return Remedy(
            "make it 'final'", replacing: keyword, with: keyword.with(\.tokenKind, .identifier("final class")))
    }
}
