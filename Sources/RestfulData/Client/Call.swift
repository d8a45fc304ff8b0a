import Foundation
public import HTTPTypes
public import ObjectStore
public import RESTTransport

/// The settings of one call, in addition to those of its model and its ``API``.
///
/// Each operation takes them in its trailing closure:
///
/// ```swift
/// try await issue.save {
///     $0.headers[.ifMatch] = etag
///     $0.query["notify"] = false
///     $0.timeout = .seconds(120)
/// }
/// ```
///
/// For several calls, use ``API/with(_:isolation:_:)``. ``path``, ``body``, ``idempotencyKey``, ``reading`` and
/// ``progress`` apply to the call's own request only. Requests that check its reply, as after a conflict, ignore them.
public struct Call: Sendable {
    /// Changes the settings of a call: `{ $0.body = try .json(["state": "closed"]) }`. If it throws, nothing is sent,
    /// and the call throws the error; as ``APIError/unencodable(_:)`` if it is of another type.
    public typealias Settings = (inout Call) throws -> Void

    /// Header fields, which replace those of the library and of ``API/headers``.
    ///
    /// They go to the API's own origin only, also after redirects.
    public var headers: HTTPFields = [:]

    /// Parameters added to the URL. As with a `query:` argument, a list that they narrow is only merged in.
    public var query: RouteQuery = [:]

    /// The URL of the request, instead of the conventional one: `"/users/:id/profile"`.
    ///
    /// A name takes its value from the call's object; interpolate others.
    public var path: URLTemplate?

    /// The body, instead of the object's JSON.
    ///
    /// Success still acknowledges all edits that the call would have sent.
    public var body: RequestBody?

    /// Whether the request's body is compressed by gzip. The server must support that.
    public var compressesBody = false

    /// The time limit of the request, including retries; nil for ``API/timeout``.
    public var timeout: Duration?

    /// Whether the request waits behind others if limits delay some; nil for the task's priority.
    public var priority: RequestPriority?

    /// When a fetch asks the server; nil for the policy of the model or API. A `policy:` argument takes precedence.
    public var policy: FetchPolicy?

    /// The `Idempotency-Key`, by which the server recognizes a repetition, so that ``Retry`` repeats a POST or PATCH.
    public var idempotencyKey: String?

    /// Converts a successful reply to the JSON of the models; nil if the reply is JSON.
    ///
    /// Each such call asks the server.
    public var reading: ReplyReader?

    /// Reports the progress of both bodies, on no particular actor.
    public var progress: (@Sendable (TransferProgress) -> Void)?

    /// The place of new members when a list is fetched in part; nil for the relationship's declared place.
    ///
    /// ```swift
    /// let newest = try await user.$posts.fetch(query: ["since_id": lastID]) { $0.newMembers = .first }
    /// ```
    public var newMembers: NewMembers?

    /// A service file can declare this.
    var leavesOutSharedHeaders = false

    /// Settings that change nothing.
    public init() {}
}

extension Call {
    /// Whether the settings may select another list, such as another tenant's, or a part of the list.
    func narrowsLists(at client: APIClient) -> Bool {
        query.narrowsLists
            || headers.contains { !Self.neutral.contains($0.name.canonicalName) && !client.isPageSize($0) }
    }

    /// Header fields that leave a list whole.
    private static let neutral: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "baggage", "cache-control", "content-type",
        "dnt", "if-match",
        "if-modified-since", "if-none-match", "if-unmodified-since", "pragma", "priority", "traceparent", "tracestate",
        "user-agent", "x-correlation-id", "x-request-id",
    ]

    /// For a request that checks the meaning of another one's reply.
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

    /// Further pages have URLs from the replies.
    var ofFurtherPages: Call {
        var pages = self
        (pages.path, pages.body, pages.query) = (nil, nil, [:])
        return pages
    }
}

extension APIClient {
    /// RFC 7240 §2, as in `Prefer: odata.maxpagesize=100`.
    fileprivate func isPageSize(_ field: HTTPField) -> Bool {
        guard field.name == .prefer, let size = api.conventions.pageSizePreference?.lowercased() else { return false }
        return field.value.split(separator: ",").allSatisfy { preference in
            let name = preference.prefix { $0 != "=" && $0 != ";" }
            return name.trimmingCharacters(in: .whitespaces).lowercased() == size
        }
    }
}

extension Call: CustomStringConvertible, CustomReflectable {
    /// The names of the settings in use, without values.
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

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension API {
    /// Runs calls whose requests have these settings, also in child tasks.
    ///
    /// ```swift
    /// try await API.with({ $0.timeout = .seconds(5) }) {
    ///     for repository in repositories { try await repository.$issues.fetch() }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - settings: changes the settings, in addition to those of surrounding calls.
    ///   - isolation: the caller's actor.
    ///   - calls: the operations.
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
    /// Requests for further pages have them, too. Requests that check a reply (``APIConventions/NotFoundDeletions``,
    /// both versions of a conflict) omit preconditions (`If-…`) and `Idempotency-Key`. Requests of middleware, as for a
    /// token, lack them. For all requests of an API, use ``API/headers``.
    ///
    /// - Parameters:
    ///   - fields: the fields, in addition to those of surrounding calls.
    ///   - isolation: the caller's actor.
    ///   - calls: the operations.
    public static func withHeaders<Value, Failure: Error>(
        _ fields: HTTPFields, isolation: isolated (any Actor)? = #isolation,
        _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await with({ $0.headers.replace(fields) }, isolation: isolation, calls)
    }

    /// Runs calls with a priority, which orders requests while an API's limits delay some.
    ///
    /// ```swift
    /// try await API.withPriority(.background) { try await repository.$issues.fetch(pages: .all()) }
    /// ```
    ///
    /// Without this, requests are urgent, except in tasks with the priority `.utility` or `.background`.
    public static func withPriority<Value, Failure: Error>(
        _ priority: RequestPriority, isolation: isolated (any Actor)? = #isolation,
        _ calls: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await with({ $0.priority = priority }, isolation: isolation, calls)
    }

    /// Runs calls, and returns their result together with the heads of their responses.
    ///
    /// ```swift
    /// let (user, responses) = try await API.responding { try await User.fetch(key: 7, in: context) }
    /// print(responses.last?.headerFields[.eTag] ?? "no ETag")
    /// ```
    ///
    /// Each request, also for a further page, adds one head, in the order of the responses. Calls that share a request
    /// have its response each. A 304 is included. A call that uses only the store has none. You get the newest
    /// thousand.
    ///
    /// - Throws: the error of `calls`, with the failed response in ``APIError/reply``.
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
    /// The URL after redirects. Its query may contain secrets.
    public let url: String
    /// The request, without secrets.
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
    /// The request without secrets, and the status.
    public var description: String { "\(request) → \(status.code)" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension HTTPFields {
    mutating func replace(_ fields: HTTPFields) {
        for field in fields { self[field.name] = nil }
        append(contentsOf: fields)
    }
}
