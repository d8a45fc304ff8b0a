import SwiftSyntax

/// `@Model(renames: .byServer, embedded: true)`, or a model without a URL: only objects with requests of their own are
/// renamed.
enum RenamesWithoutEffect: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        guard let argument = model.arguments.list?.first(where: { $0.label?.text == "renames" }),
            let reason = reason(model)
        else { return [] }
        return [Finding(Self.self, at: argument, "'renames:' says nothing here, as \(reason)")]
    }

    private static func reason(_ model: DeclaredModel) -> String? {
        if model.arguments.isEmbedded { return "an embedded model has no identity; remove it" }
        // Models that inherit from it may have a URL.
        guard !model.arguments.hasBaseURL, !model.arguments.namesDiscriminator else { return nil }
        return
            "'\(model.name)' has no URL at which it is saved; give it one, as in '@Model(\"/articles\")', or remove it"
    }
}
