import SwiftSyntax

/// `@Model(key: "nubmer")`, `@Model(identity: "repo", "number")`, `@Model(indexes: [["titel", "number"]])`,
/// `@Model(natural: ["titel"])`.
enum UnknownIdentityName: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        // Inherited properties are invisible here. The store checks them.
        guard !model.isSubmodel else { return [] }
        let identity = model.arguments.identity.map { (label: "identity", literal: $0) }
        let key = model.arguments.key.map { [(label: "key", literal: $0)] } ?? []
        let discriminator = model.arguments.discriminator.map { [(label: "discriminator", literal: $0)] } ?? []
        // Swift names, perhaps of subclasses if the class has a discriminator.
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
