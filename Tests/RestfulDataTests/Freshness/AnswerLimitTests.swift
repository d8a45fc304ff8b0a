import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// How many answers are kept.
@MainActor @Suite struct AnswerLimitTests {
    private func answerCount(_ store: Store) throws -> Int? {
        try store.main.rows("SELECT count(*) FROM _answer").first?[0, as: Int.self]
    }

    /// The provider of a token that is another each time that the service is asked.
    private struct Rotating: Middleware {
        let token: Box<Int>

        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            var request = request
            request.headerFields[.authorization] = "Bearer \(token.value)"
            return try await next(request)
        }
    }

    @Test func `Of answers to one question under many tokens, the newest eight are kept`() async throws {
        let token = Box(0)
        let newsstand = Newsstand(["/posts": #"[{"id": 1, "title": "one"}]"#])
        let subscriber = try Subscriber(newsstand) { Rotating(token: token) }
        func fetch(_ number: Int) async throws -> [String] {
            token.value = number
            newsstand.clock.value += 3600
            _ = try await Post.fetchAll(in: subscriber.main)
            return subscriber.log()
        }
        for number in 1...30 {
            #expect(try await fetch(number) == ["GET /posts"])
            // An answer that is fetched again and again stays, however old the first one is.
            if number > 1 { #expect(try await fetch(1) == ["GET /posts ?tag"]) }
            // A confirmation is written with the next write.
            _ = try await subscriber.store.main.import(Author.self, from: Data("{\"id\": \(number)}".utf8))
        }
        #expect(try await fetch(24) == ["GET /posts ?tag"])
        #expect(try answerCount(subscriber.store) == 8)
        #expect(try await fetch(2) == ["GET /posts"])
    }

    @Test func `Of answers that vary by a header field, the newest eight are kept`() async throws {
        let newsstand = Newsstand(["/posts": "[]"])
        newsstand.fields.value["/posts"] = [.vary: "Accept-Language"]
        let subscriber = try Subscriber(newsstand)
        for number in 1...20 {
            newsstand.clock.value += 1
            try await API.withHeaders([.acceptLanguage: "x-\(number)"]) {
                _ = try await Post.fetchAll(in: subscriber.main)
            }
        }
        #expect(try answerCount(subscriber.store) == 8)
    }
}
