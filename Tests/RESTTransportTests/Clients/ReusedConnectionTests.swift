#if !canImport(Darwin)
    import HTTPTypes
    import RESTTransport
    import TestSupport
    import Testing

    /// Connections that are kept, and that the server closes.
    @Suite struct ReusedConnectionTests {
        private static let answer = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        @Test func `A GET on a kept connection that ends before the reply is sent again`() async throws {
            try await RawServer.run { number in
                number == 0 ? [Self.answer, .readRequest] : [Self.answer]
            } _: { server, base in
                let transport = HTTPTransport(connectTimeout: patience)
                for _ in 0..<2 {
                    let reply = try await transport.send(APIRequest(.get, base + "/a", timeout: patience))
                    #expect(reply.body == Array("ok".utf8))
                }
                #expect(server.requests.count == 3)
            }
        }

        @Test(arguments: [false, true])
        func `A POST there is not, and neither is a GET on a new connection`(_ isPost: Bool) async throws {
            try await RawServer.run { _ in
                isPost ? [Self.answer, .readRequest] : []
            } _: { server, base in
                let transport = HTTPTransport(connectTimeout: patience)
                if isPost { _ = try await transport.send(APIRequest(.get, base + "/a", timeout: patience)) }
                let error = await #expect(throws: TransportError.self) {
                    _ = try await transport.send(APIRequest(isPost ? .post : .get, base + "/a", timeout: patience))
                }
                #expect(error?.reason == .connectionLost && server.requests.count == (isPost ? 2 : 1))
            }
        }

        @Test func `A reply that breaks off on a kept connection is not asked for again`() async throws {
            let part = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nok")
            try await RawServer.run { _ in
                [Self.answer, .readRequest, part]
            } _: { server, base in
                let transport = HTTPTransport(connectTimeout: patience)
                _ = try await transport.send(APIRequest(.get, base + "/a", timeout: patience))
                let error = await #expect(throws: TransportError.self) {
                    _ = try await transport.send(APIRequest(.get, base + "/a", timeout: patience))
                }
                #expect(error?.reason == .connectionLost && server.requests.count == 2)
            }
        }
    }
#endif
