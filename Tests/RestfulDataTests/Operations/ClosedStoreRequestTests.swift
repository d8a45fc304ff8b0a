import RestfulData
import RestfulDataTesting
import Testing

/// Requests of a closed store: none is sent, and each throws the reason.
@MainActor @Suite struct ClosedStoreRequestTests {
    @Test(arguments: [
        "save", "create", "delete", "fetch", "fetchAll", "fetch(key:)", "list", "add", "remove", "link", "pages",
    ])
    func `A request of a closed store isn't sent and throws`(_ call: String) async throws {
        let service = try Service()
        let post = try await service.imported(
            Post.self, #"{"id": 5, "title": "Old", "author": {"id": 7, "name": "Ada"}}"#)
        let author = try #require(post.author)
        let main = service.main
        let new = Post(in: main)
        new.title = "New"
        service.store.close()
        post.title = "Edited"
        let error = await failure {
            switch call {
            case "save": try await post.save()
            case "create": try await new.create()
            case "delete": try await post.delete()
            case "fetch": try await post.fetch()
            case "fetchAll": _ = try await Post.fetchAll(in: main)
            case "fetch(key:)": _ = try await Post.fetch(key: 5, in: main)
            case "list": _ = try await author.$posts.fetch()
            case "add": try await author.$posts.add(new)
            case "remove": try await author.$posts.delete(post)
            case "link": _ = try await post.$author.fetch()
            default: _ = try await author.$posts.pages().first()
            }
        }
        guard case .store(.closedStore(let unsaved))? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        let edited = ["save", "delete", "fetch", "link"].contains(call) ? [#"Post 5 "Edited""#] : []
        #expect(unsaved == (call == "create" ? [#"new Post "New""#] : edited))
        #expect(service.stub.log.isEmpty)
        #expect(post.title == "Edited" && new.title == "New")
    }

    @Test func `Edits that a server took after the store was closed aren't reported as unsaved`() async throws {
        let held = HeldTransport()
        let store = try Store(.temporary, models: Blog.models, api: API("https://api.example.com", transport: held))
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        (post.title, post.text) = ("A", nil)
        let sending = Task { try await post.save() }
        await held.wait(for: 1)
        store.close()
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#))
        try await sending.value
        #expect(post.title == "A")
        do {
            try await store.main.save()
            Testing.Issue.record("the save succeeded")
        } catch StoreError.closedStore(let unsaved) {
            #expect(unsaved == [])
        }
    }
}
