package import Conventions
package import ObjectStore
import Synchronization

/// The routes of all models, compiled and checked when the store opens.
///
/// For a base URL `B` and a key `k`: index `GET B`, create `POST B`, fetch `GET B/:k`, save `PATCH B/:k`, delete
/// `DELETE B/:k`. A verb may have its own URL. A relationship's routes are declared, or derived from the base URL of
/// its target.
package struct RouteTable: Sendable {
    package struct ModelRoutes: Sendable {
        package let base: RouteTemplate
        /// nil for a model without a key.
        package let object: RouteTemplate?
        /// Otherwise ``object`` is the base URL with the key.
        let isDeclared: Bool
        package let declared: [Verb: RouteTemplate]
        let keyName: String?
        /// Whether slashes in the key stay unescaped.
        let keyIsPath: Bool
    }

    package enum Verb: String, CaseIterable {
        case index, create, fetch, update, delete
    }

    package struct RelationshipRoute: Sendable {
        package let template: RouteTemplate
        /// Whether it comes from the target's base URL, so that a member's URL is its own.
        package let isDerived: Bool
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
    /// The JSON names of attributes that are paths.
    private let paths: Set<String>
    private let parsed = ParsedTemplates()

    /// Compiles the routes of the API's models, and of relationships to them.
    ///
    /// - Parameter problems: receives errors in the declarations.
    package init(
        _ schema: Schema, of api: APIIndex, _ urls: APIConventions.URLs = .plain, problems: inout [String]
    ) {
        var compiler = RouteCompiler(resolver: KeyPathResolver(schema), api: api, urls: urls)
        compiler.compile()
        problems += compiler.problems
        models = compiler.models
        relationships = compiler.relationships
        let declared = schema.models.flatMap(\.declared).filter { $0.isPath == true }
        paths = urls.paths.union(declared.map { $0.jsonPath.joined(separator: ".") })
    }

    /// nil for a model without a base URL.
    package func routes(of model: ModelSchema) -> ModelRoutes? { models[ModelKey(model)] }

    /// Escapes slashes in a caller's values, except in declared paths.
    ///
    /// - Throws: ``APIError/route(_:)`` if the text is malformed.
    func template(of text: String) throws(APIError) -> RouteTemplate {
        if let known = parsed[text] { return known }
        let template = try RouteTemplate(route: text).settingSegments {
            !paths.contains($0.name) && !paths.contains($0.keyPath.last ?? "")
        }
        parsed[text] = template
        return template
    }

    package func route(of relationship: Property, in model: ModelSchema) -> RelationshipRoute? {
        relationships[RelationshipKey(relationship, of: model)]
    }
}

private struct RouteCompiler {
    let resolver: KeyPathResolver
    let api: APIIndex
    let urls: APIConventions.URLs
    var problems: [String] = []
    var models: [RouteTable.ModelKey: RouteTable.ModelRoutes] = [:]
    var relationships: [RouteTable.RelationshipKey: RouteTable.RelationshipRoute] = [:]

    private var schema: Schema { resolver.schema }

    mutating func compile() {
        for model in schema.models(of: api) { models[RouteTable.ModelKey(model)] = routes(of: model) }
        for model in schema.models {
            for property in model.declared {
                if model.api == api { checkSending(of: property, in: model) }
                guard schema.target(of: property)?.api == api, let route = route(of: property, in: model) else {
                    continue
                }
                relationships[RouteTable.RelationshipKey(property, of: model)] = route
            }
        }
    }

    // MARK: Models

    private mutating func routes(of model: ModelSchema) -> RouteTable.ModelRoutes? {
        guard let baseURL = model.baseURL, let base = check(baseURL, of: model, named: "base URL") else { return nil }
        let key = model.key.map { model[$0] }
        let keyName = key.map { $0.jsonPath.joined(separator: ".") }
        let declared = declaredObjectURL(of: model) ?? nameURL(of: model)
        let object = declared ?? keyName.map { base.appending(key: $0, isSegment: true) }
        return RouteTable.ModelRoutes(
            base: base, object: object.flatMap { check($0, of: model, named: "URL") }, isDeclared: declared != nil,
            declared: verbURLs(of: model), keyName: keyName, keyIsPath: key.flatMap { $0.isPath(in: urls) } ?? false)
    }

    /// A submodel without its own base URL inherits its parent's.
    private mutating func verbURLs(of model: ModelSchema) -> [RouteTable.Verb: RouteTemplate] {
        let isInherited = model.options.baseURL == nil && !model.submodel.isRoot
        let options = isInherited ? schema[model.table].options : model.options
        let texts: [(RouteTable.Verb, String?)] = [
            (.index, options.index), (.create, options.create), (.update, options.update), (.delete, options.delete),
        ]
        var templates: [RouteTable.Verb: RouteTemplate] = [:]
        for case (let verb, let text?) in texts {
            do {
                templates[verb] = check(try RouteTemplate(text), of: model, named: "\(verb) URL")
            } catch {
                problems.append("\(model.modelName)'s \(verb) URL: \(error)")
            }
        }
        return templates
    }

    /// For keys that are whole paths; otherwise nil.
    private func nameURL(of model: ModelSchema) -> RouteTemplate? {
        guard urls.keysAreNames, let key = model.key.map({ model[$0] }), case .attribute = key.kind else { return nil }
        let name = key.jsonPath.joined(separator: ".")
        return try? RouteTemplate("/:\(name)").settingSegments { _ in false }
    }

    private mutating func declaredObjectURL(of model: ModelSchema) -> RouteTemplate? {
        // Such a submodel also inherits the URL of one object.
        let isInherited = model.options.baseURL == nil && !model.submodel.isRoot
        let singular = model.options.singular ? model.options.baseURL : nil
        let inherited = isInherited ? schema[model.table].options.object : nil
        guard let text = model.options.object ?? singular ?? inherited else { return nil }
        do {
            return try RouteTemplate(text)
        } catch {
            problems.append("\(model.modelName)'s URL of one object: \(error)")
            return nil
        }
    }

    /// - Returns: nil after recording an error for unknown names.
    private mutating func check(
        _ template: RouteTemplate, of model: ModelSchema, named name: String
    ) -> RouteTemplate? {
        do throws(RouteTemplateError) {
            return try resolver.check(template, from: model, urls)
        } catch {
            problems.append("\(model.modelName)'s \(name): \(error)")
            return nil
        }
    }

    // MARK: Relationships

    /// A misspelt name, as in `.key("nme")`, would send only nulls.
    private mutating func checkSending(of property: Property, in model: ModelSchema) {
        let sending = property.link?.options.sentAs ?? property.list?.options.sentAs
        // An embedded object is an attribute.
        let isLinkage = schema.style(of: model).document == .jsonAPI && schema.target(of: property)?.isEmbedded != true
        if isLinkage, sending != .identities, sending != .never, let sending {
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
        guard let text = options.route else {
            let route = derivedRoute(of: property, in: model)
            if route != nil, options.removal == .unlinks { noteUnlinking(of: property, in: model) }
            return route
        }
        do {
            let template = try RouteTemplate(text)
            guard let checked = check(template, of: model, named: "route of \(property.name)") else { return nil }
            return RouteTable.RelationshipRoute(template: checked, isDerived: false)
        } catch {
            problems.append("\(model.modelName).\(property.name)'s route: \(error)")
            return nil
        }
    }

    private mutating func noteUnlinking(of property: Property, in model: ModelSchema) {
        problems.append(
            "\(model.modelName).\(property.name) is to unlink its members, but its route is derived from their own URLs, where "
                + "DELETE deletes them; give it a route of its own, as in @Relationship(\"/\(model.collectionName)/:id/"
                + "\(property.jsonPath.joined(separator: "/"))\")")
    }

    /// From the owner's point of view, `/repos/:repository.full_name/issues` is `/repos/:full_name/issues`.
    private func derivedRoute(of property: Property, in model: ModelSchema) -> RouteTable.RelationshipRoute? {
        guard let inverse = property.list?.inverse ?? property.link?.inverse,
            let target = schema.target(of: property), property.list != nil || target.options.singular,
            let base = models[RouteTable.ModelKey(target)]?.base
        else { return nil }
        let names = [target[inverse].jsonPath.joined(separator: "."), target[inverse].name]
        let foreignKey = target.identityKeys.first { $0.value == inverse }?.key
        let identity = model.identity.first.map { model[$0].jsonPath.joined(separator: ".") } ?? "id"
        let derived = names.lazy.compactMap { name in
            base.derivedForRelationship(inverse: name, foreignKey: foreignKey, identity: identity)
        }
        guard let derived = derived.first, let checked = try? resolver.check(derived, from: model, urls) else {
            return nil
        }
        return RouteTable.RelationshipRoute(template: checked, isDerived: true)
    }
}

extension KeyPathResolver {
    /// With its names resolved.
    fileprivate func check(
        _ template: RouteTemplate, from model: ModelSchema, _ urls: APIConventions.URLs
    ) throws(RouteTemplateError) -> RouteTemplate {
        let checked = try template.checked {
            isKnown($0, from: model)
        } suggesting: {
            suggestion($0, from: model)
        }
        return checked.styled(by: urls).settingSegments { placeholder in
            property(at: placeholder.keyPath, from: model)?.isPath(in: urls).map { !$0 }
        }
    }
}

extension Property {
    /// nil if undeclared.
    fileprivate var isPath: Bool? {
        if case .attribute(_, _, let options) = kind { options.isPath } else { nil }
    }

    /// By the declaration or the API; nil if the position in the URL decides.
    func isPath(in urls: APIConventions.URLs) -> Bool? {
        isPath ?? (urls.paths.contains(jsonPath.joined(separator: ".")) ? true : urls.escapeSlashes ? false : nil)
    }
}

extension RouteTemplate {
    func styled(by urls: APIConventions.URLs) -> RouteTemplate { urls.endInSlash ? endingInSlash() : self }
}

private final class ParsedTemplates: Sendable {
    /// A program may generate any number of templates.
    private static let most = 256

    private let templates = Mutex<[String: RouteTemplate]>([:])

    subscript(text: String) -> RouteTemplate? {
        get { templates.withLock { $0[text] } }
        set {
            templates.withLock { templates in
                if templates.count >= Self.most { templates = [:] }
                templates[text] = newValue
            }
        }
    }
}
