import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// A list that the server has never sent may be incomplete: members may link to it, and it may have others. It is never
/// sent in place of the server's list.
@MainActor @Suite struct UnloadedListTests {
    @Model("/groups") final class Group {
        var identifier: Int?
        var name = ""
        var people: [Person]
        @Relationship("/groups/:id/labels", inverse: nil) var labels: [Label]
        @Relationship(inverse: "group", sentAs: .identities) var posts: [Post]
        var seal: Seal?
    }

    @Model("/people") final class Person {
        var identifier: Int?
        @Relationship(inverse: "people") var groups: [Group]
    }

    @Model("/labels") final class Label {
        var identifier: Int?
    }

    @Model("/posts") final class Post {
        var identifier: Int?
        @Relationship(sentAs: .never) var group: Group?
    }

    @Model(embedded: true) final class Seal {
        var motto = ""
        var marks: [Mark]
    }

    @Model(embedded: true) final class Mark {
        var text = ""
    }

    private static let models: [any Model.Type] = [
        Group.self, Person.self, Label.self, Post.self, Seal.self, Mark.self,
    ]

    private func service(
        _ saveMethod: API.SaveMethod? = nil, at location: Store.Location = .temporary,
        _ replies: [String: StubTransport.Reply] = [:]
    ) throws -> Service {
        try Service(
            Self.models, saveMethod: saveMethod, location: location,
            stub: StubTransport { request in
                replies["\(request.method.rawValue) \(request.url.path)"] ?? .status(204)
            })
    }

    private func label(_ id: Int, in service: Service) async throws -> Label {
        try await service.imported(Label.self, "{\"id\": \(id)}")
    }

    private func expectRefusal(of group: Group, _ list: String = "labels") async {
        let error = await failure { try await group.save() }
        guard case .partialList("Group", list)? = error else {
            Testing.Issue.record("\(error as Any)")
            return
        }
    }

    // MARK: The whole

    @Test func `A PUT omits lists known only from their members' links`() async throws {
        let service = try service(.put)
        let group = try await service.imported(Group.self, #"{"id": 8, "name": "A"}"#)
        _ = try await service.imported(Person.self, #"{"id": 3, "groups": [8]}"#)
        _ = try await service.imported(Post.self, #"{"id": 5, "group": 8}"#)
        #expect(group.people.count == 1 && group.posts.count == 1)
        #expect(group.$people.isPartial && group.$posts.isPartial)
        group.name = "B"
        try await group.save()
        #expect(service.stub.log.last == #"PUT /groups/8 {"id":8,"name":"B"}"#)
    }

    @Test func `A PUT has imported lists with members that linked to them since`() async throws {
        let service = try service(.put)
        let group = try await service.imported(
            Group.self, #"{"id": 8, "people": [{"id": 2}], "posts": [{"id": 4}], "labels": [{"id": 1}]}"#)
        _ = try await service.imported(Person.self, #"{"id": 3, "groups": [8]}"#)
        _ = try await service.imported(Post.self, #"{"id": 5, "group": 8}"#)
        #expect(!group.$people.isPartial && !group.$posts.isPartial && !group.$labels.isPartial)
        group.name = "B"
        try await group.save()
        let sent = #"{"id":8,"name":"B","person_ids":[2,3],"label_ids":[1]}"#
        #expect(service.stub.log.last == "PUT /groups/8 " + sent)
    }

    @Test func `A one-to-many list known as whole is sent with pending members`() async throws {
        let service = try service()
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        let added = try await service.imported(Post.self, #"{"id": 5}"#)
        _ = try await service.imported(Post.self, #"{"id": 6}"#)
        _ = try await service.imported(Post.self, #"{"id": 4, "group": 8}"#)
        group.posts.append(added)
        await expectRefusal(of: group, "posts")
        _ = try await service.imported(Group.self, #"{"id": 8, "post_ids": [4, 6]}"#)
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"post_ids":[4,5,6]}"#)
    }

    @Test(arguments: [false, true])
    func `An edit of a list that its members' links confirm isn't refused`(_ isSaved: Bool) async throws {
        let service = try Service([Team.self, Player.self], stub: StubTransport { _ in .status(204) })
        let team = try await service.imported(Team.self, #"{"id": 8}"#)
        let player = try await service.imported(Player.self, #"{"id": 4}"#)
        team.players.append(player)
        team.name = "B"
        if isSaved { try await service.main.save() }
        #expect(team.unsentProperties == ["name"] && player.unsentProperties == ["team"])
        try await team.save()
        try await player.save()
        #expect(
            service.stub.log == [#"PATCH /teams/8 {"name":"B"}"#, #"PATCH /players/4 {"team_id":8}"#])
        _ = try await service.imported(Team.self, #"{"id": 8, "players": [{"id": 3}, {"id": 4}]}"#)
        #expect(team.players.count == 2 && team.unsentProperties.isEmpty)
        team.players.removeFirst()
        #expect(team.unsentProperties == ["players"])
    }

    @Model("/teams") final class Team {
        var identifier: Int?
        var name = ""
        var players: [Player]
    }

    @Model("/players") final class Player {
        var identifier: Int?
        var team: Team?
    }

    @Test func `A list known only from membership requests is partial`() async throws {
        let service = try service(.put)
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        try await group.$labels.add(try await label(4, in: service))
        #expect(group.labels.count == 1 && group.$labels.isPartial)
        group.name = "B"
        try await group.save()
        #expect(service.stub.log.last == #"PUT /groups/8 {"id":8,"name":"B"}"#)
    }

    // MARK: Edits

    @Test(arguments: [false, true])
    func `A member added to an unknown list is sent once the list is fetched`(_ isSaved: Bool) async throws {
        let service = try service(nil, ["GET /groups/8/labels": .json(#"[{"id": 1}, {"id": 3}]"#)])
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        group.labels.append(try await label(4, in: service))
        if isSaved { try await service.main.save() }
        await expectRefusal(of: group)
        #expect(service.stub.log.isEmpty && group.unsentProperties == ["labels"])
        try await group.$labels.fetch()
        #expect(!group.$labels.isPartial)
        let whole = group.labels.compactMap(\.identifier)
        #expect(whole == [4, 1, 3])
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"label_ids":[4,1,3]}"#)
        #expect(group.unsentProperties.isEmpty)
    }

    @Test func `A member added to an unknown list is sent after the owner's body has the list`() async throws {
        let path = NSTemporaryDirectory() + "RestfulDataTests-\(UUID()).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        do {
            let service = try service(at: .file(path))
            let group = try await service.imported(Group.self, #"{"id": 8}"#)
            group.labels.append(try await label(4, in: service))
            try await service.main.save()
        }
        let service = try service(at: .file(path))
        let group = try #require(try service.main.find(Group.self, 8))
        await expectRefusal(of: group)
        _ = try await service.imported(Group.self, #"{"id": 8, "label_ids": [1, 3]}"#)
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"label_ids":[1,3,4]}"#)
    }

    @Test(arguments: [false, true])
    func `Assigning an unknown list makes it whole`(_ isSaved: Bool) async throws {
        let service = try service()
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        let labels = [try await label(4, in: service), try await label(5, in: service)]
        group.labels = [labels[0]]
        if isSaved { try await service.main.save() }
        group.labels.append(labels[1])
        #expect(!group.$labels.isPartial)
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"label_ids":[4,5]}"#)
        group.labels.removeFirst()
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"label_ids":[5]}"#)
    }

    @Test(arguments: [false, true])
    func `Assigning an unknown list includes members added before, and emptying reverts it`(_ isSaved: Bool)
        async throws
    {
        let service = try service()
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        group.labels.append(try await label(4, in: service))
        if isSaved { try await service.main.save() }
        await expectRefusal(of: group)
        let labels = group.labels
        group.labels = []
        group.labels = labels
        #expect(!group.$labels.isPartial)
        try await group.save()
        #expect(service.stub.log == [#"PATCH /groups/8 {"label_ids":[4]}"#])
        #expect(group.unsentProperties.isEmpty && !service.main.hasChanges)
    }

    @Test func `A member added to an unknown list and removed again is no edit`() async throws {
        let service = try service()
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        group.labels.append(try await label(4, in: service))
        group.labels = []
        #expect(group.unsentProperties.isEmpty && !service.main.hasChanges && group.$labels.isPartial)
    }

    @Test func `A rolled back assignment or deleted members leave a list unknown`() async throws {
        let service = try service()
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        let label = try await label(4, in: service)
        group.labels = [label]
        service.main.rollback()
        #expect(group.$labels.isPartial)
        group.labels = []
        #expect(group.$labels.isPartial && group.unsentProperties.isEmpty)
        group.labels.append(label)
        await expectRefusal(of: group)
    }

    @Test func `Assigning a list known only from members' links is refused`() async throws {
        let service = try service()
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        _ = try await service.imported(Person.self, #"{"id": 3, "groups": [8]}"#)
        let other = try await service.imported(Person.self, #"{"id": 4}"#)
        group.people = group.people + [other]
        await expectRefusal(of: group, "people")
    }

    @Test(arguments: [#"{"id": 8, "labels": []}"#, #"{"id": 8, "label_ids": []}"#, #"{"id": 8, "labels": null}"#])
    func `An imported empty list is whole`(_ body: String) async throws {
        let service = try service()
        _ = try await service.imported(Group.self, #"{"id": 8}"#)
        let group = try await service.imported(Group.self, body)
        // A body that lacks the key leaves the list as it is.
        _ = try await service.imported(Group.self, #"{"id": 8, "name": "B"}"#)
        group.labels.append(try await label(4, in: service))
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"label_ids":[4]}"#)
    }

    @Test(arguments: [false, true])
    func `A created object's lists are whole`(_ isNamed: Bool) async throws {
        let service = try service(nil, ["POST /groups": .json(isNamed ? #"{"id": 8, "name": "A"}"# : #"{"id": 8}"#)])
        let group = Group(in: service.main)
        if isNamed { group.name = "A" }
        try await group.create()
        group.labels.append(try await label(4, in: service))
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"label_ids":[4]}"#)
    }

    @Test func `Another context's edit of an unknown list is refused until the list is fetched`() async throws {
        let service = try service(nil, ["GET /groups/8/labels": .json(#"[{"id": 1}]"#)])
        let group = try await service.imported(Group.self, #"{"id": 8}"#)
        _ = try await label(4, in: service)
        try await service.store.background { context in
            let same = try context.find(Group.self, 8)
            if let label = try context.find(Label.self, 4) { same?.labels.append(label) }
        }
        await expectRefusal(of: group)
        try await service.store.background { context in
            _ = try await context.find(Group.self, 8)?.$labels.fetch()
        }
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"label_ids":[4,1]}"#)
    }

    @Test func `An embedded object omits its unknown list`() async throws {
        let service = try service()
        let group = try await service.imported(Group.self, #"{"id": 8, "seal": {"motto": "a"}}"#)
        group.seal?.motto = "b"
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"seal":{"motto":"b"}}"#)
        _ = try await service.imported(Group.self, #"{"id": 8, "seal": {"motto": "b", "marks": []}}"#)
        group.seal?.motto = "c"
        try await group.save()
        #expect(service.stub.log.last == #"PATCH /groups/8 {"seal":{"motto":"c","marks":[]}}"#)
    }

    @Test func `Importing an unchanged list updates nothing`() async throws {
        let service = try service()
        let body = Array(#"{"id": 8, "labels": []}"#.utf8)
        let first = try await service.main.import(Group.self, from: body).report
        let second = try await service.main.import(Group.self, from: body).report
        #expect(first.inserted == 1 && second.unchanged == 1 && second.updated == 0)
    }
}
