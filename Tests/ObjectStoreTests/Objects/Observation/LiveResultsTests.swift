import Foundation
import Observation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

@MainActor
@Suite struct LiveResultsTests {
    @Test func `Live results show unsaved edits at once`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(
            Issue.self, #"[{"id": 1, "title": "a"}, {"id": 2, "title": "b"}, {"id": 3, "title": "c"}]"#
        ).objects
        let open = try store.main.query(Issue.self).where { $0.state == .open }.order(by: { $0.title }).live()
        let list = Tracker { open.map(\.title) }
        let count = try store.main.query(Issue.self).where { $0.state == .open }.liveCount()
        let number = Tracker { count.value }
        #expect(list.value == ["a", "b", "c"])
        issues[1].state = .closed
        #expect(list.takeWakings() == 1)
        #expect(list.value == ["a", "c"])
        #expect(number.takeWakings() == 1)
        #expect(number.value == 2)
        let new = Issue(in: store.main)
        new.title = "b2"
        #expect(open.map(\.title) == ["a", "b2", "c"])
        try await store.main.save()
        #expect(list.takeWakings() > 0)
        #expect(number.takeWakings() > 0)
        try await store.main.save()
        #expect(list.takeWakings() == 0)
        #expect(number.takeWakings() == 0)
        store.main.delete(new)
        store.main.rollback()
        #expect(open.map(\.title) == ["a", "b2", "c"])
    }

    @Test func `An observer that reads an outdated live result once is woken by the next change`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(Issue.self, #"[{"id": 1}, {"id": 2}, {"id": 3}]"#).objects
        let query = store.main.query(Issue.self).where { $0.state == .open }
        let (list, count) = (try query.live(), try query.liveCount())
        let sections = try query.liveSections(by: { $0.state })
        issues[0].state = .closed
        let trackers = [
            Tracker { list.objects.count }, Tracker { count.value }, Tracker { sections.objects.count },
        ]
        #expect(trackers.map(\.value) == [2, 2, 2])
        issues[1].state = .closed
        #expect(trackers.map { $0.takeWakings() } == [1, 1, 1])
        #expect(trackers.map(\.value) == [1, 1, 1])
        // Two changes before the observers read again.
        issues[1].state = .open
        issues[0].state = .open
        #expect(trackers.map { $0.takeWakings() } == [1, 1, 1])
        #expect(trackers.map(\.value) == [3, 3, 3])
        issues[2].state = .closed
        #expect(trackers.map { $0.takeWakings() } == [1, 1, 1])
    }

    @Test func `Released live results and live values leave no trace`() async throws {
        let store = try Store(of: World.models)
        weak var results: LiveResults<User>?
        weak var value: LiveValue<User, Int>?
        do {
            let live = try store.main.query(User.self).live()
            let count = try store.main.query(User.self).liveCount()
            (results, value) = (live, count)
            for try await change in live.changes {
                #expect(change.objects.isEmpty)
                break
            }
        }
        #expect(results == nil)
        #expect(value == nil)
        #expect(!store.main.watch.isFollowing)
    }

    @Test func `Live results release objects that are inserted and deleted while unobserved`() async throws {
        let store = try Store(of: World.models)
        let live = try store.main.query(User.self).live()
        let sections = try store.main.query(User.self).liveSections { $0.name }
        final class Weak { weak var state: ObjectState? }
        var states: [Weak] = []
        for _ in 0..<200 {
            let user = User(in: store.main)
            states.append(Weak())
            states.last?.state = user._object
            try await store.main.save()
            store.main.delete(user)
            try await store.main.save()
        }
        #expect(states.count { $0.state != nil } < 100)
        let user = User(in: store.main)
        #expect(Array(live) == [user] && sections.count == 1)
    }

    @Test func `A loop over live results visits all objects, even if it removes them from the results`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(Issue.self, #"[{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]"#).objects
        for (number, issue) in issues.enumerated() { issue.number = number }
        let query = store.main.query(Issue.self).where { $0.state == .open }
        let (list, sections) = (try query.live(), try query.liveSections(by: { $0.number }))
        for issue in list { issue.state = .closed }
        #expect(issues.map(\.state) == [.closed, .closed, .closed, .closed])
        #expect(list.isEmpty && sections.isEmpty)
        for issue in issues { issue.state = .open }
        for section in sections {
            for issue in section { issue.state = .closed }
        }
        #expect(issues.map(\.state) == [.closed, .closed, .closed, .closed])
        #expect(list.isEmpty && sections.isEmpty)
    }

    @Test func `A live list stays in order when an edit meets a commit of another context`() async throws {
        let store = try Store(of: World.models)
        let users = try await store.main.take(
            User.self,
            #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}, {"id": 3, "login": "c"}, {"id": 4, "login": "d"}]"#
        ).objects
        let list = try store.main.query(User.self).order(by: { $0.login }).live()
        let logins = Tracker { list.objects.map(\.login) }
        await endStep(store)
        #expect(whileMainIsBusy(store) { try $0.find(User.self, 3)?.login = "z" })
        // The commit is merged when the list is updated after the edit.
        users[0].login = "dd"
        #expect(logins.takeWakings() == 1)
        #expect(logins.value == ["b", "d", "dd", "z"])
    }

    @Test func `A removed object lives until the readers of a live result have received its removal`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(User.self, #"[{"id": 1}, {"id": 2}]"#)
        let query = store.main.query(User.self)
        let changes = try query.live().changes.makeAsyncIterator()
        let sections = try query.limit(5).liveSections(by: { $0.name }).changes.makeAsyncIterator()
        _ = try await changes.next()
        _ = try await sections.next()
        weak var state: ObjectState?
        state = try store.main.find(User.self, 1)?._object
        try await store.background { context in
            if let user = try context.find(User.self, 1) { context.delete(user) }
        }
        // A new object at its address would count as the same.
        #expect(state != nil)
        #expect(try await changes.next()?.removals == [0])
        #expect(state != nil)
        #expect(try await sections.next()?.removals == [SectionPath(section: 0, item: 0)])
    }

    @Test func `A long live list is fetched again after hundreds of changes`() async throws {
        let store = try Store(of: World.models)
        let rows = (1...1200).map { #"{"id": \#($0), "title": "a"}"# }
        let issues = try await store.main.take(Issue.self, "[\(rows.joined(separator: ","))]").objects
        let list = try store.main.query(Issue.self).order(by: { $0.title }, .descending).live()
        for issue in issues.prefix(300) { issue.title = "b" }
        _ = try store.main.query(User.self).count()
        let work = try FileWork(of: store.main)
        #expect(list.objects.prefix(300).allSatisfy { $0.title == "b" } && list.objects.count == 1200)
        // Moving 300 objects one by one would read no row, but move all others 300 times.
        #expect(work.count.rowsRead >= 900)
        try work.stop(store.main)
    }

    @Test func `Observers of live results are woken when the file becomes unreadable and readable`() async throws {
        try await withTemporaryFolder { folder in
            let (file, elsewhere) = (folder.appending(path: "a.sqlite"), folder.appending(path: "b.sqlite"))
            let store = try Store(.file(file), models: World.models)
            let issue = try #require(
                try await store.main.take(Issue.self, #"{"id": 1, "assignee": {"id": 1, "login": "a"}}"#).objects.first)
            let query = store.main.query(Issue.self).where { $0.assignee.login == "a" }
            let (list, count) = (try query.live(), try query.liveCount())
            let sections = try query.liveSections(by: { $0.assignee.login })
            let trackers = [
                Tracker { "\(list.count) \(list.error == nil)" }, Tracker { "\(count.value) \(count.error == nil)" },
                Tracker { "\(sections.count) \(sections.error == nil)" },
            ]
            await endStep(store)
            try FileManager.default.moveItem(at: file, to: elsewhere)
            issue.title = "b"
            #expect(trackers.map { $0.takeWakings() } == [1, 1, 1])
            #expect(trackers.map(\.value) == ["1 false", "1 false", "1 false"])
            await endStep(store)
            try FileManager.default.moveItem(at: elsewhere, to: file)
            issue.title = "c"
            #expect(trackers.map { $0.takeWakings() } == [1, 1, 1])
            #expect(trackers.map(\.value) == ["1 true", "1 true", "1 true"])
        }
    }

    @Test func `Observers of the error of a live result alone are woken`() async throws {
        try await withTemporaryFolder { folder in
            let (file, elsewhere) = (folder.appending(path: "a.sqlite"), folder.appending(path: "b.sqlite"))
            let store = try Store(.file(file), models: World.models)
            let issue = try #require(
                try await store.main.take(Issue.self, #"{"id": 1, "assignee": {"id": 1, "login": "a"}}"#).objects.first)
            let query = store.main.query(Issue.self).where { $0.assignee.login == "a" }
            let (list, count) = (try query.live(), try query.liveCount())
            let sections = try query.liveSections(by: { $0.assignee.login })
            let trackers = [
                Tracker { list.error == nil }, Tracker { count.error == nil }, Tracker { sections.error == nil },
            ]
            issue.assignee?.login = "b"
            #expect(trackers.map { $0.takeWakings() } == [0, 0, 0])
            await endStep(store)
            try FileManager.default.moveItem(at: file, to: elsewhere)
            issue.title = "b"
            #expect(trackers.map { $0.takeWakings() } == [1, 1, 1])
            #expect(trackers.map(\.value) == [false, false, false])
        }
    }

    @Test func `Readers that wait for a change get the error of an update`() async throws {
        try await withTemporaryFolder { folder in
            let (file, elsewhere) = (folder.appending(path: "a.sqlite"), folder.appending(path: "b.sqlite"))
            let store = try Store(.file(file), models: World.models)
            let issue = try #require(
                try await store.main.take(Issue.self, #"{"id": 1, "assignee": {"id": 1, "login": "a"}}"#).objects.first)
            let query = store.main.query(Issue.self).where { $0.assignee.login == "a" }
            let list = try query.live().changes.makeAsyncIterator()
            let count = try query.liveCount().changes.makeAsyncIterator()
            let sections = try query.liveSections(by: { $0.assignee.login }).changes.makeAsyncIterator()
            #expect(try await list.next()?.objects.count == 1)
            #expect(try await count.next() == 1)
            #expect(try await sections.next()?.sections.count == 1)
            await endStep(store)
            try FileManager.default.moveItem(at: file, to: elsewhere)
            issue.title = "b"
            // Readers that weren't woken before end here.
            store.close()
            #expect(await failure { _ = try await list.next() } != "none")
            #expect(await failure { _ = try await count.next() } != "none")
            #expect(await failure { _ = try await sections.next() } != "none")
        }
    }

    @Test func `A live change lists insertions, removals, moves and changes`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(
            User.self,
            #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}, {"id": 3, "login": "c"}, {"id": 4, "login": "d"}]"#)
        let users = try store.main.query(User.self).order(by: { $0.login }).live()
        let changes = users.changes.makeAsyncIterator()
        #expect(try await changes.next()?.insertions == [0, 1, 2, 3])
        users[0].login = "z"
        var change = try #require(try await changes.next())
        #expect(change.moves == [.init(from: 0, to: 3)])
        #expect(change.changes == [3])
        #expect(change.removals.isEmpty && change.insertions.isEmpty)
        users[1].name = "C"
        change = try #require(try await changes.next())
        #expect(change.changes == [1])
        #expect(change.moves.isEmpty)
        store.main.delete(users[0])
        try await store.takeElsewhere(User.self, #"[{"id": 5, "login": "c2"}]"#)
        change = try #require(try await changes.next())
        #expect(change.removals == [0])
        #expect(change.insertions == [1])
        #expect(change.objects.map(\.login) == ["c", "c2", "d", "z"])
    }
}

// MARK: - Against an oracle

extension LiveResultsTests {
    /// The values that a reader of changes shows.
    private final class Screen<M: Model> {
        private let changes: LiveChanges<M>.Iterator
        private(set) var shown: [M] = []

        init(_ results: LiveResults<M>) { changes = results.changes.makeAsyncIterator() }

        /// Shows the next change as a list does: by its removals, insertions and moves.
        nonisolated(nonsending) func show() async throws {
            guard let change = try await changes.next() else { return }
            for index in (change.removals + change.moves.map(\.from)).sorted(by: >) { shown.remove(at: index) }
            for index in (change.insertions + change.moves.map(\.to)).sorted() {
                shown.insert(change.objects[index], at: index)
            }
            #expect(shown.map(ObjectIdentifier.init) == change.objects.map(ObjectIdentifier.init))
        }
    }

    @Test(arguments: 0..<16) func `Live results equal a fetch and report only real changes`(
        seed: Int
    ) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try Store(of: World.models)
        let world = try await Actors(in: store)
        let issues = store.main.query(Issue.self)
        let queries = [
            issues, issues.where { $0.state == .open }.order(by: { $0.title }, .descending),
            issues.order(by: { $0.number }).order(by: { $0.title }), issues.order(by: { $0.title }).limit(2, offset: 1),
            issues.where { $0.assignee == world.users[0] },
        ]
        let lists = try queries.map { try $0.live() }
        let trackers = lists.map { list in Tracker { list.map { $0._object.localID.rawValue } } }
        let screens = lists.map { Screen($0) }
        for screen in screens { try await screen.show() }
        var known = trackers.map(\.value)
        for step in 0..<60 {
            let action = try await world.act(in: store, &random)
            for index in lists.indices {
                let now = try queries[index].fetch().map { $0._object.localID.rawValue }
                let woken = trackers[index].takeWakings()
                #expect((woken > 0) == (now != known[index]), "seed \(seed), step \(step), \(action), query \(index)")
                #expect(trackers[index].present == now, "seed \(seed), step \(step), \(action), query \(index)")
                if now != known[index] { try await screens[index].show() }
                #expect(screens[index].shown.map { $0._object.localID.rawValue } == now)
                known[index] = now
            }
        }
    }

    @Test(arguments: 0..<8) func `Applying the difference of two lists to one gives the other`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let objects = (0..<12).map { _ in Box() }
        for _ in 0..<200 {
            func some() -> [ObjectIdentifier] {
                objects.shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random)).map(
                    ObjectIdentifier.init)
            }
            let (old, new) = (some(), some())
            let difference = LiveDifference(from: old, to: new, changed: [])
            var list = old
            for index in (difference.removals + difference.moves.map(\.from)).sorted(by: >) { list.remove(at: index) }
            for index in (difference.insertions + difference.moves.map(\.to)).sorted() {
                list.insert(new[index], at: index)
            }
            #expect(list == new)
        }
    }

    private final class Box {}
}
