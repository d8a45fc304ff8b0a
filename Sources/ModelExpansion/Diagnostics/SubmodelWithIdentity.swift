import SwiftSyntax

/// `@Model(inherits: Event.self, identity: "number")`: classes of one table share an identity.
enum SubmodelWithIdentity: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let parent = model.parentName,
            let argument = model.arguments.list?.first(where: { $0.label?.text == "identity" })
        else { return [] }
        let message = "'\(model.name)' has the identity of '\(parent)', as they share a table; declare it there"
        return [Finding(Self.self, at: argument, message)]
    }
}
