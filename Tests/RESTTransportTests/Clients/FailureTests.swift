import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// The end of every transport whose reply is missing or incomplete.
@Suite struct FailureTests {
    @Test(arguments: TransportKind.allCases)
    func `A request to a server that never answers ends at the timeout, with its connection`(kind: TransportKind)
        async throws
    {
        try await RawServer.run { _ in
            [.waitForClose]
        } _: { server, base in
            try await expectTimeouts(of: kind, server, at: base)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A request whose reply never ends ends at the timeout, with its connection`(kind: TransportKind) async throws {
        try await RawServer.run { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .waitForClose]
        } _: { server, base in
            try await expectTimeouts(of: kind, server, at: base)
        }
    }

    /// Sends requests that end at their timeout, each with a longer one, until one of them has come to the server
    /// before that; and waits until the server has seen the connection closed.
    private func expectTimeouts(of kind: TransportKind, _ server: RawServer, at base: String) async throws {
        var limit = Duration.milliseconds(150)
        repeat {
            let timeout = limit
            let error = await failure { () async throws(TransportError) -> APIResponse in
                try await kind.make().send(APIRequest(.get, base + "/", timeout: timeout))
            }
            #expect(error?.reason == .timedOut(after: timeout))
            limit *= 2
        } while server.requests.isEmpty && limit < patience
        await server.waitForClose()
    }

    @Test(arguments: TransportKind.allCases, ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"])
    func `A cancelled task ends its request`(kind: TransportKind, sent: String) async throws {
        try await RawServer.run { _ in
            [.send(sent), .waitForClose]
        } _: { server, base in
            let sending = Task {
                await failure { () async throws(TransportError) -> APIResponse in
                    try await kind.make().send(APIRequest(.get, base + "/"))
                }
            }
            await server.waitForRequest()
            sending.cancel()
            #expect(await sending.value?.reason == .cancelled)
            await server.waitForClose()
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A task cancelled beforehand sends nothing`(kind: TransportKind) async throws {
        try await RawServer.run { _ in
            [.waitForClose]
        } _: { server, base in
            let sending = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await failure { () async throws(TransportError) -> APIResponse in
                    try await kind.make().send(APIRequest(.get, base + "/"))
                }
            }
            #expect(await sending.value?.reason == .cancelled)
            #expect(server.requests == [])
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A refused connection is reported at once`(kind: TransportKind) async throws {
        let base = try await RawServer.run { _ in
            []
        } _: { _, base in
            base
        }
        let port = try SilentPort(of: base)
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await kind.make().send(APIRequest(.get, base + "/x?token=hidden"))
        }
        extendLifetime(port)
        #expect(error?.reason == .connectionRefused)
        #expect(error?.request.description == "GET \(base)/x?token=REDACTED")
        #expect(error?.isTransient == true)
    }

    @Test(arguments: TransportKind.allCases)
    func `A host that does not exist is a failed connection`(kind: TransportKind) async throws {
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await kind.make().send(APIRequest(.get, "http://no-such-host.invalid/", timeout: patience))
        }
        guard case .connectionFailed = error?.reason else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        ])
    func `A connection closed early is reported as lost`(kind: TransportKind, sent: String) async throws {
        try await RawServer.run { _ in
            [.send(sent)]
        } _: { _, base in
            let error = await failure { () async throws(TransportError) -> APIResponse in
                try await kind.make().send(APIRequest(.get, base + "/"))
            }
            #expect(error?.reason == .connectionLost)
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "SSH-2.0-OpenSSH_9.2p1\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n",
            "HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\n{}", "HTTP/1.1 000 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "HTTP/1.1 200 OK\r\nNo colon here\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello",
            LongText("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 200_000) + "\r\n\r\n"),
        ] as [LongText])
    func `A reply that is not HTTP is malformed`(kind: TransportKind, sent: LongText) async throws {
        try await RawServer.run { _ in
            [.send(sent.text), .waitForClose]
        } _: { _, base in
            let error = await failure { () async throws(TransportError) -> APIResponse in
                try await kind.make().send(APIRequest(.get, base + "/", timeout: patience))
            }
            guard case .malformedResponse = error?.reason else {
                Issue.record("unexpected: \(String(describing: error)) for \(sent)")
                return
            }
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A server without TLS is a failed secure connection`(kind: TransportKind) async throws {
        try await withWebServer { _ in
            ServerReply()
        } _: { base in
            let error = await failure { () async throws(TransportError) -> APIResponse in
                let url = base.replacing("http:", with: "https:") + "/"
                return try await kind.make().send(APIRequest(.get, url, timeout: patience))
            }
            guard case .tls(let why) = error?.reason else {
                Issue.record("unexpected: \(String(describing: error))")
                return
            }
            #expect(!why.contains(/\.(cc|c|swift)\b/), "\(why)")
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 1001),
            "HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n",
        ])
    func `A body over the limit is refused while it is received`(kind: TransportKind, sent: String) async throws {
        try await RawServer.run { _ in
            [.send(sent), .waitForClose]
        } _: { server, base in
            let error = await failure { () async throws(TransportError) -> APIResponse in
                try await kind.make(responseLimit: 1000).send(APIRequest(.get, base + "/", timeout: patience))
            }
            #expect(error?.reason == .tooLarge(limit: 1000))
            await server.waitForClose()
        }
    }

    /// A body in chunks. The header fields omit its length.
    private static func chunked(_ sizes: [Int]) -> String {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + sizes.map { "\(String($0, radix: 16))\r\n\(String(repeating: "x", count: $0))\r\n" }.joined()
            + "0\r\n\r\n"
    }

    @Test(
        arguments: TransportKind.allCases, [[400, 400, 201], [1000, 1], [1, 1000], Array(repeating: 1, count: 1001)])
    func `The limit of a body applies to all chunks together`(kind: TransportKind, sizes: [Int]) async throws {
        try await RawServer.run { _ in
            [.send(Self.chunked(sizes)), .waitForClose]
        } _: { _, base in
            let error = await failure { () async throws(TransportError) -> APIResponse in
                try await kind.make(responseLimit: 1000).send(APIRequest(.get, base + "/", timeout: patience))
            }
            #expect(error?.reason == .tooLarge(limit: 1000))
        }
    }

    @Test(arguments: TransportKind.allCases, [[1000], [400, 400, 200]])
    func `Chunks of exactly the limit are accepted`(kind: TransportKind, sizes: [Int]) async throws {
        try await RawServer.run { _ in
            [.send(Self.chunked(sizes)), .waitForClose]
        } _: { _, base in
            let reply = try await kind.make(responseLimit: 1000).send(APIRequest(.get, base + "/", timeout: patience))
            #expect(reply.body == Array(repeating: UInt8(ascii: "x"), count: 1000))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A body of exactly the limit is accepted`(kind: TransportKind) async throws {
        try await withWebServer { _ in
            ServerReply(body: String(repeating: "x", count: 1000))
        } _: { base in
            let reply = try await kind.make(responseLimit: 1000).send(APIRequest(.get, base + "/"))
            #expect(reply.body.count == 1000)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A small body that decompresses to a large one is refused`(kind: TransportKind) async throws {
        // 200,000 zeros in 230 bytes.
        let middle = String(repeating: "A", count: 257)
        let compressed = try ExchangeTests.bytes("H4sIAAAAAAACA+3BMQEAAADCoErrn84M/kAB" + middle + "K8BlH0jNkANAwA=")
        try await RawServer.run { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(compressed.count)\r\n\r\n"
            return [.send(head), .sendBytes(compressed), .waitForClose]
        } _: { _, base in
            let error = await failure { () async throws(TransportError) -> APIResponse in
                try await kind.make(responseLimit: 10_000).send(APIRequest(.get, base + "/", timeout: patience))
            }
            #expect(error?.reason == .tooLarge(limit: 10_000))
        }
    }

    @Test(arguments: [
        "ftp://example.com/", "/relative", "", "http://", "http:///path", "https://user:hidden@example.com/",
        "http://exa mple.com/", "http://example.com:99999/", "mailto:someone@example.com", "http://example.com/ü",
    ])
    func `A URL that can't be requested is an error before any request`(url: String) async throws {
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await HTTPTransport.standard.send(APIRequest(.get, url))
        }
        guard case .invalidURL = error?.reason else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(error?.description.contains("hidden") == false)
    }

    @Test func `A timeout is kept between zero and a year`() throws {
        var request = try APIRequest(.get, "https://example.com/", timeout: .seconds(Int64.max))
        #expect(request.timeout == .seconds(365 * 86_400))
        request.timeout = .seconds(-1)
        #expect(request.timeout == .zero)
    }
}
