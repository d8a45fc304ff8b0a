import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Replies that report an error: their kind, their words, and the properties that they are about.
@MainActor @Suite struct ReplyErrorTests {
    private func error(
        _ status: Int, _ body: String = "", _ fields: HTTPFields = [:], models: [any Model.Type] = Blog.models
    ) async throws -> ReplyError {
        let service = try Service(
            models, stub: StubTransport { _ in .init(status: status, headerFields: fields, body: Array(body.utf8)) })
        let post = Post(in: service.main)
        return try #require(await failure { try await post.create() }?.reply)
    }

    @Test(
        arguments: [
            (301, .other), (400, .other), (401, .unauthorized), (402, .other), (403, .forbidden), (404, .notFound),
            (405, .other), (409, .conflict), (410, .notFound), (412, .conflict), (415, .other), (418, .other),
            (422, .validation), (429, .rateLimited), (500, .server), (501, .server), (502, .server), (503, .server),
            (504, .server), (599, .server), (600, .other),
        ] as [(Int, ReplyError.Kind)])
    func `Each status has its kind of error`(_ status: Int, _ kind: ReplyError.Kind) async throws {
        let error = try await error(status)
        #expect(error.kind == kind && error.status == status)
        #expect(error.description.hasPrefix("POST https://api.example.com/posts: \(status)"))
        #expect(error.message == nil && error.code == nil && error.fields.isEmpty && error.objectErrors.isEmpty)
        #expect(error.retryAfter == nil && error.body.isEmpty)
    }

    @Test func `An error's description is one line with message and fields`() async throws {
        let error = try await error(
            422, #"{"message": "Validation Failed", "errors": [{"field": "title", "code": "missing_field"}]}"#)
        #expect(
            error.description == "POST https://api.example.com/posts: 422 Validation Failed (title: missing_field)")
        #expect(try await self.error(404).description == "POST https://api.example.com/posts: 404 not found")
    }

    @Test(
        arguments: [
            "", "<html><body>502</body></html>", "{", "[]", "null", "\"text\"", "{\"errors\": 7}", "{\"message\": {}}",
            "{\"errors\": [7, null, {}]}", LongText(repeating: "[", count: 100_000), "\u{0}",
        ] as [LongText])
    func `An error with any body is described shortly`(_ body: LongText) async throws {
        let error = try await error(502, body.text)
        #expect(error.kind == .server)
        #expect(error.description.count < 300)
    }

    @Test func `A server's message is shortened`() async throws {
        let error = try await error(500, "{\"message\": \"\(String(repeating: "x", count: 10_000))\"}")
        #expect(error.message?.count == 200)
    }

    // MARK: When to try again

    @Test func `A spent limit has the time to retry`() async throws {
        let seconds = try await error(429, "", [.retryAfter: "30"])
        #expect(seconds.kind == .rateLimited && seconds.retryAfter == .seconds(30))
        #expect(seconds.description.hasSuffix("; try again in 30 s"))
        let forbidden = try await error(
            403, "",
            [
                .init("X-RateLimit-Remaining")!: "0", .init("X-RateLimit-Reset")!: "100",
                .date: "Thu, 01 Jan 1970 00:00:40 GMT",
            ])
        #expect(forbidden.kind == .rateLimited && forbidden.retryAfter == .seconds(60))
        #expect(try await error(503, "", [.retryAfter: "5"]).retryAfter == .seconds(5))
    }

    @Test func `A secondary rate limit is recognized, and other 403 replies aren't`() async throws {
        let left: HTTPFields = [.init("X-RateLimit-Remaining")!: "4987", .init("X-RateLimit-Reset")!: "100"]
        let message =
            #"{"message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}"#
        let secondary = try await error(403, message, left)
        #expect(secondary.kind == .rateLimited && secondary.retryAfter == .seconds(60))
        #expect(secondary.description.hasSuffix("before you try again.; try again in 60 s"))
        #expect(try await error(429, message, left).retryAfter == .seconds(60))
        let forbidden = try await error(403, #"{"message": "Resource not accessible by integration"}"#, left)
        #expect(forbidden.kind == .forbidden && forbidden.retryAfter == nil)
        // The last request that was left may be forbidden as any other.
        let spent: HTTPFields = [.init("X-RateLimit-Remaining")!: "0", .init("X-RateLimit-Reset")!: "100"]
        #expect(
            try await error(403, #"{"message": "Must have admin rights to Repository."}"#, spent).kind == .forbidden)
    }

    // MARK: Secrets

    @Test func `No error description shows a secret`() async throws {
        let secrets = ["s3cret", "pa55word", "t0ken", "api-k3y", "c00kie"]
        let replies: [StubTransport.Reply] = [
            .status(401), .json("{", status: 200), .json("[]", status: 200),
            .status(500, headerFields: [.setCookie: "c00kie"]),
        ]
        for reply in replies {
            let stub = StubTransport { _ in reply }
            let api = API("https://api.example.com", transport: stub) {
                BearerToken("t0ken")
                Headers([.init("X-API-Key")!: "api-k3y"], secret: true)
            }
            let store = try Store(.temporary, models: Blog.models, api: api)
            let post = Post(in: store.main)
            post.password = "pa55word"
            let errors = [
                await failure { try await post.create() },
                await failure { _ = try await Post.fetch("/posts", query: ["access_token": "s3cret"], in: store.main) },
                await failure {
                    _ = try await Post.fetch("https://joe:s3cret@example.com/posts?api_key=api-k3y", in: store.main)
                },
            ].compactMap(\.self)
            #expect(errors.count >= 2)
            for error in errors {
                var dumped = ""
                dump(error, to: &dumped)
                let texts = ["\(error)", String(reflecting: error), error.localizedDescription, dumped]
                for secret in secrets {
                    #expect(!texts.contains { $0.contains(secret) }, "\(secret) in \(texts)")
                }
            }
        }
    }
}
