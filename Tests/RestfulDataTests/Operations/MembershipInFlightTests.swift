import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A member's link is set while a request about the list that leads back is on its way: the user's word is the last.
@MainActor @Suite struct MembershipInFlightTests {
    private let held = HeldTransport()
    private let store: Store
    private let owner: Author
    private let other: Author

    init() async throws {
        store = try Store.held(by: held)
        owner = try await store.imported(Author.self, #"{"id": 7, "name": "Ada"}"#)
        other = try await store.imported(Author.self, #"{"id": 8}"#)
    }

    /// Sets a link to another author, and back to what it was.
    private func setBack(_ post: Post, isSaved: Bool) async throws {
        let former = post.author
        post.author = other
        if isSaved { try await store.main.save() }
        post.author = former
        if isSaved { try await store.main.save() }
    }

    private func check(_ post: Post, is author: Author?, isSaved: Bool) async throws {
        #expect(post.author === author && post.unsentProperties == ["author"])
        #expect(post.changedProperties == (isSaved ? [] : ["author"]))
        #expect(owner.posts.contains { $0 === post } == (author === owner) && other.posts.isEmpty)
        let sending = Task { try await post.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await sending.value
        #expect(held.bodies.last == #"{"author_id":\#(author == nil ? "null" : "7")}"#)
        #expect(post.author === author && post.unsentProperties.isEmpty && !store.main.hasChanges)
    }

    @Test(arguments: [false, true]) func `Of one that is created as a member`(_ isSaved: Bool) async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let adding = Task { [owner] in try await owner.$posts.add(post) }
        await held.wait(for: 1)
        try await setBack(post, isSaved: isSaved)
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        try await adding.value
        try await check(post, is: nil, isSaved: isSaved)
    }

    @Test(arguments: [false, true]) func `Of one that is linked`(_ isSaved: Bool) async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        let adding = Task { [owner] in try await owner.$posts.add(post) }
        await held.wait(for: 1)
        try await setBack(post, isSaved: isSaved)
        held.answer(0, .json(#"{"id": 5, "title": "A", "author": {"id": 7}}"#))
        try await adding.value
        try await check(post, is: nil, isSaved: isSaved)
    }

    @Test(arguments: [false, true]) func `Of one that is removed`(_ isSaved: Bool) async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A", "author": {"id": 7}}"#)
        let removing = Task { [owner] in try await owner.$posts.delete(post) }
        await held.wait(for: 1)
        try await setBack(post, isSaved: isSaved)
        held.answer(0, .status(204))
        try await removing.value
        try await check(post, is: owner, isSaved: isSaved)
    }

    @Test func `What was sent before and not answered is in doubt still`() async throws {
        let file = try TemporaryFile()
        let api = API("https://api.example.com", transport: held)
        let store = try Store(.file(URL(filePath: file.path)), models: Blog.models, api: api)
        let owner = try await store.imported(Author.self, #"{"id": 7}"#)
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "A"
        try await store.main.save()
        let sending = Task { try await post.save() }
        await held.wait(for: 1)
        held.answer(0, .status(500))
        #expect(await failure { try await sending.value } != nil)
        let adding = Task { try await owner.$posts.add(post) }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await adding.value
        let copy = try file.copy()
        let later = try Store(.file(URL(filePath: copy.path)), models: Blog.models, api: api)
        let same = try #require(try later.main.find(Post.self, 5))
        same.title = "Old"
        try await later.main.save()
        #expect(same.author?.identifier == 7 && same.unsentProperties == ["title"])
    }

    @Test func `What is left alone follows the list`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        for isMember in [true, false] {
            let changing = Task { [owner] in
                if isMember { try await owner.$posts.add(post) } else { try await owner.$posts.delete(post) }
            }
            let index = isMember ? 0 : 1
            await held.wait(for: index + 1)
            post.title = "B"
            post.title = "A"
            held.answer(index, .status(204))
            try await changing.value
            #expect(post.author === (isMember ? owner : nil) && !post.hasChanges && post.unsentProperties.isEmpty)
        }
        // Once it is answered, what the link already is is no edit.
        post.author = other
        post.author = nil
        #expect(!post.hasChanges)
    }
}
