import Foundation
import RestfulData
import RestfulDataTesting
import Synchronization
import Testing

/// A list that is only partly stored differs from the server's: it is never sent in place of that.
@MainActor @Suite struct PartialListSendingTests {
    @Model("/teams") final class Team {
        var identifier: Int?
        var name = ""
        @Relationship("/teams/:id/members", inverse: nil) var members: [Person]
        @Relationship("/teams/:id/followed", inverse: nil, merges: true) var followed: [Person]
        @Relationship(json: "guests.data", inverse: nil, sentAs: .key("id")) var guests: [Person]
        @Relationship(json: "shifts.data", inverse: nil) var shifts: [Shift]
        @Relationship(json: "rooms.data", inverse: nil, sentAs: .key("id"), owns: true) var rooms: [Room]
        @Relationship(json: "posts.data", inverse: "team", sentAs: .key("id")) var posts: [Post]
    }

    @Model("/rooms") final class Room {
        var identifier: Int?
    }

    @Model("/posts") final class Post {
        var identifier: Int?
        @Relationship(sentAs: .never) var team: Team?
    }

    @Model("/people") final class Person {
        var identifier: Int?
        var name: String?
    }

    @Model(embedded: true) final class Shift {
        var day = ""
    }

    /// A server with pages of two members.
    private final class Server: Sendable {
        let ids = Mutex([1, 2, 3, 4, 5])
        let isFailing = Mutex(false)
        /// The pages after the first.
        let isWhole = Mutex(false)

        private func body(_ ids: some Sequence<Int>) -> String {
            "[" + ids.map { "{\"id\": \($0)}" }.joined(separator: ",") + "]"
        }

        func reply(to request: APIRequest) -> StubTransport.Reply {
            guard request.method == .get else { return .status(204) }
            let query = request.url.query ?? ""
            let page = query.contains("page=2") ? 1 : query.contains("page=3") ? 2 : 0
            if page == 1, isFailing.withLock({ $0 }) { return .status(500) }
            let ids = ids.withLock { $0 }
            if query.contains("name=") { return .json(body(ids.filter { $0 % 2 == 1 })) }
            if isWhole.withLock({ $0 }) { return .json(body(ids)) }
            let next: HTTPFields = [.init("Link")!: "<\(request.url.path)?page=\(page + 2)>; rel=\"next\""]
            let rest = ids.dropFirst(page * 2)
            return .json(body(rest.prefix(2)), headerFields: rest.count > 2 ? next : [:])
        }
    }

    private let server = Server()

    private func service(
        at location: Store.Location = .temporary, _ conventions: APIConventions = .default
    ) throws -> Service {
        try Service(
            [Team.self, Person.self, Shift.self, Post.self, Room.self], conventions: conventions, location: location,
            stub: StubTransport { [server] request in server.reply(to: request) })
    }

    private func person(_ id: Int, in service: Service) async throws -> Person {
        try await service.imported(Person.self, "{\"id\": \(id)}")
    }

    private func expectRefusal(of team: Team, _ list: String = "members") async {
        let error = await failure { try await team.save() }
        guard case .partialList("Team", list)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
    }

    private func ids(_ people: [Person]) -> [Int?] { people.map(\.identifier) }

    // MARK: Pages

    @Test func `A partial list with an added member isn't sent until the rest is fetched`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7, "name": "A"}"#)
        try await team.$members.fetch()
        #expect(team.$members.isPartial && ids(team.members) == [1, 2])
        team.members.append(try await person(9, in: service))
        let before = try await service.store.contents()
        await expectRefusal(of: team)
        #expect(try await service.store.contents() == before)
        #expect(team.unsentProperties == ["members"] && ids(team.members) == [1, 2, 9])
        try await team.$members.fetch(pages: .all())
        #expect(!team.$members.isPartial && Set(ids(team.members)) == [1, 2, 3, 4, 5, 9])
        try await team.save()
        #expect(service.stub.log.last == #"PATCH /teams/7 {"member_ids":[1,2,9,3,4,5]}"#)
        #expect(team.unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true])
    func `A saved edit of a partial list is applied to the whole list, also after a restart`(
        _ isInOnePiece: Bool
    ) async throws {
        let path = NSTemporaryDirectory() + "RestfulDataTests-\(UUID()).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        do {
            let service = try service(at: .file(path))
            let team = try await service.imported(Team.self, #"{"id": 7, "name": "A"}"#)
            try await team.$members.fetch()
            team.members = [try await person(9, in: service), try #require(team.members.last)]
            try await service.main.save()
        }
        let service = try service(at: .file(path))
        let team = try #require(try service.main.find(Team.self, 7))
        #expect(team.$members.isPartial)
        await expectRefusal(of: team)
        server.isWhole.withLock { $0 = isInOnePiece }
        try await team.$members.fetch(pages: .all())
        // 1 was removed and 9 put first; 3, 4 and 5 had not been fetched.
        #expect(ids(team.members) == [9, 2, 3, 4, 5] && !team.$members.isPartial)
        #expect(team.unsentProperties == ["members"])
        try await team.save()
        #expect(service.stub.log.last == #"PATCH /teams/7 {"member_ids":[9,2,3,4,5]}"#)
        #expect(team.unsentProperties.isEmpty && !service.main.hasChanges)
    }

    @Test func `An edit of a partial list that the server has already isn't sent`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        team.members.append(try await person(3, in: service))
        try await service.main.save()
        server.ids.withLock { $0 = [1, 2, 3] }
        try await team.$members.fetch(pages: .all())
        #expect(team.unsentProperties.isEmpty && ids(team.members) == [1, 2, 3])
    }

    @Test func `An edit of a partial list is sent after another context fetched the rest`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        team.members.append(try await person(9, in: service))
        try await service.store.background { context in
            _ = try await context.find(Team.self, 7)?.$members.fetch(pages: .all())
        }
        try await team.save()
        #expect(service.stub.log.last == #"PATCH /teams/7 {"member_ids":[1,2,9,3,4,5]}"#)
    }

    @Test func `Interrupted pages leave a list partial, and a whole reply completes it`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        server.isFailing.withLock { $0 = true }
        _ = await failure { try await team.$members.fetch(pages: .all()) }
        #expect(team.$members.isPartial && ids(team.members) == [1, 2])
        server.isWhole.withLock { $0 = true }
        try await team.$members.fetch()
        #expect(!team.$members.isPartial && ids(team.members) == [1, 2, 3, 4, 5])
    }

    @Test func `A whole list stays whole until a page has an unknown member`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch(pages: .all())
        try await team.$members.fetch()
        try await team.$members.fetch(query: ["name": "x"])
        #expect(!team.$members.isPartial)
        server.ids.withLock { $0.insert(6, at: 0) }
        try await team.$members.fetch()
        #expect(team.$members.isPartial)
    }

    @Test func `A narrowed list with unknown members leaves a list partial`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch(query: ["name": "x"])
        #expect(team.$members.isPartial && ids(team.members) == [1, 3, 5])
        team.members.removeLast()
        await expectRefusal(of: team)
    }

    // MARK: Sendable lists

    @Test func `A PUT omits a partial list and sends the other properties`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7, "name": "A"}"#)
        try await team.$members.fetch()
        team.name = "B"
        try await team.save(using: .put)
        #expect(service.stub.log.last == #"PUT /teams/7 {"id":7,"name":"B"}"#)
        team.name = "C"
        try await team.$members.fetch(pages: .all())
        try await team.save(using: .put)
        #expect(service.stub.log.last == #"PUT /teams/7 {"id":7,"name":"C","member_ids":[1,2,3,4,5]}"#)
    }

    @Test(arguments: [false, true])
    func `An emptied partial list isn't sent until the rest is fetched`(_ isSaved: Bool) async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        team.members = []
        if isSaved { try await service.main.save() }
        await expectRefusal(of: team)
        try await team.$members.fetch(pages: .all())
        #expect(ids(team.members) == [3, 4, 5] && team.unsentProperties == ["members"])
        team.members = []
        try await team.save()
        #expect(service.stub.log.last == #"PATCH /teams/7 {"member_ids":[]}"#)
        #expect(!team.$members.isPartial && team.unsentProperties.isEmpty)
    }

    @Test(arguments: [false, true])
    func `A partial list stays partial when its members are deleted`(_ isSaved: Bool) async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        let (first, second) = (team.members[0], team.members[1])
        try await team.$members.delete(first)
        team.members.append(try await person(9, in: service))
        if isSaved { try await service.main.save() }
        try await second.delete()
        #expect(ids(team.members) == [9])
        await expectRefusal(of: team)
    }

    @Test func `A partial list whose members are removed and restored has no edit`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        let members = team.members
        team.members = []
        try await service.main.save()
        team.members = members
        try await service.main.save()
        #expect(team.$members.isPartial && team.unsentProperties.isEmpty)
    }

    @Test func `Membership requests leave a list partial`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        try await team.$members.add(try await person(9, in: service))
        #expect(service.stub.log.last == #"POST /teams/7/members {"member_ids":[9]}"#)
        #expect(team.$members.isPartial && ids(team.members) == [1, 2, 9] && team.unsentProperties.isEmpty)
    }

    @Test func `A new object's list is whole`() async throws {
        let service = try service()
        let team = Team(in: service.main)
        team.members = [try await person(9, in: service)]
        try await team.create()
        #expect(service.stub.log.last == #"POST /teams {"member_ids":[9]}"#)
    }

    // MARK: Lists within objects

    @Test func `A list within its owner that announces more is partial until it comes whole`() async throws {
        let service = try service()
        let part = #"{"id": 7, "guests": {"data": [{"id": 1}], "has_more": true}}"#
        let team = try await service.imported(Team.self, part)
        #expect(team.$guests.isPartial)
        team.guests.append(try await person(9, in: service))
        await expectRefusal(of: team, "guests")
        _ = try await service.imported(Team.self, #"{"id": 7, "guests": {"data": [{"id": 1}, {"id": 2}]}}"#)
        #expect(!team.$guests.isPartial && ids(team.guests) == [1, 9, 2])
        try await team.save()
        #expect(service.stub.log.last == #"PATCH /teams/7 {"guests":{"data":[1,9,2]}}"#)
        _ = try await service.imported(Team.self, part)
        #expect(!team.$guests.isPartial)
    }

    @Test func `A reply that shows fewer members than were sent leaves the list whole`() async throws {
        let whole = #"{"id": 7, "guests": {"data": [{"id": 1}, {"id": 2}]}}"#
        let service = try Service(
            [Team.self, Person.self, Shift.self, Post.self, Room.self],
            stub: StubTransport { request in
                let id = request.method == .post ? 8 : 7
                return .json(#"{"id": \#(id), "guests": {"data": [{"id": 9}], "has_more": true}}"#)
            })
        let team = try await service.imported(Team.self, whole)
        team.guests.insert(try await person(9, in: service), at: 0)
        try await team.save()
        #expect(ids(team.guests) == [9, 1, 2] && !team.$guests.isPartial)
        let new = Team(in: service.main)
        new.guests = team.guests
        try await new.create()
        #expect(new.identifier == 8 && ids(new.guests) == [9, 1, 2] && !new.$guests.isPartial)
    }

    @Test func `A partial list of embedded objects isn't sent`() async throws {
        let service = try service()
        let team = try await service.imported(
            Team.self, #"{"id": 7, "shifts": {"data": [{"day": "Mon"}], "has_more": true}}"#)
        team.shifts[0].day = "Tue"
        await expectRefusal(of: team, "shifts")
    }

    @Test func `A list declared as merging stays partial after a fetch`() async throws {
        let service = try service()
        server.isWhole.withLock { $0 = true }
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$followed.fetch()
        #expect(team.$followed.isPartial)
        team.followed.removeLast()
        await expectRefusal(of: team, "followed")
    }

    @Test(arguments: [false, true])
    func `An edit of a partial one-to-many list is applied to the whole list`(_ isSaved: Bool) async throws {
        let service = try service()
        let whole = #"{"id": 7, "posts": {"data": [1, 2, 3, 4]}}"#
        let team = try await service.imported(
            Team.self, #"{"id": 7, "posts": {"data": [{"id": 1}, {"id": 2}], "has_more": true}}"#)
        for id in 3...4 { _ = try await service.imported(Post.self, "{\"id\": \(id)}") }
        team.posts = [team.posts[1], try await service.imported(Post.self, #"{"id": 9}"#)]
        if isSaved { try await service.main.save() }
        await expectRefusal(of: team, "posts")
        _ = try await service.imported(Team.self, whole)
        #expect(!team.$posts.isPartial && team.posts.map(\.identifier) == [2, 9, 3, 4])
    }

    @Test func `A member removed from a partial owned list stays out of the whole list`() async throws {
        let service = try service()
        let team = try await service.imported(
            Team.self, #"{"id": 7, "rooms": {"data": [{"id": 1}, {"id": 2}], "has_more": true}}"#)
        team.rooms.removeFirst()
        try await service.main.save()
        await expectRefusal(of: team, "rooms")
        _ = try await service.imported(
            Team.self, #"{"id": 7, "rooms": {"data": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]}}"#)
        #expect(!team.$rooms.isPartial && team.rooms.map(\.identifier) == [2, 3, 4])
        try await team.save()
        #expect(service.stub.log.last == #"PATCH /teams/7 {"rooms":{"data":[2,3,4]}}"#)
    }

    // MARK: Rows that go and become one

    @Test func `A unified object's list is partial if a duplicate's was`() async throws {
        let service = try service()
        let draft = Team(in: service.main)
        try await service.main.save()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        draft.identifier = 7
        try? await service.main.save()
        let survivor = try #require(try service.main.find(Team.self, 7))
        #expect(survivor.$members.isPartial)
    }

    @Test func `A new row with a deleted one's identity doesn't inherit a partial list`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7}"#)
        try await team.$members.fetch()
        service.main.delete(team)
        try await service.main.save()
        let again = try await service.imported(Team.self, #"{"id": 7, "members": []}"#)
        #expect(!again.$members.isPartial)
    }

    // MARK: Members that wait

    @Test func `A whole list fetched with a pending edit keeps the added member`() async throws {
        let service = try service()
        let team = try await service.imported(Team.self, #"{"id": 7, "member_ids": [1, 3]}"#)
        team.members.append(try await person(9, in: service))
        try await service.main.save()
        _ = try await service.imported(Team.self, #"{"id": 7, "member_ids": [1, 3]}"#)
        try await team.save()
        #expect(service.stub.log.last == #"PATCH /teams/7 {"member_ids":[1,3,9]}"#)
    }
}
