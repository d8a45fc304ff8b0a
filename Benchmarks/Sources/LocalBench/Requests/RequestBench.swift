import Foundation
import HTTPTypes
import RestfulData

/// The cost of an API's limits for a request that passes at once, beside idle middleware.
///
/// The chain around them is left out: its deadline costs tens of microseconds, which change from one request to the
/// next.
struct RequestBench {
    private struct Nothing: Middleware {
        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            try await next(request)
        }
    }

    /// The time that the governor may add.
    private static let target = 2.0
    private static let passes = 50_000

    private var times: [(plain: Double, governed: Double)] = []

    mutating func measure(rounds: Int) async throws -> String {
        guard let api = URL(string: "https://api.github.com") else { throw Failure(description: "no URL") }
        let request = APIRequest(
            .get, api.appending(path: "repos/octocat/Hello-World/issues"),
            headerFields: [
                .userAgent: "LocalBench", .accept: "application/vnd.github+json", .ifNoneMatch: "\"0123456789abcdef\"",
                .authorization: "Bearer a-token-of-forty-characters-or-near-to-it",
            ])
        let reply = APIResponse(HTTPResponse(status: .ok, headerFields: Self.fields), to: request)
        for round in 0...rounds {
            // The governor is new in each round, as before its first reply.
            let governor = Governor(.github, api: api)
            let pair = (
                plain: try await Self.time(Nothing(), request, reply),
                governed: try await Self.time(governor, request, reply)
            )
            guard governor.limits["core"]?.limit == 5000 else { throw Failure(description: "it has read nothing") }
            if round > 0 { times.append(pair) }
        }
        return markdown
    }

    /// Microseconds of processor time for each request.
    @concurrent
    private static func time(_ middleware: some Middleware, _ request: APIRequest, _ reply: APIResponse) async throws
        -> Double
    {
        let begin = Program.processorTime
        for _ in 0..<passes {
            _ = try await middleware.intercept(request) { _ async throws(TransportError) in reply }
        }
        return (Program.processorTime - begin) / .microseconds(1) / Double(passes)
    }

    private static var fields: HTTPFields {
        var fields = HTTPFields()
        let all = [
            "Date": "Mon, 23 Nov 2026 12:00:00 GMT", "Content-Type": "application/json; charset=utf-8",
            "Cache-Control": "private, max-age=60, s-maxage=60", "ETag": "\"0123456789abcdef\"", "Server": "github.com",
            "Vary": "Accept, Authorization, Cookie", "X-GitHub-Media-Type": "github.v3; format=json",
            "X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4987", "X-RateLimit-Used": "13",
            "X-RateLimit-Reset": "1795438800", "X-RateLimit-Resource": "core", "X-Frame-Options": "deny",
            "X-Content-Type-Options": "nosniff", "X-GitHub-Request-Id": "A001:00000007",
        ]
        for (name, value) in all.sorted(by: { $0.key < $1.key }) {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        return fields
    }

    private var markdown: String {
        let added = times.map { $0.governed - $0.plain }.sorted()
        let least = added.first ?? 0
        let median = added.isEmpty ? 0 : added[added.count / 2]
        func text(_ number: Double) -> String { String(format: "%.2f", number) }
        return """
            | a request, processor time in µs | without limits | with them | added, median | added, least | aim |
            | --- | ---: | ---: | ---: | ---: | ---: |
            | governed, nothing waits | \(text(times.map(\.plain).min() ?? 0)) | \(text(times.map(\.governed).min() ?? 0)) \
            | \(text(median)) | \(text(least)) | ≤ \(text(Self.target)) |
            """
    }
}
