import Conventions
import ObjectStore

/// Valid declarations that are likely mistakes. Opening a store logs them, and `explain` prints them.
struct ModelWarnings {
    let schema: Schema
    let client: APIClient?

    private var routes: RouteTable? { client?.routes }

    var all: [String] { (client.map { schema.models(of: $0.index) } ?? schema.models).flatMap(texts) }

    func texts(of model: ModelSchema) -> [String] {
        [partialIdentity(of: model), separateTree(of: model)].compactMap(\.self)
    }
}

// MARK: Identities that are unique only within a parent

extension ModelWarnings {
    /// Warns of `@Model("/repos/:repository.full_name/issues", identity: "number")`: each of two repositories has an
    /// issue 1. An identity outside the object's own URL may be unique in the whole service.
    private func partialIdentity(of model: ModelSchema) -> String? {
        guard let routes, model.submodel.isRoot || model.options.baseURL != nil,
            let template = routes.routes(of: model)?.object, let key = model.key, model.identity.contains(key)
        else { return nil }
        let parents = parents(in: template, of: model).filter { $0 != key }
        let identity = model.identity.map { model[$0] }
        guard !parents.isEmpty, !model.identity.contains(where: parents.contains),
            !identity.contains(where: \.namesObjectInWholeService),
            identity.count == 1 || !identity.contains(where: { $0.link != nil })
        else { return nil }
        let names = identity.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let parentNames = parents.map { "\"\(model[$0].name)\"" }.joined(separator: ", ")
        return """
            \(model.modelName)'s identity is \(names), and its URL, \(template), has \(parentNames) as well: where two parents \
            have an object of the same \(names), both become one here. Write identity: \(parentNames), \(names) in @Model, or \
            name an attribute there that is unique in the whole service.
            """
    }

    /// Each once.
    private func parents(in template: RouteTemplate, of model: ModelSchema) -> [PropertyIndex] {
        let resolver = KeyPathResolver(schema)
        var seen: Set<PropertyIndex> = []
        return template.placeholders.filter { $0.position == .path }
            .compactMap { resolver.first(of: $0.keyPath, in: model)?.property.index }
            .filter { seen.insert($0).inserted }
    }
}

extension Property {
    /// An `id`, a UUID or a URL likely is.
    fileprivate var namesObjectInWholeService: Bool {
        if case .attribute(.uuid, _, _) = kind { return true }
        if case .attribute(.url, _, _) = kind { return true }
        guard link == nil, let json = jsonPath.last else { return false }
        return ["id", "identifier", "uuid", "guid"].contains(json.lowercased())
            || ["_id", "-id", "Id", "ID", "uuid", "guid"].contains(where: json.hasSuffix)
    }
}

// MARK: A parent and children without a declared inverse

extension ModelWarnings {
    /// Warns of `var parent: Folder?; var children: [Folder]`, which are separate unless an inverse is declared.
    private func separateTree(of model: ModelSchema) -> String? {
        guard model.submodel.isRoot, !model.isEmbedded else { return nil }
        let own = model.declared.filter { $0.target == model.table && $0.inverse == nil && $0.saysNothingOfInverse }
        let (links, lists) = (own.filter { $0.link != nil }, own.filter { $0.list != nil })
        guard links.count == 1, lists.count == 1 else { return nil }
        let (link, list) = (links[0].name, lists[0].name)
        return """
            \(model.modelName).\(link) and \(model.modelName).\(list) are kept apart, as neither names the other as its inverse. \
            If they are the two directions of one relationship, write @Relationship(inverse: "\(link)") var \(list); if not, \
            inverse: nil.
            """
    }
}

extension Property {
    fileprivate var saysNothingOfInverse: Bool { (link?.options ?? list?.options)?.inverse == .inferred }
}
