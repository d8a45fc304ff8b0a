import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// The handling of valid requests and replies by every transport.
@Suite struct ExchangeTests {
    @Test(arguments: TransportKind.allCases, ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func `Method, target, fields and body are received as sent`(kind: TransportKind, method: String) async throws {
        let echo: @Sendable (ServerRequest) -> ServerReply = { request in
            let lines = [request.method, request.target, request.fields["x-test"] ?? "", request.body]
            return ServerReply(status: 201, fields: ["X-Reply": "yes"], body: lines.joined(separator: "\n"))
        }
        try await withWebServer(echo) { base in
            let body = method == "GET" ? nil : Array(#"{"title":"Füße"}"#.utf8)
            let request = try APIRequest(
                try #require(HTTPRequest.Method(method)), base + "/a%2Fb/%E2%9C%93/?q=a%20b%26c&d=+",
                headerFields: [try #require(HTTPField.Name("X-Test")): "one, two"], body: body.map { .bytes($0) })
            let reply = try await kind.make().send(request)
            let expected = [
                method, "/a%2Fb/%E2%9C%93/?q=a%20b%26c&d=+", "one, two", body == nil ? "" : #"{"title":"Füße"}"#,
            ]
            #expect(String(decoding: reply.body, as: UTF8.self).components(separatedBy: "\n") == expected)
            #expect(reply.status == .created)
            #expect(reply.isSuccess)
            #expect(reply.headerFields[try #require(HTTPField.Name("x-reply"))] == "yes")
            #expect(reply.url == request.url)
            #expect(reply.request.url == request.url)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A request without a user agent gets one with a version`(kind: TransportKind) async throws {
        try await withWebServer {
            ServerReply(body: $0.fields["user-agent"] ?? "")
        } _: { base in
            let unnamed = try await kind.make().send(APIRequest(.get, base + "/"))
            #expect(String(decoding: unnamed.body, as: UTF8.self).contains(/\w\/\d/))
            let named = try await kind.make().send(
                APIRequest(.get, base + "/", headerFields: [.userAgent: "Reader/2"]))
            #expect(String(decoding: named.body, as: UTF8.self) == "Reader/2")
        }
    }

    #if !canImport(Darwin)
        @Test func `The default user agent has the version named in the README`() async throws {
            let readme = try String(contentsOf: ProjectFolder.root.appending(path: "README.md"), encoding: .utf8)
            let version = try #require(readme.firstMatch(of: /RestfulData", from: "([0-9.]+)"/)).1
            try await withWebServer {
                ServerReply(body: $0.fields["user-agent"] ?? "")
            } _: { base in
                let reply = try await HTTPTransport.standard.send(APIRequest(.get, base + "/"))
                #expect(String(decoding: reply.body, as: UTF8.self) == "RestfulData/\(version)")
            }
        }
    #endif

    @Test(arguments: TransportKind.allCases)
    func `A body of a megabyte is sent and received`(kind: TransportKind) async throws {
        let text = String(repeating: "0123456789abcdef", count: 1 << 16)
        try await withWebServer {
            ServerReply(body: $0.body)
        } _: { base in
            let reply = try await kind.make(responseLimit: text.utf8.count)
                .send(APIRequest(.post, base + "/", body: .bytes(Array(text.utf8))))
            #expect(reply.status == .ok)
            // Not `==`: a failure would print the difference, whose computation takes hours.
            #expect(reply.body.elementsEqual(text.utf8))
        }
    }

    @Test(
        arguments: TransportKind.allCases,
        [
            ("204 No Content", "GET", ""),
            ("204 No Content", "DELETE", ""),
            ("304 Not Modified", "GET", "ETag: \"x\"\r\n"),
            ("304 Not Modified", "GET", "Content-Length: 120\r\n"),
            ("304 Not Modified", "GET", "Content-Encoding: gzip\r\n"),
            ("204 No Content", "GET", "Content-Encoding: gzip\r\n"),
            ("200 OK", "HEAD", "Content-Length: 120\r\n"),
            ("200 OK", "HEAD", "Content-Length: 9000000\r\nContent-Encoding: gzip\r\n"),
            ("200 OK", "GET", "Content-Length: 0\r\n"),
            ("201 Created", "POST", "Content-Encoding: gzip\r\nContent-Length: 0\r\n"),
            ("200 OK", "GET", "Content-Length: 0\r\nContent-Encoding: deflate\r\n"),
        ])
    func `A reply without a body has an empty one`(
        kind: TransportKind, reply: (status: String, method: String, fields: String)
    ) async throws {
        try await RawServer.run { _ in
            [.send("HTTP/1.1 \(reply.status)\r\n\(reply.fields)Connection: close\r\n\r\n"), .waitForClose]
        } _: { _, base in
            let request = try APIRequest(
                try #require(HTTPRequest.Method(reply.method)), base + "/", timeout: patience)
            let response = try await kind.make().send(request)
            #expect("\(response.status.code)" == reply.status.prefix(3))
            #expect(response.body == [])
        }
    }

    @Test(arguments: TransportKind.allCases, [200, 204, 304, 400, 401, 403, 404, 409, 422, 429, 500, 503])
    func `Every status is a reply, not an error`(kind: TransportKind, status: Int) async throws {
        try await withWebServer { _ in
            ServerReply(status: status)
        } _: { base in
            let reply = try await kind.make().send(APIRequest(.get, base + "/"))
            #expect(reply.status.code == status)
            #expect(reply.isSuccess == (status < 300))
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A compressed body is decompressed, and its fields no longer describe the compressed one`(
        kind: TransportKind
    ) async throws {
        let compressed = try Self.bytes(
            "H4sIAAAAAAACA6tWSi9KTS3JzEtXslLKSM3JyddRSM7PLShKLS5OTVEozy/KSVGqraaiKgBsupD+cgAAAA==")
        try await RawServer.run { _ in
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(compressed.count)\r\n\r\n"
            return [.send(head), .sendBytes(compressed)]
        } _: { server, base in
            let reply = try await kind.make().send(APIRequest(.get, base + "/"))
            let text = String(repeating: #"{"greeting":"hello, compressed world"}"#, count: 3)
            #expect(String(decoding: reply.body, as: UTF8.self) == text)
            #expect(reply.headerFields[.contentEncoding] == nil)
            #expect(reply.headerFields[.contentLength] == nil)
            let accepted = server.requests[0].lowercased().split(separator: "\r\n")
                .first { $0.hasPrefix("accept-encoding:") }
            #expect(accepted?.contains("gzip") == true)
        }
    }

    @Test(arguments: TransportKind.allCases)
    func `A body in chunks is joined`(kind: TransportKind) async throws {
        try await RawServer.run { _ in
            [
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
                .send("4\r\ndefg\r\n0\r\n\r\n"),
            ]
        } _: { _, base in
            let reply = try await kind.make().send(APIRequest(.get, base + "/"))
            #expect(String(decoding: reply.body, as: UTF8.self) == "abcdefg")
        }
    }

    @Test func `Many concurrent requests are all answered`() async throws {
        try await withWebServer {
            ServerReply(body: $0.target)
        } _: { base in
            let transport = TransportKind.client.make()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<50 {
                    group.addTask {
                        let reply = try await transport.send(APIRequest(.get, base + "/\(number)"))
                        return String(decoding: reply.body, as: UTF8.self) == "/\(number)"
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    static func bytes(_ base64: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: base64))) }
}
