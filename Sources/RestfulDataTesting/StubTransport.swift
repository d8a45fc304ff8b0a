public import HTTPTypes
public import RestfulData
import Synchronization

/// A transport that answers from memory and remembers what it was asked: for tests of code that uses the library.
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
/// Middleware is passed as on the way to a real server: what is remembered is what would have gone out, credentials
/// included. Nothing is waited for and no redirect is followed, unless the closure does so.
public final class StubTransport: Transport {
    /// What the stub answers.
    public struct Reply: Sendable {
        /// The reply's status code.
        public var status: Int
        /// The reply's header fields.
        public var headerFields: HTTPFields
        /// The reply's body.
        public var body: [UInt8]
        /// How far the stub's clock must move before the reply comes; nil for at once. A closure's reply comes at once.
        public var delay: Duration?

        /// A reply with any status, header fields and body.
        public init(status: Int, headerFields: HTTPFields = [:], body: [UInt8] = []) {
            self.status = status
            self.headerFields = headerFields
            self.body = body
        }

        /// A reply with JSON, or with text that says that it is.
        public static func json(_ text: String, status: Int = 200, headerFields: HTTPFields = [:]) -> Reply {
            var fields = headerFields
            fields[.contentType] = "application/json"
            return Reply(status: status, headerFields: fields, body: Array(text.utf8))
        }

        /// A reply with server-sent events: `"id: 1\ndata: {…}\n\n"`. A stream takes it for a connection that ends, and
        /// connects again after the time that `retry: 0` says; `.status(204)` ends it.
        public static func events(_ text: String, headerFields: HTTPFields = [:]) -> Reply {
            var fields = headerFields
            fields[.contentType] = "text/event-stream"
            return Reply(status: 200, headerFields: fields, body: Array(text.utf8))
        }

        /// This reply, delivered once the stub's clock has moved so far.
        public func delayed(by delay: Duration) -> Reply {
            var reply = self
            reply.delay = delay
            return reply
        }

        /// A reply without a body.
        public static func status(_ status: Int, headerFields: HTTPFields = [:]) -> Reply {
            Reply(status: status, headerFields: headerFields)
        }
    }

    private let answer: @Sendable (APIRequest) async throws(TransportError) -> Reply
    private let table: StubTable?
    private let sent = Mutex<[APIRequest]>([])

    /// Answers with what a closure returns, whenever it does.
    ///
    /// - Parameter answer: gets each request as it would go out. It throws a ``TransportError`` for a connection that
    ///   fails: `throw TransportError(.connectionLost, request)`.
    public convenience init(_ answer: @escaping @Sendable (APIRequest) async throws(TransportError) -> Reply) {
        self.init(table: nil, answer)
    }

    init(table: StubTable?, _ answer: @escaping @Sendable (APIRequest) async throws(TransportError) -> Reply) {
        (self.table, self.answer) = (table, answer)
    }

    /// Answers each request from a table.
    ///
    /// - Parameter replies: by method, and path with query as in ``log``: `"GET /users?page=2"`. What is not in it
    ///   fails with ``TransportError/Reason/other(_:)``, which names it.
    public convenience init(_ replies: [String: Reply]) {
        let table = StubTable(
            replies.sorted { $0.key < $1.key }.map { line, reply in
                Stub(line: line, replies: [reply]) { $0.line == line }.always
            })
        self.init(table: table) { request throws(TransportError) in
            guard replies[request.line] != nil else {
                throw TransportError(.other("the stub has no reply to \(request.line)"), request)
            }
            return try table.reply(to: request, body: [])
        }
    }

    /// The stubs, or lines of the table, with replies that nobody has asked for: `GET /users/:login`, or `GET
    /// /users/:login (1 more)` where one of two was. Empty for a stub that is a closure.
    public var unusedStubs: [String] { table?.unused ?? [] }

    /// The requests so far, in their order.
    public var requests: [APIRequest] { sent.withLock { $0 } }

    /// A line for each request so far: the method, path and query, and the body if there is one; of a file or stream
    /// its length: `PUT /films/7 <file, 1000 bytes>`.
    public var log: [String] { requests.map(\.lineWithBody) }

    /// Forgets the requests so far.
    public func forgetRequests() { sent.withLock { $0 = [] } }

    /// Answers the request from the table or the closure, and keeps it.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        sent.withLock { $0.append(request) }
        let reply = try await answer(request)
        return try reply.response(to: request, of: "the stub")
    }
}

extension StubTransport.Reply {
    /// The reply as a transport gives it.
    ///
    /// - Parameter server: whose reply it is, in words.
    /// - Throws: ``TransportError/Reason/other(_:)`` for a status that is none.
    func response(to request: APIRequest, of server: String) throws(TransportError) -> APIResponse {
        guard 100...999 ~= status else {
            let problem = "\(server)'s reply to \(request.line) has the status \(status); a status is 100 to 999"
            throw TransportError(.other(problem), request)
        }
        let head = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: headerFields)
        return APIResponse(head, body: body, to: request)
    }
}
