import Conventions
import ObjectStore

/// The routes of all models, made and checked when the store opens.
///
/// From a base URL `B` and a key `k`: index `GET B`, create `POST B`, fetch `GET B/:k`, save `PATCH B/:k`, delete
/// `DELETE B/:k`. A relationship's routes are registered, or derived from the base URL of the models it leads to.
struct RouteTable: Sendable {
    private var models: [ModelKey: ModelRoutes] = [:]
    private var relationships: [Relationship: RelationshipRoute] = [:]

    struct ModelRoutes: Sendable {
        /// The collection's URL.
        let base: RouteTemplate
        /// One object's URL; `nil` where the model has no key.
        let object: RouteTemplate?
        let keyName: String?
        /// Whether a slash in the key stands in the URL as it is.
        let keyIsPath: Bool
    }

    private struct ModelKey: Hashable {
        let table: Int
        let number: Int

        init(_ table: ModelSchema) {
            self.table = table.index
            number = table.number
        }
    }

    private struct Relationship: Hashable {
        let model: ModelKey
        let property: Int
    }

    struct RelationshipRoute: Sendable {
        let template: RouteTemplate
        /// Whether it was made of the destination's base URL: then one member's URL is that object's own.
        let isDerived: Bool
    }

    private let urls: APIConventions.URLs

    /// - Parameter problems: what is wrong already, to be told with the rest.
    init(_ schema: Schema, _ urls: APIConventions.URLs = .plain, problems: [String] = []) throws(StoreError) {
        self.urls = urls
        var problems = problems
        let resolver = KeyPathResolver(schema)
        let paths = Self.keysWithSlashes(resolver)
        for table in schema.models {
            let keyIsPath = paths.contains(table.index)
            models[ModelKey(table)] = routes(of: table, keyIsPath: keyIsPath, resolver, &problems)
        }
        for table in schema.models {
            for property in table.declared {
                Self.checkSending(of: property, table, schema, &problems)
                guard let route = route(of: property, table, resolver, &problems) else { continue }
                relationships[Relationship(model: ModelKey(table), property: property.index)] = route
            }
        }
        guard problems.isEmpty else { throw .models(problems) }
    }

    // MARK: Models

    private func routes(
        of table: ModelSchema, keyIsPath: Bool, _ resolver: KeyPathResolver, _ problems: inout [String]
    ) -> ModelRoutes? {
        guard let baseURL = table.baseURL else { return nil }
        guard let base = Self.check(baseURL, table, "base URL", resolver, &problems)?.styled(by: urls) else {
            return nil
        }
        let keyName = table.key.map { table.properties[$0].jsonPath.joined(separator: ".") }
        let object = keyName.map { base.appending(key: $0, isSegment: !keyIsPath) }
        return ModelRoutes(
            base: base,
            object: object.flatMap { Self.check($0, table, "URL", resolver, &problems)?.styled(by: urls) },
            keyName: keyName, keyIsPath: keyIsPath)
    }

    /// The tables whose key may be several segments: URLs of other models have it within their path, as
    /// `/repos/:repository.full_name/issues` has a repository's, and a slash stays there.
    private static func keysWithSlashes(_ resolver: KeyPathResolver) -> Set<Int> {
        var tables: Set<Int> = []
        for table in resolver.schema.models {
            let registered = table.properties.compactMap { ($0.link?.options ?? $0.list?.options)?.route }
            let templates = [table.baseURL].compactMap(\.self) + registered.compactMap { try? RouteTemplate($0) }
            for placeholder in templates.flatMap(\.placeholders) where placeholder.position == .path {
                guard let (owner, property) = resolver.relatedAttribute(placeholder.keyPath, from: table),
                    owner.key == property
                else { continue }
                tables.insert(owner.index)
            }
        }
        return tables
    }

    private static func check(
        _ template: RouteTemplate, _ table: ModelSchema, _ what: String, _ resolver: KeyPathResolver,
        _ problems: inout [String]
    ) -> RouteTemplate? {
        do {
            return try template.checked {
                resolver.isKnown($0, from: table)
            } suggesting: {
                resolver.suggestion($0, from: table)
            }
        } catch {
            problems.append("\(table.modelName)'s \(what): \(error)")
            return nil
        }
    }

    // MARK: Relationships

    /// `.key("nme")` would send nothing but nulls.
    private static func checkSending(
        of property: Property, _ table: ModelSchema, _ schema: Schema, _ problems: inout [String]
    ) {
        let sending = property.link?.options.sentAs ?? property.list?.options.sentAs
        if schema.style.document == .jsonAPI, sending != .identities, sending != .never, let sending {
            problems.append(
                "\(table.modelName).\(property.name) is sent as \(sending), but JSON:API documents have linkage; leave "
                    + "sentAs: out")
        }
        guard case .key(let key) = sending, let target = schema.target(of: property) else { return }
        if let found = target.attribute(forJSON: key), case .attribute = found.kind { return }
        let names = target.declared.filter { $0.link == nil && $0.list == nil }.map {
            $0.jsonPath.joined(separator: ".")
        }
        let near = nearestName(to: key, among: names).map { "; did you mean \"\($0)\"?" } ?? ""
        problems.append(
            "\(table.modelName).\(property.name) is sent as \"\(key)\", which \(target.modelName) does not have" + near)
    }

    private func route(
        of property: Property, _ table: ModelSchema, _ resolver: KeyPathResolver, _ problems: inout [String]
    ) -> RelationshipRoute? {
        let options: RelationshipOptions
        switch property.kind {
        case .attribute: return nil
        case .toOne(let link): options = link.options
        case .toMany(let list): options = list.options
        }
        if let text = options.route {
            do {
                let template = try RouteTemplate(text)
                let what = "route of \(property.name)"
                guard let checked = Self.check(template, table, what, resolver, &problems) else { return nil }
                return RelationshipRoute(template: checked.styled(by: urls), isDerived: false)
            } catch {
                problems.append("\(table.modelName).\(property.name)'s route: \(error)")
                return nil
            }
        }
        return derivedRoute(of: property, table, resolver)
    }

    /// Seen from the owner: `/repos/:repository.full_name/issues` is `/repos/:full_name/issues` to a repository.
    private func derivedRoute(
        of property: Property, _ table: ModelSchema, _ resolver: KeyPathResolver
    ) -> RelationshipRoute? {
        guard let list = property.list, let inverse = list.inverse, let target = resolver.schema.target(of: property),
            let base = routes(of: target)?.base
        else { return nil }
        let inverseName = target.properties[inverse].jsonPath.joined(separator: ".")
        let foreignKey = target.identityKeys.first { $0.value == inverse }?.key
        let identity = table.identity.first.map { table.properties[$0].jsonPath.joined(separator: ".") } ?? "id"
        guard
            let derived = base.derivedForRelationship(
                inverse: inverseName, foreignKey: foreignKey, identity: identity)
        else { return nil }
        var ignored: [String] = []
        return Self.check(derived, table, "", resolver, &ignored).map {
            RelationshipRoute(template: $0.styled(by: urls), isDerived: true)
        }
    }

    /// The routes of a model; `nil` for one without a base URL.
    func routes(of table: ModelSchema) -> ModelRoutes? { models[ModelKey(table)] }

    func route(of relationship: Int, in table: ModelSchema) -> RelationshipRoute? {
        relationships[Relationship(model: ModelKey(table), property: relationship)]
    }
}

extension ModelSchema {
    /// The property of a JSON key or, where there is none, of a Swift name.
    func attribute(forJSON key: String) -> Property? {
        names?.inbound.match(key).map { properties[$0.property] } ?? property(named: key)
    }
}

extension RouteTemplate {
    /// The same as the house style spells URLs.
    func styled(by urls: APIConventions.URLs) -> RouteTemplate {
        let template = urls.endInSlash ? endingInSlash() : self
        return urls.escapeSlashes ? template.escapingSlashes() : template
    }
}
