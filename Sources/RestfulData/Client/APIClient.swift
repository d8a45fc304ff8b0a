import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// What a store keeps of one of its APIs: what was made of the models and the conventions when it opened, and the way
/// to the server.
///
/// ```
/// Store ── StoreFile ── APIClients
///                        │ the API of a model
///                       APIClient                  one for each API of the store, a frozen value
///                        ├ API                     base URL, conventions, timeout, transport with its middleware
///                        ├ RouteTable              the URL templates of models and relationships, checked
///                        │  └ KeyPathResolver      follows `:repository.full_name` through the schema and through rows
///                        └ EnvelopeTable           what wraps objects and lists in bodies
///
/// issue.save() ─────────┐
/// issue.delete() ───────┤ inTurn
/// repository.$issues ───┤
/// Issue.fetchAll(…) ────┼→ RoundTrip ──→ API.transport ──→ Reply ──→ StoreFile: one transaction, merged into this context
/// IssuePage.fetch(…) ───┘   │    ↑                           │
///                           │    └ PageWalk: next page ←─────┘
///                           └ OutboundObject, made of an OutboundRow: a live object, or whatever else has values to send
/// ```
///
/// What all requests are to have goes into ``RoundTrip``: validators (`ETag`), requests that are equal and become one,
/// an outbox whose entries are rows to send (``OutboundRow``) and replies to confirm.
struct APIClient: Sendable {
    let api: API
    /// Which of the store's it is.
    let index: APIIndex
    let schema: Schema
    let routes: RouteTable
    let envelopes: EnvelopeTable
    /// What tells whether an answer was stored by the same declarations and conventions.
    let fingerprint: String

    /// - Parameter problems: gets all that is wrong with routes and envelopes.
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
        // Nothing is kept of their answers.
        fingerprint = ""
    }

    /// The way to an API for requests that are about no model.
    static func withoutModels(_ api: API) throws(APIError) -> APIClient {
        if let problem = api.problem { throw .store(.api(problem)) }
        do { return APIClient(api, try api.modelless.parts(api.conventions)) } catch { throw .store(error) }
    }

    /// What requests without a model need of a schema: made once for an API and its copies.
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

    /// A round trip that begins with this request.
    ///
    /// - Parameters:
    ///   - url: where the request goes.
    ///   - model: what its reply is about; nil when it is about no model.
    ///   - content: what is asked for, which says how the reply is read.
    ///   - keyPath: the keys that lead to it in the reply; nil when the conventions decide.
    func roundTrip(
        _ method: HTTPRequest.Method, _ url: RequestURL, body: RequestDraft.Body? = nil, about model: ModelSchema?,
        asking content: Reply.Content = .other, at keyPath: JSONKeyPath? = nil, in context: ObjectContext
    ) -> RoundTrip {
        RoundTrip(
            client: self, context: context, hold: context.hold, method: method, url: url, body: body,
            call: Call.current, form: Reply.Form(content: content, model: model, keyPath: keyPath))
    }

    // MARK: Routes

    /// The routes of a model.
    ///
    /// - Throws: ``RouteProblem/noRoute(of:needs:)`` for a model without a base URL.
    func routes(of model: ModelSchema) throws(APIError) -> RouteTable.ModelRoutes {
        guard let routes = routes.routes(of: model) else {
            throw .route(.noRoute(of: model.modelName, needs: "a base URL, as in @Model(\"/\(model.collectionName)\")"))
        }
        return routes
    }

    /// The template of an object's own URL, with the property that is its key.
    func objectRoute(of model: ModelSchema) throws(APIError) -> (template: RouteTemplate, key: Property) {
        guard let template = try routes(of: model).object, let key = model.key else {
            let base = model.baseURL.map { "\"\(RedactedURL.text(of: "\($0)"))\", " } ?? ""
            throw .route(.noRoute(of: model.modelName, needs: "a key, as in @Model(\(base)key: \"number\")"))
        }
        return (template, model[key])
    }

    /// The URL of the collection that a row is in.
    func collectionURL(for row: any OutboundRow) throws(APIError) -> RequestURL {
        try routes(of: row.model).base.url(for: row, in: schema)
    }

    /// The URL that a verb has of its own for a row; nil where it has none.
    func declaredURL(of row: any OutboundRow, to verb: RouteTable.Verb) throws(APIError) -> RequestURL? {
        try routes.routes(of: row.model)?.declared[verb]?.url(for: row, in: schema)
    }

    /// A row's own URL. One whose key is a URL, as in hyperlinked APIs, has that one.
    func url(of row: any OutboundRow) throws(APIError) -> RequestURL {
        let (template, key) = try objectRoute(of: row.model)
        let row = row.known
        if let url = try absoluteURL(row.storedValue(key), of: key) { return url }
        return try template.url(for: row, in: schema)
    }

    /// The URL of a row that is not below that of a list of such rows; nil for one that is.
    func specialURL(of row: any OutboundRow) throws(APIError) -> RequestURL? {
        let isElsewhere = try absoluteURL(of: row.known) != nil || routes.routes(of: row.model)?.isDeclared == true
        return isElsewhere ? try url(of: row) : nil
    }

    /// Whether slashes stand as they are in the key of such rows.
    func keyIsPath(of model: ModelSchema) -> Bool {
        model.key.flatMap { model[$0].isPath(in: api.conventions.urls) } ?? false
    }

    private func absoluteURL(of row: any OutboundRow) throws(APIError) -> RequestURL? {
        guard let key = row.model.key.map({ row.model[$0] }) else { return nil }
        return try absoluteURL(row.storedValue(key), of: key)
    }

    /// The URL that a key of such an object is; nil for one that isn't a URL.
    func absoluteURL(_ value: StoredValue, of model: ModelSchema) throws(APIError) -> RequestURL? {
        guard let key = model.key else { return nil }
        return try absoluteURL(value, of: model[key])
    }

    /// The URL of an object that is fetched, updated or deleted there.
    ///
    /// - Throws: ``APIError/notYetCreated(model:)`` where it has no key, as the server does not know it yet.
    func ownURL(of object: ObjectState, to verb: RouteTable.Verb) throws(APIError) -> RequestURL {
        if let declared = routes.routes(of: object.model)?.declared[verb] {
            do { return try declared.url(for: object, in: schema) } catch { throw explained(error, by: object) }
        }
        _ = try objectRoute(of: object.model)
        guard !isUncreated(object) else { throw .notYetCreated(model: object.model.modelName) }
        return try url(of: object)
    }

    /// The URL that an object is created at.
    func creationURL(of object: ObjectState) throws(APIError) -> RequestURL {
        if let declared = try declaredURL(of: object, to: .create) { return declared }
        return try createMethod(of: object.model) == .post ? collectionURL(for: object) : url(of: object)
    }

    /// Whether the server doesn't know an object, nor could by a key that was set here.
    private func isUncreated(_ object: ObjectState) -> Bool {
        guard !object.isAtServer, let key = object.model.key.map({ object.stored($0) }) else { return false }
        return key.isNull || key == .text("")
    }

    /// What is wrong where a URL that is made of an object lacks a value.
    func explained(_ error: APIError, by object: ObjectState) -> APIError {
        guard case .route(.template(.missingValue)) = error, isUncreated(object) else { return error }
        return .notYetCreated(model: object.model.modelName)
    }

    /// A row's own URL, but for its key.
    ///
    /// - Parameter owner: what the row is to be a member of.
    func urlAroundKey(of row: any OutboundRow, below owner: ListedOwner?) -> URLAroundKey? {
        guard let template = routes.routes(of: row.model)?.object,
            let url = try? template.url(for: row, in: schema, keyed: RouteValue(URLAroundKey.mark), below: owner)
        else { return nil }
        return URLAroundKey(api.url(url))
    }

    /// The URL that a row would be created at as a member of an owner's list.
    func collectionURL(for row: any OutboundRow, below owner: ListedOwner) throws(APIError) -> RequestURL {
        try routes(of: row.model).base.url(for: row, in: schema, below: owner)
    }

    /// - Returns: the URL that a key is; nil for one that isn't a URL, or is a relative one.
    /// - Throws: ``RouteProblem/invalidURL(_:)`` for a URL of another server.
    func absoluteURL(_ value: StoredValue, of key: Property) throws(APIError) -> RequestURL? {
        guard case .attribute(.url, _, _) = key.kind, case .text(let text) = value, let url = URL(string: text),
            Origin(url) != nil
        else { return nil }
        return try ownURL(url, from: text)
    }

    /// A URL that an object has, for a request.
    ///
    /// - Parameter text: what the object has.
    /// - Throws: ``RouteProblem/invalidURL(_:)`` for a URL of another server: that would get the API's credentials.
    func ownURL(_ url: URL?, from text: String) throws(APIError) -> RequestURL {
        guard let url, Origin(url) == api.origin else { throw .route(.invalidURL(RedactedURL.text(of: text))) }
        return RequestURL(url.absoluteString)
    }

    /// How `save` sends objects of a model.
    func saveMethod(of model: ModelSchema) -> SaveMethod {
        model.type.modelDescription.options.saveMethod ?? api.saveMethod
    }
}

extension APIClient {
    /// How lists of a model are paged.
    func paging(of model: ModelSchema) -> APIConventions.Paging {
        model.options.paging ?? schema[model.table].options.paging ?? api.conventions.paging
    }

    /// Whether a fetch of a model's objects asks the server.
    func policy(of model: ModelSchema) -> FetchPolicy {
        model.options.policy ?? schema[model.table].options.policy ?? api.policy
    }

    /// Whether the server may give an object of a model another identity as it takes a change.
    func isRenamedByServer(_ model: ModelSchema) -> Bool { schema[model.table].options.renames == .byServer }

    /// The condition that changes of a model's objects carry.
    func conditionalWrites(of model: ModelSchema) -> ConditionalWrites {
        model.options.conditionalWrites ?? schema[model.table].options.conditionalWrites
            ?? api.conventions.conditionalWrites
    }

    /// What the outbox does about a conflict.
    func conflictPolicy(of model: ModelSchema) -> ConflictPolicy {
        model.options.conflicts ?? schema[model.table].options.conflicts ?? api.conventions.conflicts
    }

    /// How objects of a model are created.
    func createMethod(of model: ModelSchema) -> CreateMethod {
        model.type.modelDescription.options.creates ?? api.conventions.creates
    }
}

extension ModelSchema {
    /// What the model's collection is most likely called in URLs: `pull_requests`.
    var collectionName: String { AttributeMapping.pluralizingLastWord(of: tableName) }
}

extension ObjectContext {
    /// The ways to the store's APIs.
    ///
    /// - Throws: ``APIError/noAPI`` for a store that was opened without one.
    func clients() throws(APIError) -> APIClients {
        let file: StoreFile
        do { file = try openFile() } catch { throw .store(error) }
        guard let clients = file.companion as? APIClients else { throw .noAPI }
        return clients
    }

    /// - Throws: ``StoreError/closedStore(unsaved:)`` where the store was erased: the objects of a reply are gone.
    func checkNotErased() throws(APIError) {
        do { try file.checkNotErased() } catch { throw .store(error) }
    }

    /// The way to the API that has a model's objects.
    func client(of model: ModelSchema) throws(APIError) -> APIClient { try clients()[model.api] }

    /// The compiled form of a model whose objects have URLs of their own, and the way to its API.
    func clientAndModel<M: Model>(_ type: M.Type) throws(APIError) -> (APIClient, ModelSchema) {
        let clients = try clients()
        let model = try model(type)
        return (clients[model.api], model)
    }

    /// The compiled form of a model whose objects have URLs of their own.
    func model<M: Model>(_ type: M.Type) throws(APIError) -> ModelSchema {
        let model: ModelSchema
        do { model = try self.model(of: type) } catch { throw .store(error) }
        guard !model.isEmbedded else { throw .store(.embeddedObject(model: model.modelName)) }
        return model
    }
}
