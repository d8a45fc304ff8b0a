import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// A TCP server that sends a test's exact bytes, be it HTTP or not.
final class RawServer: Sendable {
    enum Step: Sendable {
        case send(String)
        case sendBytes([UInt8])
        /// Waits until the client closes the connection, and notes that it did.
        case waitForClose
        /// Reads the head of another request on the same connection.
        case readRequest
        /// Waits as long as the test wants.
        case await(@Sendable () async -> Void)
        /// Reads nothing more, and keeps the connection until the server ends.
        case readNoMore
    }

    /// The request heads that came, in order.
    var requests: [String] { seen.withLock(\.requests) }

    /// How many steps of all requests are done.
    var stepsDone: Int { seen.withLock(\.stepsDone) }

    private struct Seen {
        var requests: [String] = []
        var stepsDone = 0
        var arrived: [CheckedContinuation<Void, Never>] = []
        var closed = 0
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private let seen = Mutex(Seen())
    private let script: @Sendable (_ request: Int) -> [Step]

    private init(_ script: @escaping @Sendable (_ request: Int) -> [Step]) { self.script = script }

    /// Runs a server on a free loopback port for the length of `body`.
    ///
    /// - Parameters:
    ///   - script: The answer to each request, counted from 0; afterwards the connection is closed.
    ///   - body: Gets the server and its base URL without a slash.
    static func run<Result>(
        _ script: @escaping @Sendable (_ request: Int) -> [Step],
        _ body: (_ server: RawServer, _ base: String) async throws -> Result
    ) async throws -> Result {
        let server = RawServer(script)
        let pool = HTTPServer.defaultPool()
        try await pool.prepare()
        let socket = try Socket(domain: Int32(AF_INET))
        try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
        try socket.listen()
        guard case .ip4(_, let port) = try socket.sockname() else { throw NoPort() }
        let listener = try AsyncSocket(socket: socket, pool: pool)
        let running = Task { try await pool.run() }
        let serving = Task { try await server.serve(listener) }
        defer {
            serving.cancel()
            running.cancel()
            try? listener.close()
        }
        return try await body(server, "http://127.0.0.1:\(port)")
    }

    /// Waits until the first request has come.
    func waitForRequest() async {
        await withCheckedContinuation { continuation in
            let isHere = seen.withLock { seen in
                if seen.requests.isEmpty { seen.arrived.append(continuation) }
                return !seen.requests.isEmpty
            }
            if isHere { continuation.resume() }
        }
    }

    /// Waits until the client has closed a connection in a `waitForClose` step.
    func waitForClose() async {
        await withCheckedContinuation { continuation in
            let isClosed = seen.withLock { seen in
                if seen.closed == 0 { seen.closing.append(continuation) }
                return seen.closed > 0
            }
            if isClosed { continuation.resume() }
        }
    }

    private func serve(_ listener: AsyncSocket) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for try await client in listener.sockets {
                group.addTask {
                    try? await self.answer(client)
                    try? client.close()
                }
            }
        }
    }

    private func answer(_ client: AsyncSocket) async throws {
        let number = try await readRequest(client)
        for step in script(number) {
            switch step {
            case .send(let text): try await client.write(Data(text.utf8))
            case .sendBytes(let bytes): try await client.write(Data(bytes))
            case .waitForClose:
                while (try? await client.read()) != nil {}
                for continuation in noteClose() { continuation.resume() }
            case .readRequest: _ = try await readRequest(client)
            case .await(let wait): await wait()
            case .readNoMore:
                for await _ in AsyncStream<Never>.makeStream().stream {}
            }
            seen.withLock { $0.stepsDone += 1 }
        }
    }

    /// - Returns: The request's number.
    private func readRequest(_ client: AsyncSocket) async throws -> Int {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head.append(try await client.read()) }
        let (number, arrived) = note(String(decoding: head, as: UTF8.self))
        for continuation in arrived { continuation.resume() }
        return number
    }

    private func note(_ head: String) -> (number: Int, arrived: [CheckedContinuation<Void, Never>]) {
        seen.withLock { seen in
            seen.requests.append(head)
            defer { seen.arrived = [] }
            return (seen.requests.count - 1, seen.arrived)
        }
    }

    private func noteClose() -> [CheckedContinuation<Void, Never>] {
        seen.withLock { seen in
            seen.closed += 1
            defer { seen.closing = [] }
            return seen.closing
        }
    }
}
