#if !canImport(Darwin)
    import HTTPTypes
    import RESTTransport
    import TestSupport
    import Testing

    /// Connections that are kept, and that the server closes.
    @Suite struct ReusedConnectionTests {
        private static let answer = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        @Test func `A GET is sent again if its reused connection ends before the reply`() async throws {
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
        func `A POST on a reused connection, or a GET on a new one, is not sent again`(_ isPost: Bool) async throws {
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

        @Test func `A GET is not sent again if the reply on its reused connection breaks off`() async throws {
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
