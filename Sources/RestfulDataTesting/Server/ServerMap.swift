import Foundation
import RestfulData

/// The server's compiled models: schema, routes and envelopes. It is immutable.
struct ServerMap: Sendable {
    let schema: Schema
    let table: RouteTable
    let envelopes: EnvelopeTable
    let conventions: APIConventions
    let baseURL: String
    /// The path of the base URL. A trailing slash is removed.
    let basePath: String
    let routes: [ServerRoute]

    /// - Throws: ``TestServerError/models(_:)`` with all problems.
    init(
        _ models: [any Model.Type], _ conventions: APIConventions, at baseURL: String
    ) throws(TestServerError) {
        let schema: Schema
        do { schema = try Schema(models: models, style: conventions.schemaStyle) } catch {
            throw .models(["\(error)"])
        }
        var problems: [String] = []
        let table = RouteTable(schema, of: .main, conventions.urls, problems: &problems)
        let envelopes = EnvelopeTable(schema, of: .main, conventions)
        problems += envelopes.problems
        guard problems.isEmpty else { throw .models(problems) }
        (self.schema, self.table, self.envelopes) = (schema, table, envelopes)
        self.conventions = conventions
        self.baseURL = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        let path = URL(string: self.baseURL)?.path(percentEncoded: true) ?? ""
        basePath = path == "/" ? "" : path
        routes = ServerRoutes(schema, table, by: conventions).all
    }

    // MARK: Properties

    /// Returns the property at the start of a key path, and the remaining keys. It matches JSON keys, keys of a
    /// relationship's identities (`post_id`), and Swift names.
    func first(of keyPath: [String], in model: ModelSchema) -> (property: Property, rest: [String])? {
        for count in stride(from: keyPath.count, through: 1, by: -1) {
            let path = Array(keyPath.prefix(count))
            let rest = Array(keyPath.dropFirst(count))
            if let index = model.identityKeys[path.joined(separator: ".")] { return (model[index], rest) }
            if let property = model.declared.first(where: { $0.jsonPath == path }) { return (property, rest) }
        }
        guard let name = keyPath.first?.withoutSpelling else { return nil }
        let property = model.declared.first { $0.name.withoutSpelling == name }
        return property.map { ($0, Array(keyPath.dropFirst())) }
    }

    func property(_ name: String, of model: ModelSchema) throws(TestServerError) -> Property {
        if let property = model.declared.first(where: { $0.name == name }) { return property }
        if let (property, rest) = first(of: name.split(separator: ".").map(String.init), in: model), rest.isEmpty {
            return property
        }
        let suggestion = nearestName(to: name, among: model.declared.map(\.name))
        throw .unknownProperty(model: model.modelName, name: name, suggestion: suggestion)
    }

    func identityPaths(of property: Property, in model: ModelSchema) -> [[String]] {
        let keys = model.identityKeys.filter { $0.value == property.index }.keys.sorted()
        return keys.map { $0.split(separator: ".").map(String.init) }
    }

    func isEmbedded(_ property: Property) -> Bool { schema.target(of: property)?.isEmbedded == true }

    func sending(of property: Property) -> RelationshipSending? {
        property.link?.options.sentAs ?? property.list?.options.sentAs
    }

    /// Whether the conventions leave out keys without a value.
    func omitsEmptyKeys(_ model: ModelSchema) -> Bool {
        let own = model.options.values ?? schema[model.table].options.values
        return (own ?? schema.style(of: model).values).nothing.contains(.missingKey)
    }

    func saveMethod(of model: ModelSchema) -> API.SaveMethod {
        model.options.saveMethod ?? schema[model.table].options.saveMethod ?? conventions.saveMethod
    }

    func conditions(of model: ModelSchema) -> ConditionalWrites {
        model.options.conditionalWrites ?? conventions.conditionalWrites
    }

    func paging(of model: ModelSchema) -> APIConventions.Paging { model.options.paging ?? conventions.paging }

    /// The to-one links in a template's path, with the values that select their targets.
    func owners(_ values: [[String]: String], in model: ModelSchema) -> [(
        link: Property, [(keyPath: [String], text: String)]
    )] {
        var found: [PropertyIndex: [(keyPath: [String], text: String)]] = [:]
        for (keyPath, text) in values {
            guard let (property, rest) = first(of: keyPath, in: model), property.link != nil else { continue }
            found[property.index, default: []].append((rest, text))
        }
        return found.sorted { $0.key < $1.key }.map { (model[$0.key], $0.value) }
    }
}
