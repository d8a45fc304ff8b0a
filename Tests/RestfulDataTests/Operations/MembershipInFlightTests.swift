import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// A member's link is set while a request about its inverse list is in flight: the user's edit counts.
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

    /// Sets a link to another author, and back to its former value.
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

    @Test(arguments: [false, true]) func `A link set back while its member is created is a pending edit`(
        _ isSaved: Bool
    ) async throws {
        let post = Post(in: store.main)
        post.title = "A"
        let adding = Task { [owner] in try await owner.$posts.add(post) }
        await held.wait(for: 1)
        try await setBack(post, isSaved: isSaved)
        held.answer(0, .json(#"{"id": 5, "title": "A"}"#, status: 201))
        try await adding.value
        try await check(post, is: nil, isSaved: isSaved)
    }

    @Test(arguments: [false, true]) func `A link set back while its member is added is a pending edit`(_ isSaved: Bool)
        async throws
    {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A"}"#)
        let adding = Task { [owner] in try await owner.$posts.add(post) }
        await held.wait(for: 1)
        try await setBack(post, isSaved: isSaved)
        held.answer(0, .json(#"{"id": 5, "title": "A", "author": {"id": 7}}"#))
        try await adding.value
        try await check(post, is: nil, isSaved: isSaved)
    }

    @Test(arguments: [false, true]) func `A link set back while its member is removed is a pending edit`(
        _ isSaved: Bool
    ) async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A", "author": {"id": 7}}"#)
        let removing = Task { [owner] in try await owner.$posts.delete(post) }
        await held.wait(for: 1)
        try await setBack(post, isSaved: isSaved)
        held.answer(0, .status(204))
        try await removing.value
        try await check(post, is: owner, isSaved: isSaved)
    }

    @Test(arguments: [true, false])
    func `A link set to its current value during a membership request is a pending edit`(_ isMember: Bool) async throws
    {
        let post = try await store.imported(
            Post.self, isMember ? #"{"id": 5}"# : #"{"id": 5, "author": {"id": 7}}"#)
        let former = post.author
        let changing = Task { [owner] in
            if isMember { try await owner.$posts.add(post) } else { try await owner.$posts.delete(post) }
        }
        await held.wait(for: 1)
        post.author = former
        held.answer(0, .status(204))
        try await changing.value
        try await check(post, is: former, isSaved: false)
    }

    /// The link is sent, as the server has changed it since.
    @Test(arguments: [true, false]) func `A link set back after a membership request's reply is a pending edit`(
        _ isMember: Bool
    ) async throws {
        let post = try await store.imported(
            Post.self, isMember ? #"{"id": 5}"# : #"{"id": 5, "author": {"id": 7}}"#)
        let former = post.author
        let changing = Task { [owner] in
            if isMember { try await owner.$posts.add(post) } else { try await owner.$posts.delete(post) }
        }
        await held.wait(for: 1)
        post.author = other
        try await store.main.save()
        held.answer(0, .status(204))
        try await changing.value
        #expect(post.author === other)
        post.author = former
        try await store.main.save()
        try await check(post, is: former, isSaved: true)
    }

    @Test func `A link set back while its member is removed from an edited list is a pending edit`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "author": {"id": 7}}"#)
        let another = try await store.imported(Post.self, #"{"id": 6}"#)
        owner.posts.append(another)
        let removing = Task { [owner] in try await owner.$posts.delete(post) }
        await held.wait(for: 1)
        try await setBack(post, isSaved: false)
        held.answer(0, .status(204))
        try await removing.value
        #expect(post.author === owner && Set(owner.posts.compactMap(\.identifier)) == [5, 6])
        #expect(post.changedProperties == ["author"] && another.author === owner)
    }

    @Test(arguments: [true, false]) func `An edit that equals a membership request's outcome is no longer an edit`(
        _ isMember: Bool
    )
        async throws
    {
        let post = try await store.imported(
            Post.self, isMember ? #"{"id": 5}"# : #"{"id": 5, "author": {"id": 7}}"#)
        post.author = isMember ? owner : nil
        let changing = Task { [owner] in
            if isMember { try await owner.$posts.add(post) } else { try await owner.$posts.delete(post) }
        }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await changing.value
        #expect(post.author === (isMember ? owner : nil) && !post.hasChanges && !store.main.hasChanges)
        #expect(post.unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true]) func `A membership request doesn't acknowledge other members' edits`(
        _ isSaved: Bool
    ) async throws {
        let owner = try await store.imported(
            Author.self, #"{"id": 7, "posts": [{"id": 4}, {"id": 5}], "friends": [{"id": 1}, {"id": 2}]}"#)
        let posts = owner.posts
        let joining = try await store.imported(Post.self, #"{"id": 6}"#)
        joining.author = owner
        posts[0].author = nil
        if isSaved { try await store.main.save() }
        let removing = Task { try await owner.$posts.delete(posts[1]) }
        await held.wait(for: 1)
        let unfriending = owner.friends.map { friend in Task { try await owner.$friends.delete(friend) } }
        await held.wait(for: 3)
        // Members imported meanwhile stay.
        _ = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        for index in 0..<3 { held.answer(index, .status(204)) }
        try await removing.value
        for task in unfriending { try await task.value }
        #expect(owner.posts.map(\.identifier) == [6] && owner.friends.map(\.identifier) == [3])
        #expect(joining.unsentProperties == ["author"] && posts[0].unsentProperties == ["author"])
        #expect(posts[1].unsentProperties.isEmpty && posts[1].author == nil)
    }

    @Test func `A removal is stored if its task was cancelled during another request of the owner`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "author": {"id": 7}}"#)
        let fetching = Task { [owner] in try await owner.fetch() }
        await held.wait(for: 1)
        let removing = Task { [owner] in try await owner.$posts.delete(post) }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        await giveWay()
        removing.cancel()
        _ = await removing.result
        #expect(post.author == nil && owner.posts.isEmpty && !post.hasChanges)
        held.answer(0, .json(#"{"id": 7}"#))
        try await fetching.value
    }

    @Test(arguments: [false, true])
    func `A change of a list that is cancelled before its turn leaves no unknown outcome`(_ joins: Bool) async throws {
        let author = joins ? "null" : #"{"id": 7}"#
        let post = try await store.imported(Post.self, #"{"id": 5, "title": "A", "author": \#(author)}"#)
        post.title = "B"
        let saving = Task { try await post.save() }
        await held.wait(for: 1)
        let changing = Task { [owner] in
            await failure {
                if joins { try await owner.$posts.add(post) } else { try await owner.$posts.delete(post) }
            }
        }
        changing.cancel()
        #expect(await changing.value?.isCancellation == true)
        held.answer(0, .status(204))
        try await saving.value
        // With an unknown outcome, the former value would be sent again.
        try await setBack(post, isSaved: true)
        #expect(post.unsentProperties.isEmpty && !store.main.hasChanges && held.log.count == 1)
    }

    /// The URL of a comment has its post, so its link alone can't be sent.
    @Test func `Adding a member overrides an earlier edit of its link`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "comments": [{"number": 1}]}"#)
        let another = try await store.imported(Post.self, #"{"id": 6}"#)
        let remark = post.comments[0]
        remark.post = another
        let adding = Task { try await post.$comments.add(remark) }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await adding.value
        #expect(remark.post === post && post.comments.count == 1 && another.comments.isEmpty && !remark.hasChanges)
    }

    /// A value set back is compared with the server's value of the meantime.
    @Test func `A link set back to a value the server has since changed is a pending edit`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "text": null, "author": null}"#)
        (post.text, post.author) = ("A", other)
        try await store.main.save()
        _ = try await store.imported(Post.self, #"{"id": 5, "text": "X", "author": {"id": 7}}"#)
        #expect(post.text == "A" && post.author === other)
        (post.text, post.author) = (nil, nil)
        try await store.main.save()
        #expect(post.unsentProperties == ["text", "author"])
        (post.text, post.author) = ("X", owner)
        try await store.main.save()
        #expect(post.unsentProperties.isEmpty)
        (post.text, post.author) = ("A", other)
        try await store.main.save()
        _ = try await store.imported(Post.self, #"{"id": 5, "text": null, "author": null}"#)
        (post.text, post.author) = ("X", owner)
        try await store.main.save()
        #expect(post.unsentProperties == ["text", "author"])
        (post.text, post.author) = (nil, nil)
        try await store.main.save()
        #expect(post.unsentProperties.isEmpty)
    }

    /// The server's value is unknown then.
    @Test(arguments: [true, false])
    func `A link set to its current value during an unanswered request is a pending edit`(_ isAdded: Bool) async throws
    {
        let post = try await store.imported(
            Post.self, isAdded ? #"{"id": 5}"# : #"{"id": 5, "author": {"id": 7}}"#)
        let former = post.author
        let changing = Task { [owner] in
            if isAdded { try await owner.$posts.add(post) } else { try await owner.$posts.delete(post) }
        }
        await held.wait(for: 1)
        post.author = former
        held.answer(0, .status(500))
        await #expect(throws: APIError.self) { try await changing.value }
        #expect(post.author === former && post.unsentProperties == ["author"])
        store.main.rollback()
        #expect(post.unsentProperties.isEmpty)
        post.author = former
        #expect(post.unsentProperties == ["author"])
        try await check(post, is: former, isSaved: false)
        post.author = former
        #expect(!store.main.hasChanges)
    }

    @Test func `A link set to its current value during a rejected request is no edit`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5}"#)
        let changing = Task { [owner] in try await owner.$posts.add(post) }
        await held.wait(for: 1)
        post.author = nil
        held.answer(0, .status(403))
        await #expect(throws: APIError.self) { try await changing.value }
        #expect(!store.main.hasChanges && post.unsentProperties.isEmpty)
    }

    /// The member is removed from its owner before the move. If the move was saved, the server still has the member
    /// with the other owner, and is sent nil.
    @Test(arguments: [false, true]) func `Removing a member with a pending move sets its link to nil at the server`(
        _ isSaved: Bool
    ) async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "author": {"id": 8}}"#)
        post.author = owner
        if isSaved { try await store.main.save() }
        let removing = Task { [owner] in try await owner.$posts.delete(post) }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await removing.value
        #expect(post.author === (isSaved ? nil : other) && owner.posts.isEmpty)
        #expect(!post.hasChanges && post.unsentProperties == (isSaved ? ["author"] : []))
    }

    @Test func `A member added in a draft overrides its context's edit of the link`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "comments": [{"number": 1}]}"#)
        let another = try await store.imported(Post.self, #"{"id": 6}"#)
        let remark = post.comments[0]
        remark.post = another
        let draft = try store.main.draft()
        let (owner, member) = (draft.object(for: post), draft.object(for: remark))
        let adding = Task { try await owner?.$comments.add(try #require(member)) }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await adding.value
        #expect(member?.post === owner && remark.post === post && !store.main.hasChanges && !draft.hasChanges)
    }

    /// Like a whole list, the answer gives the base of a locally changed link.
    @Test func `A link set back to its base follows the lists imported since`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "author": {"id": 7}}"#)
        post.author = nil
        try await store.main.save()
        _ = try await store.imported(Author.self, #"{"id": 8, "posts": [{"id": 5}]}"#)
        #expect(post.author == nil)
        post.author = owner
        try await store.main.save()
        #expect(post.unsentProperties == ["author"])
        post.author = other
        try await store.main.save()
        #expect(post.unsentProperties.isEmpty)
        _ = try await store.imported(Author.self, #"{"id": 8, "posts": []}"#)
        #expect(post.author == nil)
    }

    @Test func `A link set back while the server names an unknown target stays pending`() async throws {
        let post = try await store.imported(Post.self, #"{"id": 5, "author": {"id": 7}}"#)
        post.author = other
        try await store.main.save()
        _ = try await store.imported(Post.self, #"{"id": 5, "author_id": 99}"#)
        #expect(post.author === other)
        post.author = owner
        try await store.main.save()
        #expect(post.unsentProperties == ["author"] && post.author === owner)
    }

    /// The others keep their places, and their rows are not written.
    @Test(arguments: [true, false]) func `A membership request keeps the other members' order`(_ hasPlaces: Bool)
        async throws
    {
        let owner: Author
        if hasPlaces {
            owner = try await store.imported(Author.self, #"{"id": 7, "posts": [{"id": 1}, {"id": 2}, {"id": 3}]}"#)
        } else {
            owner = self.owner
            for id in 1...3 { _ = try await store.imported(Post.self, #"{"id": \#(id), "author": {"id": 7}}"#) }
        }
        let posts = owner.posts
        let removing = Task { try await owner.$posts.delete(posts[0]) }
        await held.wait(for: 1)
        held.answer(0, .status(204))
        try await removing.value
        let places = try store.main.rows("SELECT _author_position AS place FROM post WHERE author_id = 1 ORDER BY _id")
        #expect(places.map { $0["place", as: Int.self] } == (hasPlaces ? [1, 2] : [nil, nil]))
        let adding = Task { try await owner.$posts.add(posts[0]) }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await adding.value
        #expect(owner.posts.map(\.identifier) == [2, 3, 1])
        let order = try await store.background { context in
            try context.find(Author.self, 7)?.posts.map(\.identifier)
        }
        #expect(order == [2, 3, 1])
    }

    /// Only the list contains the membership.
    @Test(arguments: [true, false], [false, true])
    func `A member of a one-sided list set back during a request is a pending edit`(
        _ isAdded: Bool, _ isSaved: Bool
    ) async throws {
        let owner = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        let third = try await store.imported(Author.self, #"{"id": 3}"#)
        let friends = owner.friends
        let changing = Task {
            if isAdded { try await owner.$friends.add(third) } else { try await owner.$friends.delete(friends[0]) }
        }
        await held.wait(for: 1)
        owner.friends = isAdded ? friends + [third] : [friends[1]]
        if isSaved { try await store.main.save() }
        owner.friends = friends
        if isSaved { try await store.main.save() }
        held.answer(0, .status(204))
        try await changing.value
        #expect(owner.friends.map(\.identifier) == [1, 2] && owner.unsentProperties == ["friends"])
        let sending = Task { try await owner.save() }
        await held.wait(for: 2)
        held.answer(1, .status(204))
        try await sending.value
        #expect(held.bodies.last == #"{"friend_ids":[1,2]}"#)
        #expect(owner.unsentProperties.isEmpty && !store.main.hasChanges)
    }

    @Test(arguments: [false, true]) func `Another edit of the list during a removal doesn't restore the member`(
        _ isSaved: Bool
    ) async throws {
        let owner = try await store.imported(Author.self, #"{"id": 7, "friends": [{"id": 1}, {"id": 2}]}"#)
        let third = try await store.imported(Author.self, #"{"id": 3}"#)
        let friends = owner.friends
        let removing = Task { try await owner.$friends.delete(friends[0]) }
        await held.wait(for: 1)
        owner.friends.append(third)
        if isSaved { try await store.main.save() }
        held.answer(0, .status(204))
        try await removing.value
        #expect(owner.friends.map(\.identifier) == [2, 3] && owner.unsentProperties == ["friends"])
    }

    @Test func `An edit at risk stays pending after a membership request`() async throws {
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

    @Test func `A link without an edit follows the membership request`() async throws {
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
        // After the answer, setting the link's current value is no edit.
        post.author = other
        post.author = nil
        #expect(!post.hasChanges)
    }
}
