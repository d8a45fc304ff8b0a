import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// An HTTP server that writes each reply as a test says, and drops the connection afterwards.
final class EventServer: Sendable {
    enum Step: Sendable {
        case send(String)
        /// Waits until the client has closed the connection.
        case waitForClose
    }

    private let script: @Sendable (_ number: Int, _ head: String) -> [Step]
    private let state = Mutex<(heads: [String], closed: Int)>(([], 0))

    private init(_ script: @escaping @Sendable (_ number: Int, _ head: String) -> [Step]) { self.script = script }

    /// The heads of the requests, in their order.
    var heads: [String] { state.withLock(\.heads) }
    /// How many connections the client has closed in a `waitForClose` step.
    var closed: Int { state.withLock(\.closed) }

    /// The values of a field in the requests' heads, by its name in lower case.
    func values(of name: String) -> [String?] {
        heads.map { head in
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("\(name): ") }
                .map { String($0.dropFirst(name.count + 2)) }
        }
    }

    /// Runs a server on a free loopback port for the length of `body`, which gets it and its base URL.
    ///
    /// - Parameter script: The reply to each request, counted from 0.
    static func run(
        _ script: @escaping @Sendable (_ number: Int, _ head: String) -> [Step],
        _ body: (_ server: EventServer, _ base: String) async throws -> Void
    ) async throws {
        let server = EventServer(script)
        let pool = HTTPServer.defaultPool()
        try await pool.prepare()
        let socket = try Socket(domain: Int32(AF_INET))
        try socket.bind(to: .inet(ip4: "127.0.0.1", port: 0))
        try socket.listen()
        guard case .ip4(_, let port) = try socket.sockname() else { throw URLError(.badURL) }
        let listener = try AsyncSocket(socket: socket, pool: pool)
        let running = Task { try await pool.run() }
        let serving = Task { try await server.serve(listener) }
        defer {
            serving.cancel()
            running.cancel()
            try? listener.close()
        }
        try await body(server, "http://127.0.0.1:\(port)")
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
        var bytes: [UInt8] = []
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) { bytes.append(try await client.read()) }
        let head = String(decoding: bytes, as: UTF8.self)
        let number = state.withLock { state in
            state.heads.append(head)
            return state.heads.count - 1
        }
        for step in script(number, head) {
            switch step {
            case .send(let text): try await client.write(Data(text.utf8))
            case .waitForClose:
                while (try? await client.read()) != nil {}
                state.withLock { $0.closed += 1 }
            }
        }
    }
}
