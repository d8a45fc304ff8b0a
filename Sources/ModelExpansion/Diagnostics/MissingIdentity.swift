import SwiftSyntax
import SwiftSyntaxBuilder

/// A model that lacks `identifier`, `id` and `identity:`.
enum MissingIdentity: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        let arguments = model.arguments
        guard !model.isSubmodel, !arguments.namesIdentity, !arguments.isEmbedded, !arguments.isSingular,
            model.identity.isEmpty
        else { return [] }
        let message =
            "'\(model.name)' has no identity; declare 'var identifier: Int?', or name the properties that are unique "
            + "together with '@Model(identity:)'"
        let members = model.syntax.memberBlock.members
        let indentation = members.first?.leadingTrivia.lastLine ?? .spaces(4)
        let variable: DeclSyntax = "var identifier: Int?"
        let property = variable.with(\.leadingTrivia, .newline + indentation)
        let block = model.syntax.memberBlock
        let remedy = Remedy(
            "declare 'var identifier: Int?'", replacing: block,
            with: block.with(\.members, [MemberBlockItemSyntax(decl: property)] + members))
        return [Finding(Self.self, at: model.syntax.name, message, remedies: [remedy])]
    }
}

extension Trivia {
    fileprivate var lastLine: Trivia { Trivia(pieces: reversed().prefix { $0.isSpaceOrTab }.reversed()) }
}
