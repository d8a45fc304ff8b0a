import Conventions
import ObjectStore

/// The routes of all models, made and checked when the store opens.
///
/// From a base URL `B` and a key `k`: index `GET B`, create `POST B`, fetch `GET B/:k`, save `PATCH B/:k`, delete
/// `DELETE B/:k`. A relationship's routes are registered, or derived from the base URL of the models it leads to.
struct RouteTable: Sendable {
    /// The templates of a model's URLs.
    struct ModelRoutes: Sendable {
        /// The collection's URL.
        let base: RouteTemplate
        /// One object's URL; nil for a model without a key.
        let object: RouteTemplate?
        let keyName: String?
        /// Whether a slash in the key is in the URL as it is.
        let keyIsPath: Bool
    }

    /// The template of a relationship's URL.
    struct RelationshipRoute: Sendable {
        let template: RouteTemplate
        /// Whether it was made of the destination's base URL: then one member's URL is that object's own.
        let isDerived: Bool
    }

    fileprivate struct ModelKey: Hashable {
        let table: TableID
        let submodel: SubmodelIndex

        init(_ model: ModelSchema) {
            table = model.table
            submodel = model.submodel
        }
    }

    fileprivate struct RelationshipKey: Hashable {
        let model: ModelKey
        let property: PropertyIndex

        init(_ property: Property, of model: ModelSchema) {
            self.model = ModelKey(model)
            self.property = property.index
        }
    }

    private let models: [ModelKey: ModelRoutes]
    private let relationships: [RelationshipKey: RelationshipRoute]

    /// - Parameter problems: what is wrong already, to be told with the rest.
    /// - Throws: ``StoreError/models(_:)`` with all problems together.
    init(_ schema: Schema, _ urls: APIConventions.URLs = .plain, problems: [String] = []) throws(StoreError) {
        var compiler = RouteCompiler(resolver: KeyPathResolver(schema), urls: urls, problems: problems)
        compiler.compile()
        guard compiler.problems.isEmpty else { throw .models(compiler.problems) }
        models = compiler.models
        relationships = compiler.relationships
    }

    /// The routes of a model; nil for one without a base URL.
    func routes(of model: ModelSchema) -> ModelRoutes? { models[ModelKey(model)] }

    /// The route of a relationship; nil when none was registered or could be derived.
    func route(of relationship: Property, in model: ModelSchema) -> RelationshipRoute? {
        relationships[RelationshipKey(relationship, of: model)]
    }
}

/// Makes the routes, and notes what is wrong with the declarations.
private struct RouteCompiler {
    let resolver: KeyPathResolver
    let urls: APIConventions.URLs
    var problems: [String]
    var models: [RouteTable.ModelKey: RouteTable.ModelRoutes] = [:]
    var relationships: [RouteTable.RelationshipKey: RouteTable.RelationshipRoute] = [:]

    private var schema: Schema { resolver.schema }

    mutating func compile() {
        let paths = tablesWithPathsAsKeys
        for model in schema.models {
            models[RouteTable.ModelKey(model)] = routes(of: model, keyIsPath: paths.contains(model.table))
        }
        for model in schema.models {
            for property in model.declared {
                checkSending(of: property, in: model)
                guard let route = route(of: property, in: model) else { continue }
                relationships[RouteTable.RelationshipKey(property, of: model)] = route
            }
        }
    }

    // MARK: Models

    private mutating func routes(of model: ModelSchema, keyIsPath: Bool) -> RouteTable.ModelRoutes? {
        guard let baseURL = model.baseURL, let base = check(baseURL, of: model, named: "base URL")?.styled(by: urls)
        else { return nil }
        let keyName = model.key.map { model[$0].jsonPath.joined(separator: ".") }
        let object = keyName.map { base.appending(key: $0, isSegment: !keyIsPath) }
        return RouteTable.ModelRoutes(
            base: base, object: object.flatMap { check($0, of: model, named: "URL")?.styled(by: urls) },
            keyName: keyName, keyIsPath: keyIsPath)
    }

    /// The tables whose key may be several segments: URLs of other models have it within their path, as
    /// `/repos/:repository.full_name/issues` has a repository's, and a slash stays there.
    private var tablesWithPathsAsKeys: Set<TableID> {
        var tables: Set<TableID> = []
        for model in schema.models {
            let registered = model.properties.compactMap { ($0.link?.options ?? $0.list?.options)?.route }
            let templates = [model.baseURL].compactMap(\.self) + registered.compactMap { try? RouteTemplate($0) }
            for placeholder in templates.flatMap(\.placeholders) where placeholder.position == .path {
                guard let (owner, property) = resolver.relatedAttribute(placeholder.keyPath, from: model),
                    owner.key == property.index
                else { continue }
                tables.insert(owner.table)
            }
        }
        return tables
    }

    /// - Returns: the template with its names resolved; nil for one with unknown names, which is noted.
    private mutating func check(
        _ template: RouteTemplate, of model: ModelSchema, named name: String
    ) -> RouteTemplate? {
        do throws(RouteTemplateError) {
            return try resolver.check(template, from: model)
        } catch {
            problems.append("\(model.modelName)'s \(name): \(error)")
            return nil
        }
    }

    // MARK: Relationships

    /// `.key("nme")` would send nothing but nulls.
    private mutating func checkSending(of property: Property, in model: ModelSchema) {
        let sending = property.link?.options.sentAs ?? property.list?.options.sentAs
        if schema.style.document == .jsonAPI, sending != .identities, sending != .never, let sending {
            problems.append(
                "\(model.modelName).\(property.name) is sent as \(sending), but JSON:API documents have linkage; leave "
                    + "sentAs: out")
        }
        guard case .key(let key) = sending, let target = schema.target(of: property) else { return }
        if let found = target.attribute(forJSON: key), case .attribute = found.kind { return }
        let names = target.declared.filter { $0.link == nil && $0.list == nil }.map {
            $0.jsonPath.joined(separator: ".")
        }
        let near = nearestName(to: key, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
        problems.append(
            "\(model.modelName).\(property.name) is sent as \"\(key)\", which \(target.modelName) does not have" + near)
    }

    private mutating func route(of property: Property, in model: ModelSchema) -> RouteTable.RelationshipRoute? {
        guard let options = property.link?.options ?? property.list?.options else { return nil }
        guard let text = options.route else { return derivedRoute(of: property, in: model) }
        do {
            let template = try RouteTemplate(text)
            guard let checked = check(template, of: model, named: "route of \(property.name)") else { return nil }
            return RouteTable.RelationshipRoute(template: checked.styled(by: urls), isDerived: false)
        } catch {
            problems.append("\(model.modelName).\(property.name)'s route: \(error)")
            return nil
        }
    }

    /// Seen from the owner: `/repos/:repository.full_name/issues` is `/repos/:full_name/issues` to a repository.
    private func derivedRoute(of property: Property, in model: ModelSchema) -> RouteTable.RelationshipRoute? {
        guard let list = property.list, let inverse = list.inverse, let target = schema.target(of: property),
            let base = models[RouteTable.ModelKey(target)]?.base
        else { return nil }
        let inverseName = target[inverse].jsonPath.joined(separator: ".")
        let foreignKey = target.identityKeys.first { $0.value == inverse }?.key
        let identity = model.identity.first.map { model[$0].jsonPath.joined(separator: ".") } ?? "id"
        guard
            let derived = base.derivedForRelationship(
                inverse: inverseName, foreignKey: foreignKey, identity: identity),
            let checked = try? resolver.check(derived, from: model)
        else { return nil }
        return RouteTable.RelationshipRoute(template: checked.styled(by: urls), isDerived: true)
    }
}

extension KeyPathResolver {
    /// The template with its names resolved.
    fileprivate func check(
        _ template: RouteTemplate, from model: ModelSchema
    ) throws(RouteTemplateError) -> RouteTemplate {
        try template.checked {
            isKnown($0, from: model)
        } suggesting: {
            suggestion($0, from: model)
        }
    }
}

extension ModelSchema {
    /// The property of a JSON key or, if there is none, of a Swift name.
    func attribute(forJSON key: String) -> Property? {
        names?.inbound.match(key).map { properties[$0.property] } ?? property(named: key)
    }
}

extension RouteTemplate {
    /// The same as the conventions spell URLs.
    func styled(by urls: APIConventions.URLs) -> RouteTemplate {
        let template = urls.endInSlash ? endingInSlash() : self
        return urls.escapeSlashes ? template.escapingSlashes() : template
    }
}
