import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// The output of `print`, `dump` and `String(reflecting:)` for everything that may contain a secret.
@MainActor @Suite struct DescriptionSecrecyTests {
    private static let secret = "s3cr3t"

    /// A middleware of an app's own, which hides nothing.
    private struct Signature: Middleware {
        let key: String

        func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
            var request = request
            request.headerFields[.cookie] = key
            return try await next(request)
        }
    }

    private static func api(_ transport: any Transport) throws -> API {
        let key = try #require(HTTPField.Name("X-API-Key"))
        return API(
            "https://me:s3cr3t@api.example.com/v1", query: ["api_key": secret, "app": secret], transport: transport
        ) {
            BearerToken(secret)
            BasicAuthentication(user: "me", password: secret)
            Headers([key: secret, .cookie: secret], secret: true)
            Signature(key: secret)
            Retry()
        }
    }

    private func texts(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(describing: value), String(reflecting: value), dumped]
    }

    @Test func `Descriptions of public values show no secret`() async throws {
        let link = "<https://api.example.com/v1/posts?page=2&access_token=s3cr3t>; rel=\"next\""
        let fields: HTTPFields = [HTTPField.Name("Link") ?? .via: link, .setCookie: Self.secret]
        let stub = StubTransport { _ in .json(#"[{"id": 1}]"#, headerFields: fields) }
        let api = API("https://api.example.com/v1", query: ["api_key": Self.secret], transport: stub) {
            Signature(key: Self.secret)
        }
        let store = try Store(.temporary, models: Blog.models, api: api)
        let page = try #require(try await Post.pages(in: store.main).first())
        let url = "https://api.example.com/v1/posts?access_token=s3cr3t"
        let request = try APIRequest(
            .post, url, headerFields: [.authorization: Self.secret], body: .bytes(Array("s3cr3t".utf8)))
        let response = APIResponse(
            HTTPResponse(status: .ok, headerFields: fields), body: Array("s3cr3t".utf8), to: request)
        let history = RequestHistory()
        let chain = TransportChain(api: try #require(URL(string: url)), transport: stub) {
            history
            Signature(key: Self.secret)
        }
        _ = try await chain.send(request)
        let template: URLTemplate = "/posts/\(Self.secret)?token=s3cr3t"
        let query: RouteQuery = ["api_key": Self.secret]
        let values: [Any] = [
            api, try Self.api(stub), [try Self.api(stub)], api.query, query,
            request, response, response.links, RequestSummary(request), chain, history, history.entries,
            page, try #require(page.bookmark), Post.pages(from: page.bookmark, in: store.main),
            Post.completeness(in: store.main), template, URLTemplate("https://me:s3cr3t@x/?token=s3cr3t"),
            try RouteTemplate("/x?token=s3cr3t"), RouteProblem.invalidURL(url), APIError.route(.invalidURL(url)),
            RouteTemplateError.malformed(template: url, offset: 1, reason: "x"),
            APIError.route(.template(.missingValue(template: url, name: "x"))),
            TransportError(.connectionLost, request), APIError.transport(TransportError(.cancelled, request)),
            Governor(api: try #require(URL(string: url))), BearerToken(Self.secret), UserAgent("Reader"),
        ]
        for value in values {
            for text in texts(value) {
                #expect(!text.contains(Self.secret), "\(type(of: value)): \(text)")
                #expect(!text.contains("115, 51, 99"), "\(type(of: value)): \(text)")
            }
        }
    }

    @Test func `An API's description is one line with its query names and middleware`() throws {
        let stub = StubTransport { _ in .json("[]") }
        let api = try Self.api(stub)
        let line =
            "API https://api.example.com/v1 (query: api_key, app; middleware: BearerToken, BasicAuthentication, Headers, "
            + "Signature, Retry)"
        #expect("\(api)" == line && String(reflecting: api) == line)
        #expect("\(API("https://api.example.com", transport: stub))" == "API https://api.example.com")
        var dumped = ""
        dump(api, to: &dumped)
        for text in [
            "baseURL: \"https://api.example.com/v1\"", "\"api_key\"", "\"BearerToken\"", "StubTransport", "timeout",
        ] {
            #expect(dumped.contains(text), "\(dumped)")
        }
        #expect(dumped.utf8.count < 2000)
    }

    @Test func `Descriptions of pages, bookmarks and queries show progress but no values`() async throws {
        let stub = StubTransport { _ in
            .json(
                "[{\"id\": 1}, {\"id\": 2}]",
                headerFields: [HTTPField.Name("Link") ?? .via: "</posts?page=2>; rel=next"])
        }
        let service = try Service(stub: stub)
        let page = try #require(try await Post.pages(in: service.main).first())
        let bookmark = try #require(page.bookmark)
        #expect("\(page)" == "ListPage<Post> 1 (2 objects, 2 fetched)" && "\(bookmark)" == "bookmark after 2 objects")
        let query: RouteQuery = ["b": 1, "a": 2]
        #expect("\(query)" == "RouteQuery(b, a)")
        let template: URLTemplate = "/posts/\(5)?q=\("x")"
        #expect("\(template)" == "/posts/:{value 1}?q=:{value 2}")
    }
}
