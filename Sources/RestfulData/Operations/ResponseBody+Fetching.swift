import Foundation
public import HTTPTypes
public import ObjectStore
import RESTTransport

extension ResponseBody {
    /// Fetches a response, with one GET request, and imports the models in it.
    ///
    /// ```swift
    /// let page = try await IssuePage.fetch("/search/issues", query: ["q": "bug"], in: store.main)
    /// ```
    ///
    /// All models of the body are written in one transaction, off this actor; the change is merged into this context
    /// before this returns, and into others as soon as their actors are free.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL, with `:name` or an interpolated value in each
    ///     place that changes.
    ///   - values: the values of the names.
    ///   - query: what is added to the URL's query.
    ///   - context: where the objects are to live.
    ///   - settings: the call's own ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the response. Of a reply without a body (204, 304) one in which every part is missing.
    /// - Throws: ``APIError``; nothing was written then. ``APIError/noObject(model:_:_:)`` for a reply that can hold
    ///   none of the type's parts: an array where an object is expected.
    public nonisolated(nonsending) static func fetch(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let address = Address(template, values, query: query)
        return try await Call.with(settings) { () async throws(APIError) in
            try await receive(from: context.roundTrip(.get, to: address, for: Self.self)).body
        }
    }

    /// Fetches a response, and reports what it did to the store.
    public nonisolated(nonsending) static func fetchReporting(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> ImportedBody<Self> {
        let address = Address(template, values, query: query)
        return try await Call.with(settings) { () async throws(APIError) in
            let trip = try context.roundTrip(.get, to: address, for: Self.self)
            return try await API.reporting { () async throws(APIError) in try await receive(from: trip) }.value
        }
    }

    /// Sends a request with JSON of the caller's own, and takes the reply: for what isn't an object's own `create`,
    /// `save` or `delete`.
    ///
    /// ```swift
    /// let result = try await MergeResult.send(
    ///     .put, "/pulls/:number/merge", ["number": 7], body: ["squash": true], in: context)
    /// ```
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - template: a path below the API's base URL, or an absolute URL, with `:name` for each value.
    ///   - values: what stands for the names.
    ///   - query: what is added to the URL's query.
    ///   - body: what goes out, as `JSONEncoder` writes it; dates as ISO 8601. It is sent as a form where the API takes
    ///     forms.
    ///   - context: where the objects are to live.
    ///   - settings: the call's own ``Call``.
    /// - Returns: as ``fetch(_:_:query:in:with:)``.
    /// - Throws: ``APIError``; ``APIError/unencodable(_:)`` for a body that can't be JSON, before anything is sent.
    @discardableResult
    public nonisolated(nonsending) static func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: some Encodable & Sendable, in context: ObjectContext,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let (address, body) = (
            Address(template, values, query: query), RequestDraft.Body.json(try APIClient.json(body))
        )
        return try await Call.with(settings) { () async throws(APIError) in
            try await receive(from: context.roundTrip(method, to: address, body: body, for: Self.self)).body
        }
    }

    /// Sends a request with a body of any kind, or none, and takes the reply.
    ///
    /// ```swift
    /// let upload = try await Upload.send(.post, "/uploads", body: .multipart([.file(url)]), in: context)
    /// ```
    @discardableResult
    public nonisolated(nonsending) static func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: RequestBody? = nil, in context: ObjectContext,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let (address, body) = (Address(template, values, query: query), RequestDraft.Body.own(body))
        return try await Call.with(settings) { () async throws(APIError) in
            try await receive(from: context.roundTrip(method, to: address, body: body, for: Self.self)).body
        }
    }

    private nonisolated(nonsending) static func receive(
        from trip: RoundTrip
    ) async throws(APIError) -> ImportedBody<Self> {
        let context = trip.context
        let plan: ResponsePlan
        do { plan = try ResponsePlan(Self.self, context.schema) } catch { throw .store(error) }
        let reply = try await trip.send()
        guard reply.hasBody else {
            return ImportedBody(body: context.emptyBody(Self.self), report: ImportReport())
        }
        let outcome = try await trip.import(reply, as: ImportRequest(response: plan))
        guard let body = context.body(Self.self, outcome) else {
            throw .noObject(model: Self.responseDescription.name, outcome.report, reply.request)
        }
        return ImportedBody(body: body, report: outcome.report)
    }
}

extension ObjectContext {
    /// Sends a request and ignores what the reply says: for an action of which only its success matters.
    ///
    /// ```swift
    /// try await store.main.send(
    ///     .put, "/repos/:owner/:name/issues/:number/lock", ["owner": "octocat", "name": "hello", "number": 7])
    /// ```
    ///
    /// Nothing is stored. A ``ResponseBody`` type takes what the reply says, and ``API/json(_:_:query:with:)`` reads
    /// it.
    ///
    /// - Throws: ``APIError`` for an invalid URL, no reply, or one that isn't a success.
    public nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: RequestBody? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) {
        let (address, body) = (Address(template, values, query: query), RequestDraft.Body.own(body))
        try await Call.with(settings) { () async throws(APIError) in
            _ = try await roundTrip(method, to: address, body: body).send()
        }
    }

    /// Sends a request with JSON, as `JSONEncoder` writes it, and ignores what the reply says.
    public nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: some Encodable & Sendable, with settings: Call.Settings? = nil
    ) async throws(APIError) {
        let (address, body) = (
            Address(template, values, query: query), RequestDraft.Body.json(try APIClient.json(body))
        )
        try await Call.with(settings) { () async throws(APIError) in
            _ = try await roundTrip(method, to: address, body: body).send()
        }
    }

    /// The way to the API that answers with a response type; nil is no type in particular.
    func client(for type: (any ResponseBody.Type)?) throws(APIError) -> APIClient {
        let clients = try clients()
        guard let description = type?.responseDescription else { return clients.main }
        switch schema.api(named: description.api) {
        case .success(let api): return clients[api]
        case .failure(let mistake): throw .store(.models([mistake.text(of: description.name)]))
        }
    }

    /// A round trip to a URL of the caller's own.
    ///
    /// - Parameter type: what takes the reply.
    fileprivate func roundTrip(
        _ method: HTTPRequest.Method, to address: Address, body: RequestDraft.Body? = nil,
        for type: (any ResponseBody.Type)? = nil
    ) throws(APIError) -> RoundTrip {
        let client = try client(for: type)
        let url = try client.callURL(
            try RequestURL(address.template, address.values, at: client), query: address.query)
        return client.roundTrip(method, url, body: body, about: nil, in: self)
    }
}

/// A URL of the caller's own: a template, the values of its names, and its query.
private struct Address {
    let template: URLTemplate
    let values: [String: any RouteValueConvertible]
    let query: RouteQuery

    init(_ template: URLTemplate, _ values: [String: any RouteValueConvertible], query: RouteQuery) {
        (self.template, self.values, self.query) = (template, values, query)
    }
}

extension APIClient {
    /// A body of the caller's own, as JSON.
    static func json(_ body: some Encodable) throws(APIError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(body)) } catch { throw .unencodable("\(error)") }
    }
}
