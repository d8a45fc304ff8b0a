import Foundation
import Observation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

@MainActor
@Suite struct LiveSectionsTests {
    private let issues = #"""
        [{"id": 1, "title": "a", "state": "open", "repository": {"id": 1, "name": "x", "stars": 1}},
         {"id": 2, "title": "b", "state": "closed", "repository": {"id": 2, "name": "y", "stars": 2}},
         {"id": 3, "title": "c", "state": "open", "repository": {"id": 2}},
         {"id": 4, "title": "d", "state": "open"}]
        """#

    @Test func `A section has the objects of one value and exists while it has any`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(Issue.self, issues).objects
        let sections = try store.main.query(Issue.self).order(by: { $0.title }, .descending).liveSections(by: {
            $0.state
        })
        let list = Tracker { sections.map { "\($0.value) \($0.map(\.title).joined())" } }
        #expect(list.value == ["closed b", "open dca"])
        let ids = sections.map(\.id)
        issues[1].state = .open
        #expect(list.takeWakings() == 1)
        #expect(list.value == ["open dcba"])
        #expect(sections.map(\.id) == [ids[1]])
        issues[1].number = 5
        #expect(list.takeWakings() == 0)
        store.main.rollback()
        #expect(list.takeWakings() == 1)
        #expect(sections.map(\.id) == ids)
        #expect(sections.objects.map(\.title) == ["b", "d", "c", "a"])
        #expect(sections[SectionPath(section: 1, item: 2)] === issues[0])
    }

    @Test func `Sections by a linked object's attribute follow that attribute`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(Issue.self, issues).objects
        let sections = try store.main.query(Issue.self).liveSections(by: { $0.repository.name }, nils: .last)
        let list = Tracker { sections.map { "\($0.value ?? "none") \($0.map(\.title).joined())" } }
        #expect(list.value == ["x a", "y bc", "none d"])
        issues[1].repository?.name = "w"
        #expect(list.takeWakings() == 1)
        #expect(list.value == ["w bc", "x a", "none d"])
        try await store.takeElsewhere(Repository.self, #"{"id": 1, "name": "w"}"#)
        #expect(list.present == ["w abc", "none d"])
    }

    @Test func `Sections by a linked object move with its order`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(Issue.self, issues).objects
        let sections = try store.main.query(Issue.self)
            .liveSections(by: { $0.repository }, order: { $0.stars }, .descending)
        let changes = sections.changes.makeAsyncIterator()
        _ = try await changes.next()
        #expect(sections.map { $0.value?.name } == ["y", "x", nil])
        #expect(sections[1].value === issues[0].repository)
        let ids = sections.map(\.id)
        issues[0].repository?.stars = 3
        let change = try #require(try await changes.next())
        #expect(change.sectionMoves == [.init(from: 1, to: 0)])
        #expect(change.moves.isEmpty && change.insertions.isEmpty && change.removals.isEmpty)
        #expect(change.sections.map(\.id) == [ids[1], ids[0], ids[2]])
    }

    @Test func `A live change has paths for objects in kept sections, and whole inserted sections`() async throws {
        let store = try Store(of: World.models)
        let issues = try await store.main.take(Issue.self, issues).objects
        let sections = try store.main.query(Issue.self).order(by: { $0.title }).liveSections(by: { $0.number })
        let changes = sections.changes.makeAsyncIterator()
        var change = try #require(try await changes.next())
        #expect(change.sectionInsertions == [0])
        #expect(change.insertions.isEmpty)
        issues[1].number = 1
        change = try #require(try await changes.next())
        #expect(change.sectionInsertions == [1])
        #expect(change.removals == [SectionPath(section: 0, item: 1)])
        #expect(change.insertions.isEmpty && change.moves.isEmpty && change.changes.isEmpty)
        issues[3].number = 1
        change = try #require(try await changes.next())
        #expect(change.moves == [.init(from: SectionPath(section: 0, item: 2), to: SectionPath(section: 1, item: 1))])
        #expect(change.changes == [SectionPath(section: 1, item: 1)])
        #expect(change.moves[0].to.indexPath == [1, 1])
        issues[0].title = "z"
        change = try #require(try await changes.next())
        #expect(change.moves == [.init(from: SectionPath(section: 0, item: 0), to: SectionPath(section: 0, item: 1))])
        for issue in issues { issue.number = 1 }
        change = try #require(try await changes.next())
        #expect(change.sectionRemovals == [0])
        #expect(change.insertions == [SectionPath(section: 0, item: 1), SectionPath(section: 0, item: 3)])
        #expect(change.removals.isEmpty && change.moves.isEmpty)
        issues[1].state = .open
        #expect(try await changes.next()?.changes == [SectionPath(section: 0, item: 0)])
    }

    @Test func `Numbers written in several ways share a section`() async throws {
        let store = try Store(of: [Price.self])
        let prices = try await store.main.take(
            Price.self, #"[{"id": 1, "amount": "1.5"}, {"id": 2, "amount": "1.50"}, {"id": 3, "amount": "10"}]"#
        ).objects
        let sections = try store.main.query(Price.self).liveSections(by: { $0.amount })
        #expect(sections.map { $0.map(\.identifier) } == [[1, 2], [3]])
        prices[2].amount = Decimal(string: "1.500")
        #expect(sections.map { $0.map(\.identifier) } == [[1, 2, 3]])
        prices[0].amount = nil
        #expect(sections.map(\.value) == [nil, Decimal(string: "1.5")])
    }

    @Test func `Submodels have sections by inherited and own properties`() async throws {
        let store = try Store(of: Activity.models)
        let events = try await store.main.take(
            Event.self,
            #"""
            [{"id": 1, "type": "PushEvent", "size": 2, "note": "a", "actor": {"id": 1, "login": "p"}},
             {"id": 2, "type": "PushEvent", "size": 1, "note": "a"}, {"id": 3, "type": "Copy", "note": "a"}]
            """#
        ).objects
        let pushes = store.main.query(PushEvent.self)
        let byNote = try pushes.liveSections(by: { $0.note })
        let bySize = try pushes.liveSections(by: { $0.size })
        let byActor = try pushes.liveSections(by: { $0.actor }, order: { $0.login })
        #expect(byNote.map { $0.map(\.identifier) } == [[1, 2]])
        #expect(bySize.map { $0.map(\.identifier) } == [[2], [1]])
        #expect(byActor.map { $0.value?.login } == [nil, "p"])
        events[1].note = "b"
        #expect(byNote.map(\.value) == ["a", "b"])
    }

    @Test func `Released live sections leave no trace`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(Issue.self, issues)
        weak var sections: LiveSections<Issue, Issue.State>?
        weak var objects: LiveSections<Issue, Repository?>?
        do {
            let live = try store.main.query(Issue.self).liveSections(by: { $0.state })
            let linked = try store.main.query(Issue.self).liveSections(by: { $0.repository }, order: { $0.name })
            (sections, objects) = (live, linked)
            #expect(linked.count == 3)
            for try await change in live.changes {
                #expect(change.sections.count == 2)
                break
            }
        }
        #expect(sections == nil)
        #expect(objects == nil)
        #expect(!store.main.watch.isFollowing)
    }

    @Test func `Live sections end and keep their objects when the store is closed`() async throws {
        let store = try Store(of: World.models)
        try await store.main.take(Issue.self, issues)
        let sections = try store.main.query(Issue.self).liveSections(by: { $0.state })
        let changes = sections.changes.makeAsyncIterator()
        _ = try await changes.next()
        store.close()
        #expect(try await changes.next() == nil)
        #expect(sections.map(\.count) == [1, 3])
    }
}

/// Its values are numbers that are stored as text.
@Model
private final class Price {
    var identifier: Int?
    var amount: Decimal?
}
