import Conventions
import OpenAPIFiles

/// Finds the properties for the names in a path.
///
/// Templates keep their braces until the code is written: `/repos/{repository.full_name}/issues`.
struct PathMapper {
    let plan: ModelPlan
    let model: ModelClass
    /// The JSON names of texts and whole numbers.
    let properties: [String]

    func map(_ routes: inout ModelRoutes) {
        guard let collection = routes.collection else {
            mapItemAlone(&routes)
            return
        }
        let segments = collection.pathSegments
        if let parameter = routes.item?.pathSegments.last?.soleParameter {
            let operation = routes.operations.first { $0.path.withoutSlash == routes.item }
            let types = operation?.parameters.first { $0.name == parameter && $0.location == "path" }?.types ?? []
            routes.key = property(for: parameter, of: types, in: segments.last ?? "")
        }
        guard let last = segments.lastIndex(where: { $0.contains("{") }) else {
            routes.base = collection
            return
        }
        let prefix = "/" + segments[...last].joined(separator: "/")
        let rest = segments[(last + 1)...].map { "/" + $0 }.joined()
        if let owner = plan.owner(at: prefix), let template = owner.routes?.itemTemplate {
            let link = link(to: owner)
            routes.base = template.replacing("{", with: "{\(link).") + rest
            routes.owner = (link, owner.key)
        } else if let template = mapped(collection) {
            routes.base = template
        }
    }

    /// `/repos/{owner}/{repo}` if one property has both: `octocat/Hello-World`.
    private func mapItemAlone(_ routes: inout ModelRoutes) {
        guard let item = routes.item else { return }
        let segments = item.pathSegments
        let literal = segments.prefix { !$0.contains("{") }
        let names = ["full_name", "path_with_namespace", "full_path"]
        if literal.count + 2 == segments.count, let name = names.first(where: properties.contains), !literal.isEmpty {
            routes.base = "/" + literal.joined(separator: "/")
            routes.key = name
        }
    }

    /// An existing property, or a new name.
    private func link(to owner: ModelClass) -> String {
        if let link = plan.link(from: model.key, to: owner.key) { return link }
        let name = AttributeMapping().jsonName(forSwiftName: owner.name.prefix(1).lowercased() + owner.name.dropFirst())
        let taken = plan.propertyNames(of: model.key)
        return [name.name, "parent_\(name.name)", "owning_\(name.name)"].first { !taken.contains($0) }
            ?? "owner_of_path"
    }

    /// Nil unless each name is an attribute.
    private func mapped(_ path: String) -> String? {
        let names = path.pathParameters
        guard names.allSatisfy({ !Self.generic.contains($0) && properties.contains($0) && !$0.contains(".") }) else {
            return nil
        }
        return path
    }

    /// The `id` in `/users/{id}/posts` is the user's.
    private static let generic: Set<String> = ["id", "uuid", "slug", "name", "key", "number"]

    /// `number` for `{issue_number}` in `issues`.
    ///
    /// - Parameter types: of the value in the path; empty if unknown.
    func property(for parameter: String, of types: [String], in noun: String) -> String? {
        let prefixes = [AttributeMapping.singularizingLastWord(of: noun), noun, model.name].map(Self.plain)
        let plain = Self.plain(parameter)
        func named(_ name: String) -> String? { properties.first { Self.plain($0) == name && !$0.contains(".") } }
        /// `{org}` is a text, so it skips a numeric `id`.
        func fitting(_ names: [String]) -> String? {
            names.lazy.compactMap { named(Self.plain($0)) }.first { property in
                types.isEmpty || !plan.types(of: property, in: model.key).isDisjoint(with: types)
            }
        }
        if let exact = named(plain) { return exact }
        if ["username", "user", "account"].contains(plain), let name = fitting(["username", "login", "handle"]) {
            return name
        }
        for prefix in prefixes where plain.hasPrefix(prefix) {
            if let rest = named(String(plain.dropFirst(prefix.count))) { return rest }
        }
        for suffix in ["id", "number", "slug", "name", "key", "sha", "code"] where plain.hasSuffix(suffix) {
            if let found = fitting([suffix]) { return found }
        }
        let isNoun = plain.hasSuffix("name") || prefixes.contains { $0 == plain || $0.hasSuffix(plain) }
        let usual = ["slug", "login", "username", "name", "key", "code", "number", "sha"]
        return isNoun ? fitting(OpenAPIDescription.identityNames + usual) : nil
    }

    private static func plain(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}

extension ModelPlan {
    func types(of property: String, in key: ModelKey) -> Set<String> {
        let found = variants.schemas(of: key).lazy.compactMap { schema in
            description.meaning(of: schema).properties.first { $0.name == property }
        }.first
        return Set(found.map { description.meaning(of: $0.schema).types } ?? [])
    }

    func propertyNames(of key: ModelKey) -> Set<String> {
        Set(variants.schemas(of: key).flatMap { description.meaning(of: $0).properties }.map(\.name))
    }
}

extension ModelRoutes {
    /// With braces.
    var itemTemplate: String? {
        guard let base, let key else { return nil }
        return object ?? "\(base)/{\(key)}"
    }

    /// Whether it spans several segments.
    var keyIsPath: Bool { collection == nil && key != nil }
}
