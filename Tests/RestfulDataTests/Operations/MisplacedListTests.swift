import RestfulData
import RestfulDataTesting
import Testing

/// If the objects are in an envelope that isn't declared, the error names its keys.
@MainActor @Suite struct MisplacedListTests {
    @Test(arguments: [
        (#"{"items": [{"id": 1}], "total": 1}"#, #"; it may be at "items": pass at: "items""#),
        (#"{"items": []}"#, #"; it may be at "items": pass at: "items""#),
        (
            #"{"data": {"rows": [{"id": 1}], "facets": [{"word": "a"}]}}"#,
            #"; it may be at "data.rows": pass at: "data.rows""#
        ),
        (
            #"{"facets": [{"word": "a"}], "odd": [{"number": 1}]}"#,
            #"; it may be at "facets" or "odd": pass at: "facets""#
        ),
        (#"{"@odata.value": [{"id": 1}]}"#, #"; it may be at "@odata\\.value": pass at: "@odata\\.value""#),
        (#"{"errors": [{"code": "x"}]}"#, ""), (#"{"names": ["a"], "count": 3}"#, ""),
        (#"{"a": {"b": {"c": {"d": [{"id": 1}]}}}}"#, ""),
        (#"{"a": [], "b": [], "c": [], "d": [], "e": [], "f": []}"#, ""),
        (#"{"title": "A", "comments": [{"id": 1}]}"#, ""),
    ])
    func `A list in an undeclared envelope throws an error with its key path`(_ body: String, _ hint: String)
        async throws
    {
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let error = await failure { _ = try await Post.fetchAll(in: service.main) }
        #expect(
            error?.description
                == "GET https://api.example.com/posts: the reply holds no Post\(hint); the body: an object "
                + "where a list of Post was expected")
        #expect(try service.main.query(Post.self).count() == 0)
    }

    @Test func `The key path of the error finds the list`() async throws {
        let body = #"{"@odata.count": 1, "@odata.value": [{"id": 1}]}"#
        let service = try Service(stub: StubTransport { _ in .json(body) })
        let error = await failure { _ = try await Post.fetchAll(in: service.main) }
        guard case .noObject("Post", let report, _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        let place = try #require(report.rejected.first?.places.first)
        let posts = try await Post.fetchAll(at: JSONKeyPath(place), in: service.main)
        #expect(posts.map(\.identifier) == [1])
    }

    @Test func `A wrong key path throws an error with the right one`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"items": [{"id": 1}]}"#) })
        let error = await failure { _ = try await Post.fetchAll(at: "itmes", in: service.main) }
        #expect(error?.description.contains(#"it may be at "items": pass at: "items""#) == true, "\(error as Any)")
    }

    @Test func `A relationship's list in an undeclared envelope throws an error with its key path`() async throws {
        let service = try Service(stub: StubTransport { _ in .json(#"{"results": [{"id": 8}]}"#) })
        let author = try await service.imported(Author.self, #"{"id": 7}"#)
        let error = await failure { _ = try await author.$friends.fetch() }
        #expect(error?.description.contains(#"it may be at "results": pass at: "results""#) == true, "\(error as Any)")
        #expect(try await author.$friends.fetch(at: "results").map(\.identifier) == [8])
    }

    @Test func `An object in an undeclared envelope throws an error with its key path`() async throws {
        let service = try Service(
            stub: StubTransport { _ in .json(#"{"result": {"post": {"id": 5}}, "by": {"name": "x"}}"#) })
        let error = await failure { _ = try await Post.fetch("/posts/5", in: service.main) }
        #expect(
            error?.description.contains(#"it may be at "result.post": pass at: "result.post""#) == true,
            "\(error as Any)")
        #expect(try await Post.fetch("/posts/5", at: "result.post", in: service.main).identifier == 5)
    }

    @Test func `A list next to a missing declared envelope is named in the error`() async throws {
        let service = try Service(conventions: .default, stub: StubTransport { _ in .json(#"{"rows": [{"id": 1}]}"#) })
        var conventions = APIConventions.default
        conventions.envelopes = .byName
        let other = try Service(conventions: conventions, stub: service.stub)
        let error = await failure { _ = try await Post.fetchAll(in: other.main) }
        #expect(
            error?.description.hasSuffix(
                #"holds no Post; it may be at "rows": pass at: "rows"; the body: neither "posts" nor anything of a Post"#
            )
                == true, "\(error as Any)")
    }
}
