import SwiftSyntax

/// `@Model("/repos/:repositroy.full_name/issues")`: the class has no such property.
enum UnknownPlaceholder: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        // A property that is inherited can't be seen; the store checks it when it opens.
        if model.isSubmodel { return [] }
        return model.routeLiterals.compactMap { try? Route($0) }.flatMap { route in
            route.names.filter { model.property(named: $0) == nil && !model.hasKeyPath(beginningWith: $0) }.map { finding($0, in: route, of: model) }
        }
    }

    private static func finding(_ name: String, in route: Route, of model: DeclaredModel) -> Finding {
        let nearest = ConventionNames.nearest(to: name, among: model.nameable.compactMap(\.templateName))
        let question = nearest.map { "; did you mean ':\($0)'?" } ?? ""
        let remedy = nearest.map { nearest in
            Remedy.replacing(
                route.literal, with: route.text(replacing: name, with: nearest), named: "':\(name)' with ':\(nearest)'")
        }
        return Finding(
            Self.self, at: route.literal.syntax,
            "':\(name)' stands for a property that '\(model.name)' does not have\(question)",
            remedies: [remedy].compactMap(\.self))
    }
}

extension DeclaredModel {
    /// Whether a property's declared JSON key path begins with a key: `base` of `base.repo.full_name`.
    fileprivate func hasKeyPath(beginningWith key: String) -> Bool {
        nameable.contains { $0.jsonName?.split(separator: ".").first.map(String.init) == key }
    }
}

extension DeclaredProperty {
    /// What means the property in a template: its JSON name, if that is one key and known.
    fileprivate var templateName: String {
        jsonName.flatMap { $0.contains(".") ? nil : $0 } ?? name
    }
}
