import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// A caller's values fill the names of a template and a query as they are: literals, variables, dates, UUIDs.
@MainActor @Suite struct RouteValueTests {
    enum Phase: String, RouteValueConvertible { case open, closed }

    private let moment = Date(timeIntervalSince1970: 1_700_000_000)
    private let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private func service(_ values: ValueFormats? = nil) throws -> Service {
        try Service(values: values, stub: StubTransport { _ in .json("[]") })
    }

    @Test func `Values of any type fill placeholders in a path`() async throws {
        let service = try service()
        let (login, number, part) = ("ada", 5, "a/b".dropFirst(2))
        _ = try await Post.fetchAll(
            "/:login/:number/:part/:uuid/:day/:phase/:isOn/:share",
            [
                "login": login, "number": number, "part": part, "uuid": uuid, "day": moment, "phase": Phase.open,
                "isOn": true, "share": 0.5,
            ], in: service.main)
        #expect(
            service.stub.log == [
                "GET /ada/5/b/01020304-0506-0708-090A-0B0C0D0E0F10/2023-11-14T22:13:20Z/open/true/0.5"
            ])
    }

    @Test func `A date in a query has the API's format`() async throws {
        let service = try service(ValueFormats(dates: .epochSeconds))
        _ = try await Post.fetchAll(query: ["since": moment], in: service.main)
        #expect(service.stub.log == ["GET /posts?since=1700000000"])
    }

    @Test func `A query is built from literals, variables, dictionaries or pairs`() async throws {
        let service = try service()
        let (page, label): (Int, String?) = (2, nil)
        _ = try await Post.fetchAll(query: ["state": "open", "page": page, "label": label], in: service.main)
        let filters = ["b": "2", "a": "1"]
        _ = try await Post.fetchAll(query: RouteQuery(filters), in: service.main)
        let mixed: [String: any RouteValueConvertible] = ["b": 2, "a": Phase.closed]
        var query = RouteQuery(mixed)
        for label in ["x", "y"] { query.append("labels[]", label) }
        _ = try await Post.fetchAll(query: query, in: service.main)
        let values = ["id": "5"]
        _ = try await Post.fetchAll("/posts/:id/related", values, query: ["id": 1, "id": 2], in: service.main)
        #expect(
            service.stub.log == [
                "GET /posts?state=open&page=2", "GET /posts?a=1&b=2",
                "GET /posts?a=closed&b=2&labels%5B%5D=x&labels%5B%5D=y",
                "GET /posts/5/related?id=1&id=2",
            ])
    }

    private nonisolated static let textless: [any RouteValueConvertible] = [
        Double.nan, -Double.infinity, Float.infinity, Decimal.nan, Date(timeIntervalSince1970: 1e12),
        Double?.some(.nan),
    ]

    @Test(arguments: textless)
    func `A query value without a text throws`(
        _ value: any RouteValueConvertible
    ) async throws {
        let service = try service()
        let main = service.main
        let author = try await service.imported(Author.self, #"{"id":1}"#)
        let calls: [() async throws(APIError) -> Void] = [
            { () async throws(APIError) in _ = try await Post.fetchAll(query: ["below": value], in: main) },
            { () async throws(APIError) in _ = try await author.$posts.fetch(query: ["below": value]) },
            { () async throws(APIError) in _ = try await Post.fetchAll("/posts/:below", ["below": value], in: main) },
        ]
        for call in calls {
            await #expect {
                try await call()
            } throws: { error in
                if case .route = error as? APIError { "\(error)".contains("below") } else { false }
            }
        }
        #expect(service.stub.log == [])
        let error = #expect(throws: StoreError.self) {
            try Store(.temporary, models: Blog.models, api: API("https://example.com", query: ["below": value]))
        }
        #expect(error?.description.contains("its `query:` is wrong: The query's \"below\" is ") == true)
    }
}
