import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// An edit of one side of a link, undone after an edit of the other side.
@MainActor
@Suite struct UndoOtherSideTests {
    private let store: Store
    private let repository: Repository
    private let topics: [Topic]
    private let history: UndoHistory

    init() async throws {
        store = try Store(of: World.models)
        repository = try await store.main.take(Repository.self, #"[{"id": 1, "topics": ["x"]}]"#).objects[0]
        topics = try await store.main.take(Topic.self, #"[{"name": "x"}, {"name": "y"}]"#).objects
        history = store.main.recordUndo()
        history.group("link") { topics[1].repositories = [repository] }
    }

    private var names: [String] { repository.topics.compactMap(\.name) }

    private func expectUndone(_ edited: [String]) {
        #expect(names == edited)
        history.undo()
        #expect(names == ["x", "y"] && topics[1].repositories == [repository])
        #expect(history.undoName == "link")
        history.redo()
        #expect(names == edited)
        history.undo()
        history.undo()
        #expect(names == ["x"] && topics[1].repositories.isEmpty)
        #expect(!history.canUndo)
    }

    @Test func `Undo of a reordered list restores the order only`() {
        history.group { repository.topics.reverse() }
        expectUndone(["y", "x"])
    }

    @Test func `Undo of a removed member restores that member only`() {
        history.group { _ = repository.topics.removeFirst() }
        expectUndone(["y"])
    }

    @Test func `Undo restores a member that the other side has added`() {
        history.group { _ = repository.topics.removeLast() }
        expectUndone(["x"])
    }

    @Test func `Undo of a saved list restores the file's order`() async throws {
        try await store.main.save()
        history.group { topics[0].repositories = [] }
        #expect(names == ["y"])
        history.undo()
        #expect(names == ["x", "y"] && !store.main.hasChanges)
    }

    @Test func `Saving a draft with a list of links isn't a step of its own`() async throws {
        let user = try await store.main.take(User.self, #"{"id": 1}"#).objects[0]
        let draft = try store.main.draft()
        let form = try #require(draft.object(for: user))
        let member = try #require(draft.object(for: repository))
        let history = draft.context.recordUndo()
        history.group("own") { form.repositories = [member] }
        try draft.save()
        #expect(history.undoName == "own")
        history.undo()
        #expect(form.repositories.isEmpty && member.owner == nil)
        #expect(!history.canUndo)
    }

    @Test func `Undo restores a link that another edit has broken to nil`() async throws {
        let profiles = try await store.main.take(Profile.self, #"[{"id": 2}, {"id": 4}]"#).objects
        let users = try await store.main.take(User.self, #"[{"id": 1}, {"id": 3}]"#).objects
        history.group { users[0].profile = profiles[1] }
        try await store.takeElsewhere(User.self, #"{"id": 1, "profile": {"id": 2}}"#)
        #expect(users[0].profile === profiles[1] && profiles[0].user == nil)
        history.group { profiles[0].user = users[1] }
        history.undo()
        #expect(users[0].profile === profiles[1] && profiles[1].user === users[0])
        #expect(profiles[0].user == nil && users[1].profile == nil)
        history.redo()
        #expect(profiles[0].user === users[1] && users[0].profile === profiles[1])
    }

    @Test func `Undo restores a member that its own link removed to its position`() async throws {
        let user = try await store.main.take(User.self, #"{"id": 1, "repositories": [{"id": 2}, {"id": 3}]}"#)
            .objects[0]
        history.group("insert") { user.repositories.insert(repository, at: 0) }
        #expect(user.repositories.map(\.identifier) == [1, 2, 3])
        history.group { repository.owner = nil }
        for _ in 0..<2 {
            history.undo()
            #expect(user.repositories.map(\.identifier) == [1, 2, 3] && history.undoName == "insert")
            history.redo()
            #expect(user.repositories.map(\.identifier) == [2, 3] && repository.owner == nil)
        }
        history.undo()
        history.undo()
        #expect(user.repositories.map(\.identifier) == [2, 3] && repository.owner == nil)
    }

    @Test(arguments: [true, false]) func `Undo skips a member that another context deleted`(isHeld: Bool)
        async throws
    {
        let issue = try await store.main.take(
            Issue.self, #"{"id": 1, "labels": [{"id": 1}, {"id": 2}, {"id": 3}]}"#
        ).objects[0]
        var held: Label? = isHeld ? issue.labels.last : nil
        history.group("empty") { issue.labels = [] }
        try await store.main.save()
        try await store.background { context in
            if let label = try context.find(Label.self, 3) { context.delete(label) }
        }
        try await until { try store.main.find(Label.self, 3) == nil }
        #expect(held?.isDeleted ?? true)
        held = nil
        let next = try await store.main.take(Label.self, #"{"id": 9}"#).objects[0]
        history.group("new") { issue.labels = [next] }
        history.undo()
        history.undo()
        #expect(issue.labels.map(\.identifier) == [1, 2] && history.undoName == "link")
        try await store.main.save()
        #expect(issue.labels.map(\.identifier) == [1, 2] && !store.main.hasChanges)
    }

    @Test(arguments: [false, true])
    func `Undo of a list includes a new object that was unified with a row`(_ isListed: Bool) async throws {
        let store = try Store(of: [Employee.self])
        let history = store.main.recordUndo()
        let (boss, other) = (Employee(in: store.main), Employee(in: store.main))
        (boss.identifier, other.identifier) = (1, 4)
        boss.followers = [boss]
        if isListed { boss.followers.append(other) } else { other.follows = [boss] }
        history.group { boss.followers = [boss] }
        history.group { boss.followers = isListed ? [boss, other] : [other, boss] }
        history.group { boss.manager = other }
        history.group { boss.manager = nil }
        try await store.takeElsewhere(Employee.self, #"[{"id": 4, "name": "known"}]"#)
        #expect(other.name == "known" && !other.isInserted)
        history.group {
            boss.name = "boss"
            boss.followers.insert(boss, at: 0)
        }
        func expectBoth() {
            #expect(Set(boss.followers.compactMap(\.identifier)) == [1, 4] && other.follows == [boss])
        }
        #expect(history.undo() && boss.name.isEmpty)
        expectBoth()
        #expect(history.undo() && boss.manager === other)
        #expect(history.undo() && boss.manager == nil)
        expectBoth()
        #expect(history.undo() && boss.followers == [boss] && other.follows.isEmpty)
        #expect(history.undo())
        expectBoth()
        #expect(history.redo() && boss.followers == [boss] && other.follows.isEmpty)
    }
}
