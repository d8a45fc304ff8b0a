public import HTTPTypes
public import RestfulData
import Synchronization

/// A transport that replies from memory and records its requests, for tests of code that uses the library.
///
/// ```swift
/// @Test @MainActor func closingSendsTheStateAlone() async throws {
///     let stub = StubTransport([
///         "GET /users/octocat": .json(#"{"id": 1, "login": "octocat"}"#),
///         "PATCH /users/octocat": .status(204),
///     ])
///     let api = API("https://api.example.com", transport: stub)
///     let store = try Store(.temporary, models: [User.self], api: api)
///     let octocat = try await User.fetch("/users/:login", ["login": "octocat"], in: store.main)
///     octocat.name = "The Octocat"
///     try await octocat.save()
///     #expect(stub.log == ["GET /users/octocat", #"PATCH /users/octocat {"name":"The Octocat"}"#])
/// }
/// ```
///
/// Recorded requests have passed the middleware. The stub replies at once, and returns redirects.
public final class StubTransport: Transport {
    /// A reply of the stub.
    public struct Reply: Sendable {
        /// The reply's status code.
        public var status: Int
        /// The reply's header fields.
        public var headerFields: HTTPFields
        /// The reply's body.
        public var body: [UInt8]
        /// The time that the stub's clock (``StubTransport/init(clock:_:)``) must advance before the reply is
        /// delivered; nil for none. Replies of a closure are delivered at once.
        public var delay: Duration?

        /// Creates a reply with any status, header fields and body.
        public init(status: Int, headerFields: HTTPFields = [:], body: [UInt8] = []) {
            self.status = status
            self.headerFields = headerFields
            self.body = body
        }

        /// Creates a reply with any text, of the type `application/json`, unless the header fields have one.
        public static func json(_ text: String, status: Int = 200, headerFields: HTTPFields = [:]) -> Reply {
            var fields = headerFields
            fields[.contentType] = fields[.contentType] ?? "application/json"
            return Reply(status: status, headerFields: fields, body: Array(text.utf8))
        }

        /// A reply with server-sent events: `"id: 1\ndata: {…}\n\n"`. A stream connects again after the time in
        /// `retry: 0`, and ends with `.status(204)`.
        public static func events(_ text: String, headerFields: HTTPFields = [:]) -> Reply {
            var fields = headerFields
            fields[.contentType] = fields[.contentType] ?? "text/event-stream"
            return Reply(status: 200, headerFields: fields, body: Array(text.utf8))
        }

        /// This reply, delivered after the stub's clock has advanced by a duration.
        public func delayed(by delay: Duration) -> Reply {
            var reply = self
            reply.delay = delay
            return reply
        }

        /// Creates a reply with an empty body.
        public static func status(_ status: Int, headerFields: HTTPFields = [:]) -> Reply {
            Reply(status: status, headerFields: headerFields)
        }
    }

    private let answer: @Sendable (APIRequest) async throws(TransportError) -> Reply
    private let table: StubTable?
    private let sent = Mutex<[APIRequest]>([])

    /// Creates a transport that replies with a closure's results.
    ///
    /// - Parameter answer: Receives each request as it would be sent. It may throw:
    ///   `throw TransportError(.connectionLost, request)`.
    public convenience init(_ answer: @escaping @Sendable (APIRequest) async throws(TransportError) -> Reply) {
        self.init(table: nil, answer)
    }

    init(table: StubTable?, _ answer: @escaping @Sendable (APIRequest) async throws(TransportError) -> Reply) {
        (self.table, self.answer) = (table, answer)
    }

    /// Creates a transport that replies from a table.
    ///
    /// - Parameter replies: Replies by method, and path with query: `"GET /users?page=2"`. Any other request fails with
    ///   ``TransportError/Reason/other(_:)``.
    public convenience init(_ replies: [String: Reply]) {
        let table = StubTable(
            replies.sorted { $0.key < $1.key }.map { line, reply in
                Stub(line: line, replies: [reply]) { $0.line == line }.always
            })
        self.init(table: table) { request throws(TransportError) in
            guard replies[request.line] != nil else {
                throw TransportError(.other("the stub has no reply to \(request.line)"), request)
            }
            let reply = try table.reply(to: request, body: [])
            try await reply.waitForDelay(by: nil, request)
            return reply
        }
    }

    /// The stubs or table lines with unused replies: `GET /users/:login`, or `GET /users/:login (1 more)` if some were
    /// used. Empty for a closure.
    public var unusedStubs: [String] { table?.unused ?? [] }

    /// The requests so far, in order.
    public var requests: [APIRequest] { sent.withLock { $0 } }

    /// The requests so far with their bodies, or the length of a file or stream: `PUT /films/7 <file, 1000 bytes>`.
    public var log: [String] { requests.map(\.lineWithBody) }

    /// Removes all recorded requests.
    public func forgetRequests() { sent.withLock { $0 = [] } }

    /// Records the request, and replies from the table or the closure.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        sent.withLock { $0.append(request) }
        let reply = try await answer(request)
        return try reply.response(to: request, of: "the stub")
    }
}

extension StubTransport.Reply {
    /// Converts the reply for a transport.
    ///
    /// - Parameter server: The name of the sender in messages.
    /// - Throws: ``TransportError/Reason/other(_:)`` for a status outside 100 to 999.
    func response(to request: APIRequest, of server: String) throws(TransportError) -> APIResponse {
        guard 100...999 ~= status else {
            let problem = "\(server)'s reply to \(request.line) has the status \(status); a status is 100 to 999"
            throw TransportError(.other(problem), request)
        }
        let head = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: headerFields)
        return APIResponse(head, body: body, to: request)
    }
}
