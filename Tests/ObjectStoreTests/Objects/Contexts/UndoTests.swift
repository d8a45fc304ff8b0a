import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Edits are undone and done again, by value.
@MainActor
@Suite struct UndoTests {
    let store: Store
    let issues: [Issue]
    let history: UndoHistory

    init() async throws {
        store = try Store(of: World.models)
        issues = try await store.main.take(
            Issue.self,
            """
            [{"id": 1, "title": "one", "repository": {"id": 1, "name": "r"}, "labels": [{"id": 1}, {"id": 2}, {"id": 3}]},
             {"id": 2, "title": "two", "repository": {"id": 1}}]
            """
        ).objects
        history = store.main.recordUndo()
    }

    @Test func `Undo and redo restore edited values`() {
        #expect(!history.canUndo && !history.undo() && !history.redo())
        history.group { issues[0].title = "a" }
        history.group {
            issues[0].title = "b"
            issues[0].title = "c"
            issues[1].state = .closed
        }
        #expect(history.canUndo && !history.canRedo && history.undo())
        #expect(issues[0].title == "a" && issues[1].state == .open && !issues[1].hasChanges)
        #expect(history.undo() && issues[0].title == "one" && !store.main.hasChanges && !history.canUndo)
        #expect(history.canRedo && history.redo() && issues[0].title == "a")
        #expect(history.redo() && issues[0].title == "c" && issues[1].state == .closed && !history.redo())
        history.undo()
        issues[0].number = 5
        #expect(!history.canRedo && !history.redo() && issues[0].number == 5)
    }

    @Test func `Edits of one step are undone together`() async throws {
        issues[0].title = "a"
        issues[1].title = "b"
        #expect(history.canUndo)
        // The turn of the context comes when the actor is free.
        await Task.yield()
        await until { history.undoName == nil && history.canUndo }
        try await store.takeElsewhere(Label.self, #"{"id": 9}"#)
        try await store.main.save()
        issues[0].title = "c"
        #expect(history.undo() && issues.map(\.title) == ["a", "b"])
        #expect(history.undo() && issues.map(\.title) == ["one", "two"])
    }

    @Test func `Saved edits can be undone and redone`() async throws {
        history.group("Rename") { issues[0].title = "a" }
        #expect(history.undoName == "Rename" && history.redoName == nil)
        try await store.main.save()
        #expect(history.canUndo && history.undo() && history.redoName == "Rename")
        #expect(issues[0].title == "one" && issues[0].hasChanges)
        try await store.main.save()
        #expect(try await store.background { try $0.find(Issue.self, 1)?.title } == "one")
        #expect(history.redo() && issues[0].title == "a")
        // Set back to the file's value.
        issues[0].title = "one"
        #expect(!issues[0].hasChanges && history.undo() && issues[0].title == "a")
    }

    @Test func `Undo and redo restore links and lists on both sides`() throws {
        let repository = try #require(issues[0].repository)
        let labels = issues[0].labels
        history.group { issues[0].repository = nil }
        history.group { issues[1].labels = [labels[2], labels[0]] }
        history.group { repository.issues = [issues[1], issues[0]] }
        history.group { issues[0].labels = [labels[2]] }
        history.undo()
        #expect(issues[0].labels.map(\.identifier) == [1, 2, 3])
        history.undo()
        #expect(repository.issues.map(\.title) == ["two"] && issues[0].repository == nil)
        history.undo()
        #expect(issues[1].labels.isEmpty)
        history.undo()
        #expect(repository.issues.map(\.title) == ["one", "two"] && issues[0].repository === repository)
        for _ in 0..<4 { history.redo() }
        #expect(repository.issues.map(\.title) == ["two", "one"] && issues[0].labels.map(\.identifier) == [3])
        #expect(issues[1].labels.map(\.identifier) == [3, 1])
    }

    @Test func `Undo and redo remove and restore new and deleted objects`() async throws {
        let repository = try #require(issues[0].repository)
        var new: Issue?
        history.group {
            new = Issue(in: store.main)
            new?.title = "new"
            new?.repository = repository
        }
        let made = try #require(new)
        history.group { store.main.delete(issues[1]) }
        #expect(repository.issues.map(\.title) == ["one", "new"])
        history.undo()
        #expect(!issues[1].isDeleted && repository.issues.map(\.title) == ["one", "two", "new"])
        history.undo()
        #expect(made.isDeleted && repository.issues.map(\.title) == ["one", "two"])
        #expect(try store.main.query(Issue.self).count() == 2)
        history.redo()
        #expect(!made.isDeleted && made.isInserted && repository.issues.contains { $0 === made })
        #expect(made.title == "new" && made.repository === repository)
        history.redo()
        #expect(issues[1].isDeleted && repository.issues.map(\.title) == ["one", "new"])
        try await store.main.save()
        // The new object is in the file by now, so undoing its creation deletes it. The objects deleted in the file
        // stay deleted.
        history.undo()
        #expect(issues[1].isDeleted)
        history.undo()
        #expect(made.isDeleted)
        try await store.main.save()
        #expect(try await store.background { try $0.query(Issue.self).count() } == 1)
    }

    @Test func `Undo leaves other contexts' commits, and reverts earlier edits`() async throws {
        history.group { issues[0].title = "mine" }
        try await store.takeElsewhere(Issue.self, #"{"id": 1, "title": "theirs", "number": 5}"#)
        await until { issues[0].number == 5 }
        #expect(history.undo() && !history.canUndo)
        #expect(issues[0].title == "one" && issues[0].number == 5)
        history.removeAll()
        try await store.takeElsewhere(Issue.self, #"{"id": 2, "title": "theirs"}"#)
        await until { issues[1].title == "theirs" }
        #expect(!history.canUndo && !history.canRedo)
        try await store.background { context in
            if let issue = try context.find(Issue.self, 2) { context.delete(issue) }
        }
        await until { issues[1].isDeleted }
        #expect(!history.canUndo)
    }

    @Test func `Undo reverts a rollback`() {
        history.group {
            issues[0].title = "a"
            issues[0].labels = []
            store.main.delete(issues[1])
        }
        history.group { store.main.rollback() }
        #expect(issues[0].title == "one" && issues[0].labels.count == 3 && !issues[1].isDeleted)
        history.undo()
        #expect(issues[0].title == "a" && issues[0].labels.isEmpty && issues[1].isDeleted)
    }

    @Test func `Undo reverts the rollback of a list that others have changed since`() async throws {
        let labels = issues[0].labels
        history.group { issues[0].labels = [labels[2], labels[0]] }
        try await store.takeElsewhere(Issue.self, #"{"id": 1, "labels": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]}"#)
        #expect(issues[0].labels.map(\.identifier) == [3, 1, 4])
        history.group { store.main.rollback() }
        for _ in 0..<2 {
            #expect(issues[0].labels.map(\.identifier) == [1, 2, 3, 4])
            history.undo()
            #expect(issues[0].labels.map(\.identifier) == [3, 1, 4])
            history.redo()
        }
        let draft = try store.main.draft()
        let own = draft.context.recordUndo()
        let form = try #require(draft.object(for: issues[0]))
        form.labels = []
        try await store.takeElsewhere(Issue.self, #"{"id": 1, "labels": [{"id": 1}, {"id": 5}]}"#)
        #expect(form.labels.map(\.identifier) == [5])
        own.group { draft.rollback() }
        #expect(form.labels.map(\.identifier) == [1, 5])
        own.undo()
        #expect(form.labels.map(\.identifier) == [5])
    }

    @Test func `A draft has its own undo history, and its save is one step of its context's`() throws {
        issues[0].title = "mine"
        let draft = try store.main.draft()
        let own = draft.context.recordUndo()
        let form = try #require(draft.object(for: issues[0]))
        own.group { form.title = "a" }
        own.group { form.number = 7 }
        issues[1].title = "other"
        #expect(own.undo() && form.number == nil && own.undo() && form.title == "mine" && !own.canUndo)
        #expect(own.redo() && own.redo() && form.title == "a")
        history.removeAll()
        try history.group("Edit") { try draft.save() }
        #expect(issues[0].title == "a" && issues[0].number == 7 && history.undoName == "Edit")
        #expect(own.canUndo)
        history.undo()
        #expect(issues[0].title == "mine" && issues[0].number == nil && issues[1].title == "other")
        #expect(form.title == "mine" && form.number == nil)
    }

    @Test func `An undo history keeps the requested number of levels and leaves no trace`() throws {
        var few: UndoHistory? = store.main.recordUndo(levels: 2)
        for number in 1...5 { few?.group { issues[0].number = number } }
        #expect(few?.undo() == true && few?.undo() == true && few?.undo() == false && issues[0].number == 3)
        weak let loose = few
        few = nil
        #expect(loose == nil && store.main.watch.histories.count == 1)
    }

    @Test func `Observers of canUndo and canRedo are woken`() {
        let (canUndo, canRedo) = (Tracker { history.canUndo }, Tracker { history.canRedo })
        issues[0].title = "a"
        #expect(canUndo.present && canUndo.takeWakings() == 1 && canRedo.takeWakings() <= 1)
        history.undo()
        #expect(!canUndo.present && canUndo.takeWakings() >= 1 && canRedo.present && canRedo.takeWakings() >= 1)
    }

    @Test func `An object that the context deleted leaves the draft's undo history`() throws {
        let new = Issue(in: store.main)
        let draft = try store.main.draft()
        let own = draft.context.recordUndo()
        draft.object(for: new)?.title = "a"
        own.removeAll()
        store.main.delete(new)
        #expect(!own.canUndo && !own.undo() && !draft.hasChanges)
    }

    @Test func `Undo and redo of a draft work after it was saved`() throws {
        let draft = try store.main.draft()
        let own = draft.context.recordUndo()
        var form: Issue?
        own.group { form = Issue(in: draft.context) }
        try draft.save()
        let new = try #require(form)
        #expect(own.undo() && new.isDeleted && draft.hasChanges)
        #expect(own.redo() && !new.isDeleted && !draft.hasChanges)
        own.undo()
        try draft.save()
        #expect(try store.main.query(Issue.self).count() == 2 && !draft.hasChanges)
    }

    @Test func `onGroup is called once for each new group with its name`() {
        var names: [String?] = []
        history.onGroup { [unowned history] in names.append(history.undoName) }
        history.group("Rename") {
            issues[0].title = "a"
            issues[1].title = "b"
        }
        history.group { issues[0].number = 1 }
        history.undo()
        history.redo()
        history.group("Nothing") { issues[0].number = 1 }
        #expect(names == ["Rename", nil])
    }

    @Test func `Undo changes nothing after the store was closed`() {
        issues[0].title = "a"
        #expect(history.canUndo)
        store.close()
        history.undo()
        #expect(issues[0].title == "a")
    }
}

// MARK: - Against an oracle

extension UndoTests {
    @Test(arguments: 0..<60) func `Random edits undone and redone restore each state`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let users = try await store.main.take(User.self, #"[{"id": 1, "profile": {"id": 1}}, {"id": 2}]"#).objects
        let topics = try await store.main.take(Topic.self, #"[{"name": "x"}, {"name": "y"}]"#).objects
        let repositories = try await store.main.take(
            Repository.self, #"[{"id": 1, "owner": 1, "topics": ["x"]}, {"id": 2, "owner": 2}, {"id": 3}]"#
        ).objects
        let profiles = try store.main.query(Profile.self).fetch()
        history.removeAll()
        func view() -> String {
            let lines =
                repositories.map {
                    $0.isDeleted
                        ? "deleted"
                        : "\($0.name) \($0.owner?.identifier ?? 0) \($0.topics.compactMap(\.name).sorted())"
                }
                + users.map { "\($0.identifier ?? 0) \(Set($0.repositories.map { $0.identifier ?? 0 }).sorted())" }
                + topics.map { "\($0.name ?? "") \(Set($0.repositories.map { $0.identifier ?? 0 }).sorted())" }
                + users.map { "\($0.profile?.identifier ?? 0)" }
            return lines.joined(separator: "\n")
        }
        var (past, future): ([String], [String]) = ([], [])
        var log: [String] = []
        for step in 0..<50 {
            let before = view()
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where !past.isEmpty, 1 where !past.isEmpty:
                log.append("undo")
                #expect(history.undo())
                future.append(before)
                #expect(view() == past.removeLast(), "seed \(seed), step \(step): \(log)")
            case 2 where !future.isEmpty, 3 where !future.isEmpty:
                log.append("redo")
                #expect(history.redo())
                past.append(before)
                #expect(view() == future.removeLast(), "seed \(seed), step \(step): \(log)")
            case 4:
                log.append("save")
                if !repositories.contains(where: \.isDeleted) { try await store.main.save() }
                #expect(view() == before, "seed \(seed), step \(step): \(log)")
            default:
                history.group {
                    for _ in 0..<Int.random(in: 1...3, using: &random) {
                        log.append(edit(users, topics, repositories, profiles, &random))
                    }
                }
                if history.undoCount > past.count {
                    past.append(before)
                    future = []
                }
                #expect(view() == before || future.isEmpty, "seed \(seed), step \(step): \(log)")
            }
            #expect(history.undoCount == past.count, "seed \(seed), step \(step): \(log)")
            guard history.undoCount == past.count else { return }
        }
    }

    private func edit(
        _ users: [User], _ topics: [Topic], _ repositories: [Repository], _ profiles: [Profile],
        _ random: inout SeededGenerator
    ) -> String {
        let repository = repositories[Int.random(in: 0..<3, using: &random)]
        let user = users.randomElement(using: &random)
        guard !repository.isDeleted else { return "" }
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            repository.name = "n\(Int.random(in: 0..<3, using: &random))"
            return "name of \(repository.identifier ?? 0) = \(repository.name)"
        case 1:
            repository.owner = user
            return "owner of \(repository.identifier ?? 0) = \(user?.identifier ?? 0)"
        case 2:
            let members = repositories.filter { !$0.isDeleted && Bool.random(using: &random) }
            user?.repositories = members
            return "repositories of \(user?.identifier ?? 0) = \(members.map { $0.identifier ?? 0 })"
        case 3:
            let members = topics.filter { _ in Bool.random(using: &random) }
            repository.topics = members
            return "topics of \(repository.identifier ?? 0) = \(members.map { $0.name ?? "" })"
        case 4:
            user?.profile = profiles.first
            return "profile of \(user?.identifier ?? 0)"
        default:
            store.main.delete(repository)
            return "delete \(repository.identifier ?? 0)"
        }
    }
}
