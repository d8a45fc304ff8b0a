public import HTTPTypes
public import RestfulData
import Synchronization

/// A transport that answers from a closure and remembers what it was asked: for tests of code that uses the library.
///
/// ```swift
/// let stub = StubTransport { request in .json(#"{"id": 1, "login": "octocat"}"#) }
/// let store = try Store(.temporary, models: [User.self], api: API("https://api.example.com", transport: stub))
/// ```
public final class StubTransport: Transport {
    /// What the stub answers.
    public struct Reply: Sendable {
        public var status: Int
        public var headerFields: HTTPFields
        public var body: [UInt8]

        public init(status: Int, headerFields: HTTPFields = [:], body: [UInt8] = []) {
            self.status = status
            self.headerFields = headerFields
            self.body = body
        }

        /// A reply with JSON.
        public static func json(_ text: String, status: Int = 200, headerFields: HTTPFields = [:]) -> Reply {
            var fields = headerFields
            fields[.contentType] = "application/json"
            return Reply(status: status, headerFields: fields, body: Array(text.utf8))
        }

        /// A reply without a body.
        public static func status(_ status: Int) -> Reply { Reply(status: status) }
    }

    private let answer: @Sendable (Request) async throws(TransportError) -> Reply
    private let sent = Mutex<[Request]>([])

    public init(_ answer: @escaping @Sendable (Request) async throws(TransportError) -> Reply) {
        self.answer = answer
    }

    /// The requests so far, in their order.
    public var requests: [Request] { sent.withLock { $0 } }

    public func send(_ request: Request) async throws(TransportError) -> Response {
        sent.withLock { $0.append(request) }
        let reply = try await answer(request)
        let head = HTTPResponse(status: HTTPResponse.Status(code: reply.status), headerFields: reply.headerFields)
        return Response(head, body: reply.body, to: request)
    }
}
