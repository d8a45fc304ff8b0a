import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// A store's access to one of its APIs: routes and envelopes, compiled when the store opened, and the transport.
///
/// ```
/// Store ── StoreFile ── APIClients
///                        │ the API of a model
///                       APIClient                  one for each API of the store, a frozen value
///                        ├ API                     base URL, conventions, timeout, transport with its middleware
///                        ├ RouteTable              the URL templates of models and relationships, checked
///                        │  └ KeyPathResolver      follows `:repository.full_name` through the schema and through rows
///                        └ EnvelopeTable           the wrappers of objects and lists in bodies
///
/// issue.save() ─────────┐
/// issue.delete() ───────┤ inTurn
/// repository.$issues ───┤
/// Issue.fetchAll(…) ────┼→ RoundTrip ──→ API.transport ──→ Reply ──→ StoreFile: one transaction, merged into contexts
/// IssuePage.fetch(…) ───┘   │    ↑                           │
///                           │    └ PageWalk: next page ←─────┘
///                           └ OutboundObject, made of an OutboundRow: a live object, a stored row or a queued change
/// ```
///
/// Features of all requests belong in ``RoundTrip``, such as validators (`ETag`), shared requests, and the outbox.
struct APIClient: Sendable {
    let api: API
    let index: APIIndex
    let schema: Schema
    let routes: RouteTable
    let envelopes: EnvelopeTable
    /// Changes with the declarations by which replies are stored.
    let fingerprint: String

    init(_ api: API, at index: APIIndex, _ schema: Schema, problems: inout [String]) {
        (self.api, self.index, self.schema) = (api, index, schema)
        envelopes = EnvelopeTable(schema, of: index, api.conventions)
        fingerprint = Self.fingerprint(of: schema, api.conventions)
        routes = RouteTable(schema, of: index, api.conventions.urls, problems: &problems)
        problems += envelopes.problems
        problems += saveProblems()
    }

    private init(_ api: API, _ parts: Modelless.Parts) {
        (self.api, index, schema, routes, envelopes) = (api, .main, parts.schema, parts.routes, parts.envelopes)
        // Only replies with a model are stored.
        fingerprint = ""
    }

    static func withoutModels(_ api: API) throws(APIError) -> APIClient {
        if let problem = api.problem { throw .store(.api(problem)) }
        do { return APIClient(api, try api.modelless.parts(api.conventions)) } catch { throw .store(error) }
    }

    /// For requests without a model; shared by an API and its copies.
    final class Modelless: Sendable {
        fileprivate struct Parts {
            let schema: Schema
            let routes: RouteTable
            let envelopes: EnvelopeTable
        }

        private let made = Mutex<Parts?>(nil)

        fileprivate func parts(_ conventions: APIConventions) throws(StoreError) -> Parts {
            if let parts = made.withLock({ $0 }) { return parts }
            let schema = try Schema(models: [], style: conventions.schemaStyle)
            let envelopes = EnvelopeTable(schema, of: .main, conventions)
            var problems: [String] = []
            let routes = RouteTable(schema, of: .main, conventions.urls, problems: &problems)
            problems += envelopes.problems
            guard problems.isEmpty else { throw .models(problems) }
            let parts = Parts(schema: schema, routes: routes, envelopes: envelopes)
            made.withLock { $0 = parts }
            return parts
        }
    }

    // MARK: Requests

    func roundTrip(
        _ method: HTTPRequest.Method, _ url: RequestURL, body: RequestDraft.Body? = nil, about model: ModelSchema?,
        asking content: Reply.Content = .other, at keyPath: JSONKeyPath? = nil, in context: ObjectContext
    ) -> RoundTrip {
        RoundTrip(
            client: self, context: context, hold: context.hold, method: method, url: url, body: body,
            call: Call.current, form: Reply.Form(content: content, model: model, keyPath: keyPath))
    }

    // MARK: Routes

    func routes(of model: ModelSchema) throws(APIError) -> RouteTable.ModelRoutes {
        guard let routes = routes.routes(of: model) else {
            throw .route(.noRoute(of: model.modelName, needs: "a base URL, as in @Model(\"/\(model.collectionName)\")"))
        }
        return routes
    }

    func objectRoute(of model: ModelSchema) throws(APIError) -> (template: RouteTemplate, key: Property) {
        guard let template = try routes(of: model).object, let key = model.key else {
            let base = model.baseURL.map { "\"\(RedactedURL.text(of: "\($0)"))\", " } ?? ""
            throw .route(.noRoute(of: model.modelName, needs: "a key, as in @Model(\(base)key: \"number\")"))
        }
        return (template, model[key])
    }

    func collectionURL(for row: any OutboundRow) throws(APIError) -> RequestURL {
        try routes(of: row.model).base.url(for: row, in: schema)
    }

    func declaredURL(of row: any OutboundRow, to verb: RouteTable.Verb) throws(APIError) -> RequestURL? {
        try routes.routes(of: row.model)?.declared[verb]?.url(for: row, in: schema)
    }

    /// In hyperlinked APIs, a row's own URL is its key.
    func url(of row: any OutboundRow) throws(APIError) -> RequestURL {
        let (template, key) = try objectRoute(of: row.model)
        let row = row.known
        if let url = try absoluteURL(row.storedValue(key), of: key) { return url }
        return try template.url(for: row, in: schema)
    }

    /// nil if the row's own URL is below that of its lists.
    func specialURL(of row: any OutboundRow) throws(APIError) -> RequestURL? {
        let isElsewhere = try absoluteURL(of: row.known) != nil || routes.routes(of: row.model)?.isDeclared == true
        return isElsewhere ? try url(of: row) : nil
    }

    func keyIsPath(of model: ModelSchema) -> Bool {
        model.key.flatMap { model[$0].isPath(in: api.conventions.urls) } ?? false
    }

    private func absoluteURL(of row: any OutboundRow) throws(APIError) -> RequestURL? {
        guard let key = row.model.key.map({ row.model[$0] }) else { return nil }
        return try absoluteURL(row.storedValue(key), of: key)
    }

    func absoluteURL(_ value: StoredValue, of model: ModelSchema) throws(APIError) -> RequestURL? {
        guard let key = model.key else { return nil }
        return try absoluteURL(value, of: model[key])
    }

    /// - Throws: ``APIError/notYetCreated(model:)`` if the object is still to be created and lacks a key.
    func ownURL(of object: ObjectState, to verb: RouteTable.Verb) throws(APIError) -> RequestURL {
        if let declared = routes.routes(of: object.model)?.declared[verb] {
            do { return try declared.url(for: object, in: schema) } catch { throw explained(error, by: object) }
        }
        _ = try objectRoute(of: object.model)
        guard !isUncreated(object) else { throw .notYetCreated(model: object.model.modelName) }
        return try url(of: object)
    }

    func creationURL(of object: ObjectState) throws(APIError) -> RequestURL {
        if let declared = try declaredURL(of: object, to: .create) { return declared }
        return try createMethod(of: object.model) == .post ? collectionURL(for: object) : url(of: object)
    }

    /// Whether the object is new and lacks a key.
    private func isUncreated(_ object: ObjectState) -> Bool {
        guard !object.isAtServer, let key = object.model.key.map({ object.stored($0) }) else { return false }
        return key.isNull || key == .text("")
    }

    /// A value that a new object lacks is ``APIError/notYetCreated(model:)``.
    func explained(_ error: APIError, by object: ObjectState) -> APIError {
        guard case .route(.template(.missingValue)) = error, isUncreated(object) else { return error }
        return .notYetCreated(model: object.model.modelName)
    }

    func urlAroundKey(of row: any OutboundRow, below owner: ListedOwner?) -> URLAroundKey? {
        guard let template = routes.routes(of: row.model)?.object,
            let url = try? template.url(for: row, in: schema, keyed: RouteValue(URLAroundKey.mark), below: owner)
        else { return nil }
        return URLAroundKey(api.url(url))
    }

    /// The URL at which a member of the owner's list is created.
    func collectionURL(for row: any OutboundRow, below owner: ListedOwner) throws(APIError) -> RequestURL {
        try routes(of: row.model).base.url(for: row, in: schema, below: owner)
    }

    /// - Returns: nil unless the key is an absolute URL.
    /// - Throws: ``RouteProblem/invalidURL(_:)`` for another server's URL, which would get the API's data.
    func absoluteURL(_ value: StoredValue, of key: Property) throws(APIError) -> RequestURL? {
        guard case .attribute(.url, _, _) = key.kind, case .text(let text) = value, let url = URL(string: text),
            Origin(url) != nil
        else { return nil }
        return try ownURL(url, from: text)
    }

    /// - Parameter text: the URL as the object has it.
    /// - Throws: ``RouteProblem/invalidURL(_:)`` for another server's URL, which would get the API's credentials.
    func ownURL(_ url: URL?, from text: String) throws(APIError) -> RequestURL {
        guard let url, Origin(url) == api.origin else { throw .route(.invalidURL(RedactedURL.text(of: text))) }
        return RequestURL(url.absoluteString)
    }

    func saveMethod(of model: ModelSchema) -> SaveMethod {
        model.options.saveMethod ?? schema[model.table].options.saveMethod ?? api.saveMethod
    }
}

extension APIClient {
    func paging(of model: ModelSchema) -> APIConventions.Paging {
        model.options.paging ?? schema[model.table].options.paging ?? api.conventions.paging
    }

    func policy(of model: ModelSchema) -> FetchPolicy {
        model.options.policy ?? schema[model.table].options.policy ?? api.policy
    }

    func isRenamedByServer(_ model: ModelSchema) -> Bool { schema[model.table].options.renames == .byServer }

    func conditionalWrites(of model: ModelSchema) -> ConditionalWrites {
        model.options.conditionalWrites ?? schema[model.table].options.conditionalWrites
            ?? api.conventions.conditionalWrites
    }

    func conflictPolicy(of model: ModelSchema) -> ConflictPolicy {
        model.options.conflicts ?? schema[model.table].options.conflicts ?? api.conventions.conflicts
    }

    func createMethod(of model: ModelSchema) -> CreateMethod {
        model.options.creates ?? schema[model.table].options.creates ?? api.conventions.creates
    }
}

extension ModelSchema {
    /// Such as `pull_requests`.
    var collectionName: String { AttributeMapping.pluralizingLastWord(of: tableName) }
}

extension ObjectContext {
    /// - Throws: ``APIError/noAPI`` if the store was opened without one.
    func clients() throws(APIError) -> APIClients {
        let file: StoreFile
        do { file = try openFile() } catch { throw .store(error) }
        guard let clients = file.companion as? APIClients else { throw .noAPI }
        return clients
    }

    /// An erased store has lost the reply's objects.
    func checkNotErased() throws(APIError) {
        do { try file.checkNotErased() } catch { throw .store(error) }
    }

    func client(of model: ModelSchema) throws(APIError) -> APIClient { try clients()[model.api] }

    /// Refuses embedded models, which have no URLs.
    func clientAndModel<M: Model>(_ type: M.Type) throws(APIError) -> (APIClient, ModelSchema) {
        let clients = try clients()
        let model = try model(type)
        return (clients[model.api], model)
    }

    /// As above.
    func model<M: Model>(_ type: M.Type) throws(APIError) -> ModelSchema {
        let model: ModelSchema
        do { model = try self.model(of: type) } catch { throw .store(error) }
        guard !model.isEmbedded else { throw .store(.embeddedObject(model: model.modelName)) }
        return model
    }
}
