import Foundation
public import HTTPTypes
public import RestfulData
import Synchronization

extension StubTransport {
    /// Some requests and their replies. Each reply is used once, in order.
    ///
    /// ```swift
    /// let clock = TestClock()
    /// let stub = StubTransport(clock: clock, [
    ///     .on(.get, "/issues/:number", replies: .status(503), .json(#"{"number": 7}"#)),
    ///     .on(.post, "/issues", body: ["title": "Crash"], replies: .status(201).delayed(by: .seconds(2))),
    ///     .on(.get, "/users/:login", replies: .json(#"{"id": 1}"#)).always,
    /// ])
    /// ```
    public struct Stub: Sendable {
        /// The method and path: `GET /issues/:number`.
        public let line: String
        private let isMeant: @Sendable (APIRequest, [UInt8]) -> Bool
        fileprivate let replies: [Reply]
        fileprivate var isEndless = false

        /// Creates a stub for requests that match all given parts.
        ///
        /// - Parameters:
        ///   - path: The path in the URL. A name stands for any segment: `/issues/:number`. Parameters after a question
        ///     mark are required. An invalid template matches no request.
        ///   - query: Required parameters, unescaped.
        ///   - headerFields: Required fields.
        ///   - body: The body as JSON; nil for any body, or none.
        public static func on(
            _ method: HTTPRequest.Method, _ path: String, query: [String: String] = [:],
            headerFields: [HTTPField.Name: String] = [:], body: JSONValue? = nil, replies: Reply...
        ) -> Stub {
            let pattern = (try? RouteTemplate(path)).map { RoutePattern($0, isSegmented: true) }
            let query = query.merging(parameters(in: path)) { own, _ in own }
            return Stub(line: "\(method.rawValue) \(path)", replies: replies) { request, bytes in
                let incoming = TestServer.Request(request, body: bytes, below: "")
                return method == request.method && pattern?.matches(incoming.path).isEmpty == false
                    && query.allSatisfy { incoming.query[$0.key] == $0.value }
                    && headerFields.allSatisfy { request.headerFields[$0.key] == $0.value }
                    && (body == nil || incoming.json == body)
            }
        }

        /// The parameters with a value in a template's query: `["page": "2"]` for `/issues?page=2`.
        private static func parameters(in path: String) -> [String: String] {
            let items = URLComponents(string: path)?.queryItems ?? []
            let parameters = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
            return parameters.filter { !$0.value.hasPrefix(":") }
        }

        /// Creates a stub for requests that a closure selects.
        ///
        /// - Parameter line: The name of the stub in messages.
        public init(line: String, replies: [Reply], when isMeant: @escaping @Sendable (APIRequest) -> Bool) {
            self.init(line: line, replies: replies) { request, _ in isMeant(request) }
        }

        private init(
            line: String, replies: [Reply], isMeant: @escaping @Sendable (APIRequest, [UInt8]) -> Bool
        ) {
            (self.line, self.replies, self.isMeant) = (line, replies, isMeant)
        }

        /// This stub, with its last reply repeated for all further requests.
        public var always: Stub {
            var stub = self
            stub.isEndless = true
            return stub
        }

        fileprivate func matches(_ request: APIRequest, _ body: [UInt8]) -> Bool { isMeant(request, body) }
    }

    /// Creates a transport that replies with the first stub that matches a request and has replies left.
    ///
    /// Any other request fails with ``TransportError/Reason/other(_:)``, which lists the stubs. At the end of a test,
    /// expect ``unusedStubs`` to be empty.
    ///
    /// - Parameter clock: The clock of delayed replies, which are an error unless you set it.
    public convenience init(clock: TestClock? = nil, _ stubs: [Stub]) {
        let table = StubTable(stubs)
        self.init(table: table) { request throws(TransportError) in
            let reply = try table.reply(to: request, body: try await request.stubBody())
            try await reply.waitForDelay(by: clock, request)
            return reply
        }
    }
}

/// The stubs of a transport, and the number of their used replies.
final class StubTable: Sendable {
    private let stubs: [StubTransport.Stub]
    private let used: Mutex<[Int]>

    init(_ stubs: [StubTransport.Stub]) {
        self.stubs = stubs
        used = Mutex(stubs.map { _ in 0 })
    }

    func reply(to request: APIRequest, body: [UInt8]) throws(TransportError) -> StubTransport.Reply {
        let matching = stubs.indices.filter { stubs[$0].matches(request, body) }
        let reply = used.withLock { used -> StubTransport.Reply? in
            for index in matching {
                let (replies, count) = (stubs[index].replies, used[index])
                guard count < replies.count || stubs[index].isEndless, let last = replies.last else { continue }
                used[index] += 1
                return count < replies.count ? replies[count] : last
            }
            return nil
        }
        if let reply { return reply }
        let text =
            matching.isEmpty
            ? "the stub has no reply to \(request.lineWithBody); it has \(list)"
            : "the stub's replies to \(stubs[matching[0]].line) are used up, and \(request.line) came once more; "
                + "give it another reply, or `.always`"
        throw TransportError(.other(text), request)
    }

    private var list: String { stubs.isEmpty ? "none at all" : stubs.map(\.line).joined(separator: ", ") }

    var unused: [String] {
        used.withLock { used in
            stubs.indices.compactMap { index in
                let left = stubs[index].replies.count - used[index]
                guard left > 0, !(stubs[index].isEndless && used[index] > 0) else { return nil }
                return used[index] == 0 ? stubs[index].line : "\(stubs[index].line) (\(left) more)"
            }
        }
    }
}

extension StubTransport.Reply {
    /// Waits until a clock has advanced by the delay.
    func waitForDelay(by clock: TestClock?, _ request: APIRequest) async throws(TransportError) {
        guard let delay else { return }
        guard let clock else {
            let problem = "the stub's reply to \(request.line) is delayed, and the stub has no clock to move"
            throw TransportError(.other("\(problem); give it one: StubTransport(clock: clock, [.on(…)])"), request)
        }
        do { try await clock.sleep(for: delay) } catch { throw TransportError(.cancelled, request) }
    }
}

extension APIRequest {
    fileprivate func stubBody() async throws(TransportError) -> [UInt8] {
        guard let body else { return [] }
        do { return try await body.readAll() } catch {
            throw TransportError(.unreadableBody("\(type(of: error))"), self)
        }
    }
}
