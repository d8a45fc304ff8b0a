import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Requests as commands of curl.
@Suite struct CurlTests {
    private static func request(_ body: RequestBody? = nil) throws -> APIRequest {
        var request = try APIRequest(
            .patch, "https://api.example.com/users/7?access_token=s3cr3t&page=2",
            headerFields: [.authorization: "Bearer s3cr3t", .accept: "a/b"], body: body)
        request.headerFields[HTTPField.Name("X-Key")!] = "s3cr3t"
        request.credentialFields = [HTTPField.Name("X-Key")!]
        return request
    }

    @Test func `A curl command shows secrets only on request`() throws {
        let request = try Self.request(.text("it's s3cr3t", type: "text/plain"))
        #expect(
            request.curlCommand() == """
                curl -X PATCH 'https://api.example.com/users/7?access_token=REDACTED&page=2' -H 'Authorization: REDACTED' \
                -H 'Accept: a/b' -H 'Content-Type: text/plain' -H 'X-Key: REDACTED' --compressed --data-binary '@body'
                """)
        #expect(
            request.curlCommand(showsSecrets: true) == #"""
                curl -X PATCH 'https://api.example.com/users/7?access_token=s3cr3t&page=2' -H 'Authorization: Bearer s3cr3t' \#
                -H 'Accept: a/b' -H 'Content-Type: text/plain' -H 'X-Key: s3cr3t' --compressed --data-raw 'it'\''s s3cr3t'
                """#)
    }

    @Test(arguments: [
        ("X-Shopify-Access-Token", true), ("Private-Token", true), ("X-API-Key", true), ("Cookie", true),
        ("Authorization", true), ("Proxy-Authorization", true), ("X-Session", true), ("User-Agent", false),
        ("Idempotency-Key", false), ("Accept-Language", false), ("X-Page", false),
    ])
    func `A curl command hides the fields whose names are those of credentials`(_ name: String, _ isHidden: Bool) throws
    {
        let field = try #require(HTTPField.Name(name))
        let request = try APIRequest(.get, "https://a.example/b", headerFields: [field: "s3cr3t"])
        #expect(request.curlCommand().contains("-H '\(name): \(isHidden ? "REDACTED" : "s3cr3t")'"))
        #expect(request.curlCommand(showsSecrets: true).contains("-H '\(name): s3cr3t'"))
    }

    @Test(arguments: [
        (RequestBody.bytes([0xFF, 0]), "--data-binary '@body'"),
        (.text("'\u{301}; rm x #", type: "text/plain"), "--data-raw ''\\''\u{301}; rm x #'"),
        (.file(URL(filePath: "/tmp/a b.png")), "--data-binary '@/tmp/a b.png'"),
        (.stream { Pieces([]) }, "--data-binary '@-'"),
        (
            .multipart([
                .field("title", "Sun;set"), .file("photo", URL(filePath: "/tmp/a.png"), filename: "b.png"),
                .data("notes", Data(), filename: "n.txt"),
            ]),
            "--form-string 'title=Sun;set' -F 'photo=@/tmp/a.png;filename=\"b.png\";type=image/png' -F 'notes=@n.txt;type=text/plain'"
        ),
    ])
    func `A curl command sends each kind of body`(_ body: RequestBody, _ options: String) throws {
        #expect(try Self.request(body).curlCommand(showsSecrets: true).hasSuffix(" " + options))
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.get, nil, "curl 'https://a.example/b' --compressed"),
            (.head, nil, "curl --head 'https://a.example/b' --compressed"),
            (
                .get, RequestBody.bytes([1]),
                "curl -X GET 'https://a.example/b' --compressed --data-binary '@body'"
            ),
            (
                .head, RequestBody.bytes([1]),
                "curl -X HEAD 'https://a.example/b' --compressed --data-binary '@body'"
            ),
        ] as [(HTTPRequest.Method, RequestBody?, String)])
    func `A curl command names the method if curl would choose another one`(
        method: HTTPRequest.Method, body: RequestBody?, command: String
    ) throws {
        let request = try APIRequest(method, "https://a.example/b", body: body)
        #expect(request.curlCommand() == command)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "there is no curl"))
    func `A curl command run by a shell sends the same request`() async throws {
        let text = "it's \"quoted\" $HOME `x` \\ \n"
        try await withWebServer { request in
            #expect(request.method == "PUT" && request.body == text && request.target == "/a%20b")
            return ServerReply(status: 200)
        } _: { base in
            let request = try APIRequest(.put, base + "/a%20b", body: .text(text))
            let process = Process()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", request.curlCommand(showsSecrets: true) + " -f -s"]
            #expect(try await process.statusAtExit() == 0)
        }
    }
}
