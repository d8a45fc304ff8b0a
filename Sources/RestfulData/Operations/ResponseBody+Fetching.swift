import Foundation
public import HTTPTypes
public import ObjectStore
import RESTTransport

extension ResponseBody {
    /// Fetches a response with one GET request, and imports the models in it.
    ///
    /// ```swift
    /// let page = try await IssuePage.fetch("/search/issues", query: ["q": "bug"], in: store.main)
    /// ```
    ///
    /// All models are stored off this actor, in one transaction.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL, with `:name` for each value.
    ///   - values: the values of the names.
    ///   - query: parameters that are added to the URL's query.
    ///   - context: the context of the objects.
    ///   - settings: changes the call's ``Call``: `{ $0.timeout = .seconds(5) }`.
    /// - Returns: the response. After a 204 or 304, all of its parts are missing.
    /// - Throws: ``APIError``; nothing was stored. ``APIError/noObject(model:_:_:)`` if the body has another form, such
    ///   as an array in place of an object.
    public nonisolated(nonsending) static func fetch(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let address = Address(template, values, query: query)
        return try await Call.with(settings) { () async throws(APIError) in
            try await receive(from: context.roundTrip(.get, to: address, for: Self.self)).body
        }
    }

    /// Fetches a response as ``fetch(_:_:query:in:with:)`` does, and reports how the store changed.
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

    /// Sends a request with a JSON body of your own, and imports the models in the reply.
    ///
    /// ```swift
    /// let result = try await MergeResult.send(
    ///     .put, "/pulls/:number/merge", ["number": 7], body: ["squash": true], in: context)
    /// ```
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - template: a path below the base URL, or an absolute URL.
    ///   - values: the values of the names.
    ///   - query: parameters that are added to the URL's query.
    ///   - body: encoded by `JSONEncoder`, with dates as ISO 8601, and sent as a form if the API takes forms.
    ///   - context: the context of the objects.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: the response, as for ``fetch(_:_:query:in:with:)``.
    /// - Throws: ``APIError``. ``APIError/unencodable(_:)`` if the body can't be JSON; nothing is sent.
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

    /// Sends a request with an optional body of any kind, and imports the models in the reply.
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
    /// Sends a request and ignores the reply's body, for an action whose success alone matters.
    ///
    /// ```swift
    /// try await store.main.send(
    ///     .put, "/repos/:owner/:name/issues/:number/lock", ["owner": "octocat", "name": "hello", "number": 7])
    /// ```
    ///
    /// For the reply's body, declare a ``ResponseBody``, or call ``API/json(_:_:query:with:)``.
    ///
    /// - Throws: ``APIError`` for an invalid URL, a missing reply, or a failure.
    public nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: RequestBody? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) {
        let (address, body) = (Address(template, values, query: query), RequestDraft.Body.own(body))
        try await Call.with(settings) { () async throws(APIError) in
            _ = try await roundTrip(method, to: address, body: body).send()
        }
    }

    /// Sends a request with a JSON body by `JSONEncoder`, and ignores the reply's body.
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

    /// A missing type means the main API.
    func client(for type: (any ResponseBody.Type)?) throws(APIError) -> APIClient {
        let clients = try clients()
        guard let description = type?.responseDescription else { return clients.main }
        switch schema.api(named: description.api) {
        case .success(let api): return clients[api]
        case .failure(let mistake): throw .store(.models([mistake.text(of: description.name)]))
        }
    }

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

private struct Address {
    let template: URLTemplate
    let values: [String: any RouteValueConvertible]
    let query: RouteQuery

    init(_ template: URLTemplate, _ values: [String: any RouteValueConvertible], query: RouteQuery) {
        (self.template, self.values, self.query) = (template, values, query)
    }
}

extension APIClient {
    static func json(_ body: some Encodable) throws(APIError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do { return Array(try encoder.encode(body)) } catch { throw .unencodable("\(error)") }
    }
}
