import SwiftSyntax

/// `@Model(key: "nubmer")`, `@Model(identity: "repo", "number")`, `@Model(indexes: [["titel", "number"]])`,
/// `@Model(natural: ["titel"])`: no such property.
enum UnknownIdentityName: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        // A property that is inherited can't be seen; the store checks it when it opens.
        guard !model.isSubmodel else { return [] }
        let identity = model.arguments.identity.map { (label: "identity", literal: $0) }
        let key = model.arguments.key.map { [(label: "key", literal: $0)] } ?? []
        let discriminator = model.arguments.discriminator.map { [(label: "discriminator", literal: $0)] } ?? []
        // These name properties by their Swift names; in a class that others inherit from, they may be of those.
        func unknown(_ names: [StringLiteral]) -> [StringLiteral] {
            names.filter { name in
                !model.arguments.namesDiscriminator && !model.nameable.contains { $0.name == name.value }
            }
        }
        let indexes = unknown(model.arguments.indexes).map { (label: "indexes", literal: $0) }
        let natural = unknown(model.arguments.natural).map { (label: "natural", literal: $0) }
        let unknown = (identity + key + discriminator).filter { model.property(named: $0.literal.value) == nil }
        return (unknown + indexes + natural).map { argument in
            let name = argument.literal.value
            let nearest = ConventionNames.nearest(to: name, among: model.nameable.map(\.name))
            let question = nearest.map { "; did you mean '\($0)'?" } ?? ""
            return Finding(
                Self.self, at: argument.literal.syntax,
                "'\(argument.label):' names '\(name)', and '\(model.name)' has no such property\(question)",
                remedies: nearest.map { [.replacing(argument.literal, with: $0)] } ?? [])
        }
    }
}
