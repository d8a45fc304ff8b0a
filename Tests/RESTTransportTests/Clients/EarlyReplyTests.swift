import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// A server that replies before it has read the request, and then stops reading.
@Suite struct EarlyReplyTests {
    /// More than the system buffers of an unread request.
    private static let body = [UInt8](repeating: 0x20, count: 16 << 20)

    @Test(arguments: TransportKind.allCases, ["Connection: close\r\n", ""])
    func `A reply sent before the request was read is returned`(kind: TransportKind, fields: String) async throws {
        try await RawServer.run { _ in
            [.send("HTTP/1.1 413 Content Too Large\r\n\(fields)Content-Length: 3\r\n\r\nbig"), .readNoMore]
        } _: { _, base in
            let transport = kind.make()
            for _ in 0..<8 {
                let reply = try await transport.send(
                    APIRequest(.put, base + "/", body: .bytes(Self.body), timeout: patience))
                #expect(reply.status.code == 413)
                #expect(String(decoding: reply.body, as: UTF8.self) == "big")
            }
        }
    }

    @Test(arguments: TransportKind.allCases, ["413 Content Too Large", "201 Created"])
    func `A request after an early reply uses another connection`(kind: TransportKind, status: String) async throws {
        try await RawServer.run { number in
            let head = number == 0 ? status : "200 OK"
            return [.send("HTTP/1.1 \(head)\r\nContent-Length: 2\r\n\r\n{}"), .readNoMore]
        } _: { server, base in
            let transport = kind.make()
            let early = try await transport.send(
                APIRequest(.post, base + "/", body: .bytes(Self.body), timeout: patience))
            #expect("\(early.status.code)" == status.prefix(3))
            let next = try await transport.send(APIRequest(.get, base + "/", timeout: patience))
            #expect(next.status == .ok)
            #expect(server.requests.count == 2)
        }
    }
}
