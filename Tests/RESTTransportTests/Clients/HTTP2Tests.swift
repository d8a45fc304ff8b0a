#if !canImport(Darwin)
    import Foundation
    import HTTPTypes
    import NIOHTTP2
    import RESTTransport
    import TestSupport
    import Testing

    /// Requests by HTTP/2, to a server over TLS that negotiates it.
    @Suite struct HTTP2Tests {
        @Test func `An untrusted certificate is an error without paths of the build machine`()
            async throws
        {
            try await HTTP2Server.run { _, _ in
                [.head("204", ends: true)]
            } _: { _, base in
                let error = await failure { () async throws(TransportError) -> APIResponse in
                    try await HTTPTransport(connectTimeout: patience).send(
                        APIRequest(.get, base + "/", timeout: patience))
                }
                guard case .tls(let why) = error?.reason else {
                    Issue.record("unexpected: \(String(describing: error))")
                    return
                }
                #expect(
                    why.contains("CERTIFICATE_VERIFY_FAILED") && !why.contains("/") && !why.contains(".cc"), "\(why)")
            }
        }

        /// The transport's result for a server's answer to a GET.
        struct Case: Sendable, CustomTestStringConvertible {
            enum Ending: Sendable, Equatable {
                case reply(Int, String = "")
                case lost, malformed, timedOut
            }

            let name: String
            let steps: [HTTP2Server.Step]
            let ending: Ending
            var method = HTTPRequest.Method.get

            var testDescription: String { name }
        }

        static let cases: [Case] = [
            Case(name: "200 with a body", steps: [.head("200"), .data("ok", ends: true)], ending: .reply(200, "ok")),
            Case(name: "200 without a body", steps: [.head("200", ends: true)], ending: .reply(200)),
            Case(
                name: "200 that ends after its body", steps: [.head("200"), .data("ok"), .data("", ends: true)],
                ending: .reply(200, "ok")),
            Case(name: "204", steps: [.head("204", ends: true)], ending: .reply(204)),
            Case(
                name: "304 with validators",
                steps: [.head("304", [("etag", "\"x\""), ("content-length", "120")], ends: true)], ending: .reply(304)),
            Case(
                name: "HEAD of a long body", steps: [.head("200", [("content-length", "120")], ends: true)],
                ending: .reply(200), method: .head),
            Case(name: "503", steps: [.head("503"), .data("busy", ends: true)], ending: .reply(503, "busy")),
            Case(
                name: "trailers", steps: [.head("200"), .data("ok"), .head(nil, [("x-sum", "1")], ends: true)],
                ending: .reply(200, "ok")),
            Case(
                name: "trailers that don't end",
                steps: [.head("200"), .data("ok"), .frame(type: 1, flags: 4, [0, 1, 97, 1, 98])],
                ending: .malformed),
            Case(
                name: "early hints",
                steps: [.head("103", [("link", "</a>; rel=preload")]), .head("200"), .data("ok", ends: true)],
                ending: .reply(200, "ok")),
            Case(
                name: "100, 102 and 103", steps: [.head("100"), .head("102"), .head("103"), .head("204", ends: true)],
                ending: .reply(204)),
            Case(name: "early hints that end", steps: [.head("103", ends: true)], ending: .malformed),
            Case(
                name: "a body after early hints", steps: [.head("103"), .frame(type: 0, flags: 1, [65])],
                ending: .lost),
            Case(
                name: "101 and another head", steps: [.head("101"), .head("200"), .data("ok", ends: true)],
                ending: .malformed),
            Case(
                name: "content-length right",
                steps: [.head("200", [("content-length", "6")]), .data("one"), .data("two", ends: true)],
                ending: .reply(200, "onetwo")),
            Case(
                name: "content-length too short",
                steps: [.head("200", [("content-length", "4")]), .data("one"), .data("two", ends: true)],
                ending: .malformed),
            Case(
                name: "content-length too long",
                steps: [.head("200", [("content-length", "9")]), .data("one"), .data("two", ends: true)],
                ending: .malformed),
            Case(
                name: "content-length too long, ended by trailers",
                steps: [.head("200", [("content-length", "9")]), .data("one"), .head(nil, [("a", "b")], ends: true)],
                ending: .malformed),
            Case(
                name: "content-length not a number", steps: [.head("200", [("content-length", "x")], ends: true)],
                ending: .malformed),
            Case(
                name: "content-length negative", steps: [.head("200", [("content-length", "-1")], ends: true)],
                ending: .malformed),
            Case(
                name: "connection: close", steps: [.head("200", [("connection", "close")], ends: true)],
                ending: .malformed),
            Case(
                name: "a line's end in a field", steps: [.head("200", [("x", "a\r\nb: c")], ends: true)],
                ending: .malformed),
            Case(
                name: "a field's name with a space", steps: [.head("200", [("a b", "c")], ends: true)],
                ending: .malformed),
            Case(name: "no status", steps: [.head(nil, [("a", "b")], ends: true)], ending: .malformed),
            Case(name: "an empty status", steps: [.head("", ends: true)], ending: .malformed),
            Case(name: "a status of letters", steps: [.head("ok", ends: true)], ending: .malformed),
            Case(name: "a negative status", steps: [.head("-1", ends: true)], ending: .malformed),
            Case(name: "status 99", steps: [.head("99", ends: true)], ending: .malformed),
            Case(name: "status 099", steps: [.head("099", ends: true)], ending: .malformed),
            Case(name: "status 1 and another head", steps: [.head("1"), .head("200", ends: true)], ending: .malformed),
            Case(
                name: "status 1000 and another head", steps: [.head("1000"), .head("200", ends: true)],
                ending: .malformed),
            Case(
                name: "a status too large for any number",
                steps: [.head(String(repeating: "9", count: 30), ends: true)],
                ending: .malformed),
            Case(name: "a status with a sign", steps: [.head("+200", ends: true)], ending: .malformed),
            Case(name: "a status with a space", steps: [.head("200 ", ends: true)], ending: .malformed),
            Case(name: "status 999", steps: [.head("999", ends: true)], ending: .reply(999)),
            Case(
                name: "GOAWAY before the reply", steps: [.goAway(answersThis: true), .head("204", ends: true)],
                ending: .reply(204)),
            Case(
                name: "GOAWAY within the reply",
                steps: [.head("200"), .data("o"), .goAway(answersThis: true), .data("k", ends: true)],
                ending: .reply(200, "ok")),
            Case(name: "GOAWAY instead of a reply", steps: [.goAway(answersThis: false)], ending: .lost),
            Case(
                name: "GOAWAY, then the end", steps: [.goAway(answersThis: true), .close(isClean: true)], ending: .lost),
            Case(name: "REFUSED_STREAM", steps: [.reset(.refusedStream)], ending: .lost),
            Case(name: "CANCEL", steps: [.reset(.cancel)], ending: .lost),
            Case(name: "NO_ERROR before the reply", steps: [.reset(.noError)], ending: .lost),
            Case(name: "PROTOCOL_ERROR", steps: [.reset(.protocolError)], ending: .malformed),
            Case(
                name: "INTERNAL_ERROR within the body", steps: [.head("200"), .data("o"), .reset(.internalError)],
                ending: .lost),
            Case(name: "CANCEL within the body", steps: [.head("200"), .data("o"), .reset(.cancel)], ending: .lost),
            Case(name: "NO_ERROR within the body", steps: [.head("200"), .data("o"), .reset(.noError)], ending: .lost),
            Case(name: "closed instead of a reply", steps: [.close(isClean: true)], ending: .lost),
            Case(
                name: "closed within the body", steps: [.head("200"), .data("o"), .close(isClean: true)], ending: .lost),
            Case(
                name: "closed within the body of known length",
                steps: [.head("200", [("content-length", "2")]), .data("o"), .close(isClean: true)], ending: .lost),
            Case(name: "cut instead of a reply", steps: [.close(isClean: false)], ending: .lost),
            Case(
                name: "cut within the body", steps: [.head("200"), .data("o"), .close(isClean: false)], ending: .lost),
            Case(
                name: "a body before its head", steps: [.frame(type: 0, flags: 1, [65])], ending: .lost),
            Case(
                name: "settings that can't be", steps: [.frame(type: 4, isOfConnection: true, [1])],
                ending: .lost),
            Case(
                name: "a head that isn't compressed", steps: [.frame(type: 1, flags: 5, [255, 255, 255, 255])],
                ending: .lost),
            Case(
                name: "a window that overflows",
                steps: [.frame(type: 8, isOfConnection: true, [127, 255, 255, 255])], ending: .lost),
            Case(
                name: "a frame of an unknown type", steps: [.frame(type: 99, [1]), .head("204", ends: true)],
                ending: .reply(204)),
            Case(name: "a push", steps: [.frame(type: 5, flags: 4, [0, 0, 0, 2, 0x82])], ending: .lost),
        ]

        @Test(arguments: cases)
        func `A reply over HTTP 2 has one outcome, and the next request is answered`(_ row: Case) async throws {
            try await HTTP2Server.run { _, request in
                request.path == "/next" ? [.head("200"), .data("next", ends: true)] : row.steps
            } _: { server, base in
                let transport = try Self.transport()
                await Self.expect(row.ending, of: row.method, base + "/", by: transport)
                let retrying = try Self.retrying(transport, base)
                await Self.expect(.reply(200, "next"), base + "/next", by: retrying)
                #expect(server.seen.requests.allSatisfy { $0.authority == base.dropFirst("https://".count) })
            }
        }

        static func transport() throws -> HTTPTransport {
            var options = ConnectionOptions()
            options.timeout = patience
            options.tls.trustedCertificates = LoopbackCertificate.certificate
            return try HTTPTransport(connecting: options)
        }

        /// Through the middleware that soon repeats lost requests: the client may not have noticed yet that a
        /// connection has just ended.
        static func retrying(_ transport: HTTPTransport, _ base: String) throws -> TransportChain {
            TransportChain(api: try #require(URL(string: base)), transport: transport) {
                Retry(attempts: 10, firstDelay: .milliseconds(5))
            }
        }

        static func ending(
            of method: HTTPRequest.Method = .get, _ url: String, body: [UInt8]? = nil, timeout: Duration = patience,
            by transport: some Transport
        ) async -> Case.Ending? {
            do throws(TransportError) {
                let reply = try await transport.send(
                    APIRequest(method, url, body: body.map { .bytes($0) }, timeout: timeout))
                return .reply(reply.status.code, String(decoding: reply.body, as: UTF8.self))
            } catch {
                switch error.reason {
                case .connectionLost: return .lost
                case .malformedResponse: return .malformed
                case .timedOut: return .timedOut
                default:
                    Issue.record("\(error)")
                    return nil
                }
            }
        }

        static func expect(
            _ expected: Case.Ending, of method: HTTPRequest.Method = .get, _ url: String, body: [UInt8]? = nil,
            by transport: some Transport, at location: SourceLocation = #_sourceLocation
        ) async {
            let ending = await ending(of: method, url, body: body, by: transport)
            #expect(ending == expected, sourceLocation: location)
        }

        @Test func `Header fields of request and reply are sent over HTTP 2`() async throws {
            try await HTTP2Server.run { _, _ in
                [.head("304", [("etag", "\"2\""), ("last-modified", "Sun, 06 Nov 1994 08:49:37 GMT")], ends: true)]
            } _: { server, base in
                let reply = try await Self.transport().send(
                    APIRequest(.get, base + "/a?b=c%20d", headerFields: [.ifNoneMatch: "\"1\""]))
                #expect(reply.headerFields[.eTag] == "\"2\"")
                #expect(reply.headerFields[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
                let request = try #require(server.seen.requests.first)
                #expect(request.method == "GET" && request.path == "/a?b=c%20d")
                #expect(request.fields["if-none-match"] == "\"1\"")
            }
        }

        @Test func `A body in many HTTP 2 frames is joined`() async throws {
            let parts = (0..<100).map { String(repeating: "\($0 % 10)", count: 40_000) }
            try await HTTP2Server.run { _, _ in
                [.head("200")] + parts.map { .data($0) } + [.data("", ends: true)]
            } _: { _, base in
                let reply = try await Self.transport().send(APIRequest(.get, base + "/", timeout: patience))
                // Not `==`: a failure would print the difference, whose computation takes hours.
                #expect(reply.body.elementsEqual(parts.joined().utf8))
            }
        }

        @Test func `A body of many megabytes is sent whole over HTTP 2`() async throws {
            let body = Array(repeating: UInt8(ascii: "x"), count: 10 << 20)
            try await HTTP2Server.run { _, request in
                [.head("201"), .data("\(request.bodyLength)", ends: true)]
            } _: { _, base in
                let reply = try await Self.transport().send(
                    APIRequest(.post, base + "/", body: .bytes(body), timeout: patience))
                #expect(String(decoding: reply.body, as: UTF8.self) == "\(body.count)")
            }
        }

        @Test(arguments: ["200", "413"], [false, true])
        func `An early HTTP 2 reply is returned, and its stream is free for others`(
            status: String, isReset: Bool
        ) async throws {
            let body = Array(repeating: UInt8(ascii: "x"), count: 1 << 20)
            try await HTTP2Server.run(HTTP2Server.Manner(streams: 2, answersHeads: true)) { _, _ in
                [.head(status), .data("early", ends: true)] + (isReset ? [.reset(.noError)] : [])
            } _: { server, base in
                let transport = try Self.transport()
                for _ in 0..<5 {
                    let reply = try await transport.send(APIRequest(.put, base + "/", body: .bytes(body)))
                    #expect(reply.status.code == Int(status))
                    #expect(reply.body.elementsEqual("early".utf8))
                }
                #expect(server.seen.connections == 1)
            }
        }

        @Test func `A refused HTTP 2 stream is opened again for a GET, not for a POST`() async throws {
            try await HTTP2Server.run { number, request in
                number < 2 ? [.reset(.refusedStream)] : [.head("200"), .data(request.method, ends: true)]
            } _: { server, base in
                let chain = try Self.retrying(Self.transport(), base)
                await Self.expect(.reply(200, "GET"), base + "/", by: chain)
                #expect(server.seen.requests.count == 3)
            }
            try await HTTP2Server.run { _, _ in
                [.reset(.refusedStream)]
            } _: { server, base in
                let chain = try Self.retrying(Self.transport(), base)
                await Self.expect(.lost, of: .post, base + "/", body: [65], by: chain)
                #expect(server.seen.requests.count == 1)
            }
        }

        @Test func `A GET is sent again when its connection was cut within the body`() async throws {
            try await HTTP2Server.run { number, _ in
                number < 2
                    ? [.head("200"), .data("o"), .close(isClean: false)] : [.head("200"), .data("ok", ends: true)]
            } _: { server, base in
                let chain = try Self.retrying(Self.transport(), base)
                await Self.expect(.reply(200, "ok"), base + "/", by: chain)
                #expect(server.seen.connections == 3)
            }
        }

        @Test func `A GOAWAY after each reply loses no GET and cancels none`() async throws {
            try await HTTP2Server.run { _, _ in
                [.head("200"), .data("ok", ends: true), .goAway(answersThis: true)]
            } _: { _, base in
                let transport = try Self.transport()
                for _ in 0..<100 {
                    let chain = try Self.retrying(transport, base)
                    await Self.expect(.reply(200, "ok"), base + "/", by: chain)
                }
            }
        }

        @Test func `A hundred concurrent requests share a connection of five streams`() async throws {
            try await HTTP2Server.run(HTTP2Server.Manner(streams: 5)) { number, request in
                // All five streams are open before one of them is answered.
                (number == 0 ? [] : [.waitForOthers(5)]) + [.head("200"), .data(request.path, ends: true)]
            } _: { server, base in
                let transport = try Self.transport()
                await Self.expect(.reply(200, "/"), base + "/", by: transport)
                await withTaskGroup(of: Bool.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            await Self.ending(base + "/\(number)", timeout: patience, by: transport)
                                == .reply(200, "/\(number)")
                        }
                    }
                    for await isRight in group { #expect(isRight) }
                }
                #expect(server.seen.mostOpen == 5)
                #expect(server.seen.connections == 1)
            }
        }

        @Test func `A cancelled request frees its HTTP 2 stream, and the others continue`() async throws {
            try await HTTP2Server.run(HTTP2Server.Manner(streams: 5)) { _, request in
                switch request.path {
                case "/first": [.head("204", ends: true)]
                case "/cancelled": [.head("200"), .data("half")]
                default: [.head("200"), .waitForReset, .data("ok", ends: true)]
                }
            } _: { server, base in
                let transport = try Self.transport()
                await Self.expect(.reply(204), base + "/first", by: transport)
                let cancelled = Task {
                    await failure { () async throws(TransportError) -> APIResponse in
                        try await transport.send(APIRequest(.get, base + "/cancelled", timeout: patience))
                    }
                }
                let others = (0..<4).map { number in
                    Task {
                        await Self.ending(base + "/\(number)", timeout: patience, by: transport)
                    }
                }
                await server.wait { $0.requests.count == 6 }
                cancelled.cancel()
                #expect(await cancelled.value?.reason == .cancelled)
                for other in others { #expect(await other.value == .reply(200, "ok")) }
                #expect(server.seen.resets == [.cancel])
                #expect(server.seen.connections == 1)
            }
        }

        @Test func `A redirect to another authority is followed without credentials`() async throws {
            try await HTTP2Server.run { _, request in
                [.head("200"), .data(request.fields["authorization"] ?? "none", ends: true)]
            } _: { target, targetBase in
                try await HTTP2Server.run { _, _ in
                    [.head("307", [("location", targetBase + "/new")], ends: true)]
                } _: { _, base in
                    let reply = try await Self.transport().send(
                        APIRequest(
                            .put, base + "/old", headerFields: [.authorization: "secret"], body: .bytes([65, 66])))
                    #expect(reply.body.elementsEqual("none".utf8))
                    #expect(reply.url.absoluteString == targetBase + "/new")
                    let request = try #require(target.seen.requests.first)
                    #expect(request.method == "PUT" && request.bodyLength == 2)
                    #expect(request.authority == targetBase.dropFirst("https://".count))
                }
            }
        }

        @Test(
            arguments: [
                // Nothing; GOAWAY; bytes that aren't HTTP/2.
                [],
                [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8),
            ] as [[UInt8]])
        func `An HTTP 2 server that doesn't begin with its settings is an error`(opening: [UInt8]) async throws {
            try await HTTP2Server.run(HTTP2Server.Manner(opening: opening)) { _, _ in
                []
            } _: { _, base in
                let transport = try Self.transport()
                let error = await failure { () async throws(TransportError) -> APIResponse in
                    try await transport.send(APIRequest(.get, base + "/"))
                }
                switch error?.reason {
                case .connectionFailed, .connectionLost, .malformedResponse: break
                default: Issue.record("\(String(describing: error))")
                }
            }
        }

        @Test func `A reply that breaks the protocol ends no other one on its connection`() async throws {
            try await HTTP2Server.run { _, request in
                request.path == "/bad"
                    ? [.head("200", [("content-length", "1")]), .data("two")]
                    : [.head("200"), .waitForReset, .data("ok", ends: true)]
            } _: { server, base in
                let transport = try Self.transport()
                let good = Task { await Self.ending(base + "/", timeout: patience, by: transport) }
                await server.wait { $0.requests.count == 1 }
                await Self.expect(.malformed, base + "/bad", by: transport)
                #expect(await good.value == .reply(200, "ok"))
                #expect(server.seen.connections == 1 && server.seen.resets == [.protocolError])
            }
        }

        @Test func `A self-signed certificate is an error`() async throws {
            try await HTTP2Server.run { _, _ in
                [.head("204", ends: true)]
            } _: { server, base in
                let error = await failure { () async throws(TransportError) -> APIResponse in
                    try await HTTPTransport(connectTimeout: patience).send(APIRequest(.get, base + "/"))
                }
                guard case .tls = error?.reason else {
                    Issue.record("\(String(describing: error))")
                    return
                }
                #expect(server.seen.requests.isEmpty)
            }
        }
    }
#endif
