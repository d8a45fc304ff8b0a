import SwiftSyntax

/// `@Model("/repos/:repositroy.full_name/issues")`: similar to a property's name. Others may come from an API's
/// conventions, so the store checks them.
enum UnknownPlaceholder: ModelRule {
    static func findings(in model: DeclaredModel) -> [Finding] {
        // Inherited properties are invisible here.
        if model.isSubmodel { return [] }
        return model.routeLiterals.compactMap { try? Route($0) }.flatMap { route in
            route.names.filter { model.property(named: $0) == nil && !model.hasKeyPath(beginningWith: $0) }
                .compactMap { finding($0, in: route, of: model) }
        }
    }

    private static func finding(_ name: String, in route: Route, of model: DeclaredModel) -> Finding? {
        guard let nearest = ConventionNames.nearest(to: name, among: model.nameable.compactMap(\.templateName)) else {
            return nil
        }
        return Finding(
            Self.self, at: route.literal.syntax,
            "':\(name)' stands for a property that '\(model.name)' does not have; did you mean ':\(nearest)'?",
            remedies: [
                Remedy.replacing(
                    route.literal, with: route.text(replacing: name, with: nearest),
                    named: "':\(name)' with ':\(nearest)'")
            ])
    }
}

extension DeclaredModel {
    /// `base` for a declared `base.repo.full_name`.
    fileprivate func hasKeyPath(beginningWith key: String) -> Bool {
        nameable.contains { $0.jsonName?.split(separator: ".").first.map(String.init) == key }
    }
}

extension DeclaredProperty {
    /// The JSON name, if it is a single key and known.
    fileprivate var templateName: String {
        jsonName.flatMap { $0.contains(".") ? nil : $0 } ?? name
    }
}
