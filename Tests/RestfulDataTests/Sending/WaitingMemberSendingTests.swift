import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Lists with missing or partly stored members: which members an edit of such a list removes, and when.
@MainActor @Suite struct WaitingMemberSendingTests {
    @Model("/posts") final class Post {
        var identifier: Int?
        var title = ""
        @Relationship(inverse: nil) var labels: [Mark]
    }

    @Model("/marks") final class Mark {
        var identifier: Int?
    }

    private static let post = #"{"id": 1, "title": "A", "label_ids": [1, 3]}"#

    private func service(
        _ conventions: APIConventions = .default, location: Store.Location = .temporary
    ) throws -> Service {
        try Service(
            [Post.self, Mark.self], conventions: conventions, location: location,
            stub: StubTransport { _ in .status(204) })
    }

    private func waiting() async throws -> (service: Service, post: Post) {
        let service = try service()
        return (service, try await service.imported(Post.self, Self.post))
    }

    private func mark(_ id: Int, _ service: Service) async throws -> Mark {
        try await service.imported(Mark.self, "{\"id\": \(id)}")
    }

    // MARK: All of them wait

    @Test(arguments: [false, true]) func `A list of pending members can be emptied`(isSaved: Bool) async throws {
        for method in [API.SaveMethod.patch, .put] {
            let (service, post) = try await waiting()
            if method == .put { post.labels = [] } else { post.labels.removeAll() }
            #expect(post.hasChanges && post.unsentProperties == ["labels"] && post.$labels.identities == [])
            post.labels = []
            if isSaved { try await service.main.save() }
            #expect(post.unsentProperties == ["labels"] && post.$labels.identities == [])
            try await post.save(using: method)
            let body = method == .put ? #"{"id":1,"title":"A","label_ids":[]}"# : #"{"label_ids":[]}"#
            #expect(service.stub.log == ["\(method == .put ? "PUT" : "PATCH") /posts/1 \(body)"])
            #expect(!post.hasChanges && post.unsentProperties == [] && post.$labels.identities == [])
            _ = try await mark(3, service)
            #expect(post.labels.isEmpty)
        }
    }

    @Test func `Linkage of pending members can be emptied`() async throws {
        let service = try service(.jsonAPI)
        let post = try await service.imported(
            Post.self,
            #"""
            {"data": {"type": "posts", "id": "1", "relationships": {
                "labels": {"data": [{"type": "marks", "id": "1"}, {"type": "marks", "id": "3"}]}}}}
            """#)
        post.labels = []
        try await post.save()
        #expect(
            service.stub.log == [
                #"PATCH /posts/1 {"data":{"type":"posts","id":"1","relationships":{"labels":{"data":[]}}}}"#
            ])
    }

    @Test func `An emptied list is pending after a restart`() async throws {
        let file = try TemporaryFile()
        do {
            let service = try service(location: .file(file.path))
            let post = try await service.imported(Post.self, Self.post)
            post.labels = []
            try await service.main.save()
        }
        let service = try service(location: .file(file.path))
        let post = try #require(try service.main.find(Post.self, 1))
        #expect(post.unsentProperties == ["labels"])
        // The server's value of an unsent list is ignored.
        _ = try await service.imported(Post.self, Self.post)
        _ = try await mark(3, service)
        #expect(post.labels.isEmpty && post.$labels.identities == [])
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/1 {"label_ids":[]}"#])
    }

    @Test func `A rollback and a failed save keep pending members`() async throws {
        let service = try Service([Post.self, Mark.self], stub: StubTransport { _ in .status(500) })
        let post = try await service.imported(Post.self, Self.post)
        post.labels = []
        service.main.rollback()
        #expect(!post.hasChanges && post.$labels.identities == [1, 3])
        post.labels = []
        await #expect(throws: APIError.self) { try await post.save() }
        #expect(post.unsentProperties == ["labels"] && post.$labels.identities == [])
        service.main.rollback()
        #expect(post.$labels.identities == [1, 3])
    }

    // MARK: Imports meanwhile

    @Test func `Members of an emptied list stay out when imported, and others join`() async throws {
        let (service, post) = try await waiting()
        post.labels = []
        try await service.store.background { context in
            _ = try await context.import(Mark.self, from: Array(#"[{"id": 3}]"#.utf8))
        }
        #expect(post.labels.isEmpty && post.unsentProperties == ["labels"])
        try await service.store.background { context in
            _ = try await context.import(Post.self, from: Array(#"{"id": 1, "label_ids": [1, 3, 5]}"#.utf8))
        }
        #expect(post.$labels.identities == [5])
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/1 {"label_ids":[5]}"#])
        _ = try await mark(1, service)
        #expect(post.labels.isEmpty && post.$labels.identities == [5])
    }

    @Test(arguments: [false, true])
    func `One context's emptying and another's addition leave the added member`(isEmptiedFirst: Bool) async throws {
        let (service, post) = try await waiting()
        _ = try await mark(2, service)
        post.labels = []
        if isEmptiedFirst { try await service.main.save() }
        try await service.store.background { context in
            let other = try #require(try context.find(Post.self, 1))
            other.labels.append(try #require(try context.find(Mark.self, 2)))
            try await context.save()
        }
        #expect(post.$labels.identities == [2])
        try await service.main.save()
        #expect(post.$labels.identities == [2])
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/1 {"label_ids":[2]}"#])
    }

    @Test func `A member added to an emptied list is sent alone`() async throws {
        let (service, post) = try await waiting()
        let two = try await mark(2, service)
        post.labels = []
        post.labels.append(two)
        try await post.save()
        #expect(post.$labels.identities == [2])
        #expect(service.stub.log == [#"PATCH /posts/1 {"label_ids":[2]}"#])
    }

    // MARK: Some of them wait

    @Test(arguments: [false, true]) func `Pending members stay when other members are removed`(isSaved: Bool)
        async throws
    {
        let service = try service()
        let marks = [try await mark(1, service), try await mark(2, service)]
        let post = try await service.imported(Post.self, #"{"id": 1, "label_ids": [1, 3, 2]}"#)
        post.labels.removeAll { $0 === marks[0] }
        if isSaved { try await service.main.save() }
        #expect(post.$labels.identities == [2, 3])
        try await post.save()
        post.labels = []
        if isSaved { try await service.main.save() }
        try await post.save()
        #expect(
            service.stub.log == [#"PATCH /posts/1 {"label_ids":[2,3]}"#, #"PATCH /posts/1 {"label_ids":[]}"#])
        _ = try await mark(3, service)
        #expect(post.labels.isEmpty)
    }

    @Test func `A list set back to its members keeps its pending members`() async throws {
        let service = try service()
        let one = try await mark(1, service)
        let post = try await service.imported(Post.self, Self.post)
        post.labels = []
        post.labels = [one]
        #expect(!post.hasChanges && post.$labels.identities == [1, 3])
        post.labels = []
        try await service.main.save()
        #expect(post.unsentProperties == ["labels"])
    }

    @Test func `A pending member imported during its list's request stays`() async throws {
        let held = HeldTransport()
        let store = try Store.held(by: held, [Post.self, Mark.self])
        let post = try await store.imported(Post.self, Self.post)
        post.labels.append(try await store.imported(Mark.self, #"{"id": 2}"#))
        let saving = Task { try await post.save() }
        await held.wait(for: 1)
        _ = try await store.imported(Mark.self, #"{"id": 1}"#)
        held.answer(0, .status(204))
        try await saving.value
        #expect(held.bodies == [#"{"label_ids":[1,3,2]}"#] && post.unsentProperties == [])
        #expect(post.$labels.identities.compactMap(\.text) == ["1", "3", "2"])
        #expect(post.labels.map(\.identifier) == [1, 2])
    }

    @Test func `An answer keeps pending members of a list with a pending edit`() async throws {
        let (service, post) = try await waiting()
        post.labels.append(try await mark(2, service))
        try await service.main.save()
        _ = try await service.imported(Post.self, Self.post)
        try await post.save()
        #expect(service.stub.log == [#"PATCH /posts/1 {"label_ids":[1,3,2]}"#])
    }
}
