import Foundation
public import HTTPTypes
public import ObjectStore
public import RESTTransport

/// The settings of one call, on top of those of its model and its ``API``.
///
/// Every operation that sends requests takes them in its trailing closure:
///
/// ```swift
/// try await issue.save {
///     $0.headers[.ifMatch] = etag
///     $0.query["notify"] = false
///     $0.timeout = .seconds(120)
/// }
/// ```
///
/// For several calls there is ``API/with(_:isolation:_:)``. ``path``, ``body``, ``idempotencyKey``, ``reading`` and
/// ``progress`` belong to the call's own request. Requests that only check what its reply means, as after a conflict,
/// leave them out.
public struct Call: Sendable {
    /// Changes the settings of a call: `{ $0.body = try .json(["state": "closed"]) }`. What it throws is the error of
    /// the call, and nothing is sent; an error of another type is ``APIError/unencodable(_:)``.
    public typealias Settings = (inout Call) throws -> Void

    /// Header fields, in place of those of the same name that the library or ``API/headers`` sets.
    ///
    /// They go to the API's own origin only, as a field may be secret; a redirect to another origin leaves them out.
    public var headers: HTTPFields = [:]

    /// Parameters that are added to the URL's query. They count as those of a `query:` argument: a list that they
    /// narrow is merged in, and unlinks nothing.
    public var query: RouteQuery = [:]

    /// The URL of the request, in place of the one by convention: `"/users/:id/profile"`.
    ///
    /// A name takes its value from the object that the call is about. The values of other names are interpolated.
    public var path: URLTemplate?

    /// The body of the request, in place of the object's JSON.
    ///
    /// The server's success still acknowledges all edits that the call would have sent.
    public var body: RequestBody?

    /// Whether the request's body is compressed by gzip, for servers that take it so.
    public var compressesBody = false

    /// How long the request may take, retries included; nil for ``API/timeout``.
    public var timeout: Duration?

    /// Whether the request may wait behind others where limits hold some back; nil for the task's own.
    public var priority: RequestPriority?

    /// Whether a fetch asks the server; nil for what the model or the API says. An argument `policy:` goes before it.
    public var policy: FetchPolicy?

    /// The `Idempotency-Key` of the request, by which the server knows a repetition. With it ``Retry`` sends a POST or
    /// PATCH again.
    public var idempotencyKey: String?

    /// Turns a successful reply into the JSON of the models; nil for a reply that is JSON.
    ///
    /// The answer to such a call is not kept for later ones: the server is asked each time.
    public var reading: ReplyReader?

    /// Reports the progress of the request's and the reply's body, on no particular actor.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// Where new members go when a list is fetched in part, with a query for example; nil for what the relationship
    /// declares.
    ///
    /// ```swift
    /// let newest = try await user.$posts.fetch(query: ["since_id": lastID]) { $0.newMembers = .first }
    /// ```
    public var newMembers: NewMembers?

    /// Whether the request goes without ``API/headers``, as a method of a service file can say.
    var leavesOutSharedHeaders = false

    /// Settings that change nothing.
    public init() {}
}

extension Call {
    /// Whether these settings may make a list another one or a part of it, for example the list of another tenant.
    var narrowsLists: Bool {
        query.narrowsLists || headers.contains { !Self.neutral.contains($0.name.canonicalName) }
    }

    /// Fields by which no list gets shorter.
    private static let neutral: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "baggage", "cache-control", "content-type",
        "dnt", "if-match",
        "if-modified-since", "if-none-match", "if-unmodified-since", "pragma", "priority", "traceparent", "tracestate",
        "user-agent", "x-correlation-id", "x-request-id",
    ]

    /// The settings of a request that checks the meaning of another request's reply.
    var ofChecks: Call {
        var checks = Call()
        checks.headers = HTTPFields(
            headers.filter { field in
                let name = field.name.canonicalName
                return !name.hasPrefix("if-") && !["idempotency-key", "content-type"].contains(name)
            })
        (checks.timeout, checks.priority) = (timeout, priority)
        return checks
    }

    /// The settings of a list's further pages: they have their own URLs.
    var ofFurtherPages: Call {
        var pages = self
        (pages.path, pages.body, pages.query) = (nil, nil, [:])
        return pages
    }
}

extension Call: CustomStringConvertible, CustomReflectable {
    /// The names of the settings in use; their values may be secret.
    public var description: String {
        let fields = headers.map(\.name.rawName) + (idempotencyKey == nil ? [] : ["Idempotency-Key"])
        let others: [(String, Bool)] = [
            ("path", path != nil), ("body", body != nil), ("compressesBody", compressesBody),
            ("timeout", timeout != nil), ("priority", priority != nil),
            ("policy", policy != nil), ("reading", reading != nil), ("progress", progress != nil),
            ("newMembers", newMembers != nil),
        ]
        let names = fields + query.names.map { "?\($0)" } + others.filter(\.1).map(\.0)
        return "Call(\(names.joined(separator: ", ")))"
    }

    /// The description, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension API {
    /// Runs calls whose requests have these settings, those of child tasks included.
    ///
    /// ```swift
    /// try await API.with({ $0.timeout = .seconds(5) }) {
    ///     for repository in repositories { try await repository.$issues.fetch() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - settings: changes the settings; within those of another such call, on top of them.
    ///   - isolation: the caller's actor.
    ///   - calls: the operations.
    /// - Returns: the result of `calls`.
    /// - Throws: the error of `calls`.
    public static func with<Value, Failure: Error>(
        _ settings: (inout Call) -> Void, isolation: isolated (any Actor)? = #isolation,
        _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        var scope = CallScope.current ?? CallScope()
        settings(&scope.call)
        return try await scope.run(isolation: isolation, calls)
    }

    /// Runs calls whose requests have these header fields (``Call/headers``).
    ///
    /// ```swift
    /// try await API.withHeaders([.ifMatch: etag]) { try await issue.save() }
    /// ```
    ///
    /// They are in each request that the calls send, the pages of a list included. Requests that only check what a
    /// reply means (``APIConventions/NotFoundDeletions``, both versions of a conflict) leave out preconditions (`If-…`)
    /// and `Idempotency-Key`. Requests that middleware sends by itself, for a token say, have none of them. For all
    /// requests of an API there are ``API/headers`` and ``Headers``.
    ///
    /// - Parameters:
    ///   - fields: the fields; within those of another such call, both.
    ///   - isolation: the caller's actor.
    ///   - calls: the operations.
    /// - Returns: the result of `calls`.
    /// - Throws: the error of `calls`.
    public static func withHeaders<Value, Failure: Error>(
        _ fields: HTTPFields, isolation: isolated (any Actor)? = #isolation,
        _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await with({ $0.headers.replace(fields) }, isolation: isolation, calls)
    }

    /// Runs calls whose requests go before others or behind them, where an API's limits hold some back.
    ///
    /// ```swift
    /// try await API.withPriority(.background) {
    ///     for repository in repositories { try await repository.$issues.fetch(pages: .all()) }
    /// }
    /// ```
    ///
    /// Without it requests are urgent, except those of tasks whose priority is `.utility` or `.background`.
    ///
    /// - Parameters:
    ///   - priority: whether somebody waits for the results.
    ///   - isolation: the caller's actor.
    ///   - calls: the operations.
    /// - Returns: the result of `calls`.
    /// - Throws: the error of `calls`.
    public static func withPriority<Value, Failure: Error>(
        _ priority: RequestPriority, isolation: isolated (any Actor)? = #isolation,
        _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await with({ $0.priority = priority }, isolation: isolation, calls)
    }

    /// Runs calls, and returns the heads of the responses that they got beside their result.
    ///
    /// ```swift
    /// let (user, responses) = try await API.responding { try await User.fetch(key: 7, in: context) }
    /// print(responses.last?.headerFields[.eTag] ?? "no ETag")
    /// ```
    ///
    /// There is one for each request, in the order in which they were answered: one for each page of a list. Calls that
    /// share a request have its response each. One that the server answers by 304 is there with that status. A call
    /// that the store answers by itself, as by ``FetchPolicy/offline``, has none.
    ///
    /// - Parameters:
    ///   - isolation: the caller's actor.
    ///   - calls: the operations.
    /// - Throws: the error of `calls`; the response to a request that failed is ``APIError/reply``.
    public static func responding<Value, Failure: Error>(
        isolation: isolated (any Actor)? = #isolation, _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> (value: Value, responses: [ResponseHead]) {
        var scope = CallScope.current ?? CallScope()
        let responses = ResponseList(within: scope.responses)
        scope.responses = responses
        let value = try await scope.run(isolation: isolation, calls)
        return (value, responses.all)
    }
}

/// A response without its body.
public struct ResponseHead: Sendable, Hashable {
    /// Status and header fields.
    public let head: HTTPResponse
    /// The URL that answered, with the secrets that its query may have: the request's own, or the one that redirects
    /// ended at.
    public let url: String
    /// The method and URL of the request, without secrets.
    public let request: RequestSummary

    init(_ response: APIResponse) {
        head = response.head
        url = response.url.absoluteString
        request = RequestSummary(response.request)
    }

    /// The status, for example 200.
    public var status: HTTPResponse.Status { head.status }
    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }
}

extension ResponseHead: CustomStringConvertible, CustomReflectable {
    /// The request without secrets, and the status; never header fields.
    public var description: String { "\(request) → \(status.code)" }

    /// The description, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension HTTPFields {
    /// Puts fields in the place of those of the same names.
    mutating func replace(_ fields: HTTPFields) {
        for field in fields { self[field.name] = nil }
        append(contentsOf: fields)
    }
}
