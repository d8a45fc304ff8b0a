import Observation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

@MainActor
@Suite struct ObjectObservationTests {
    @Test func `An edit wakes only the observers of its property`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(
            try await store.main.take(Issue.self, #"[{"id": 1, "title": "a", "number": 5}]"#).objects.first)
        let title = Tracker { issue.title }
        let number = Tracker { issue.number }
        let state = Tracker { issue.state }
        issue.title = "b"
        #expect(title.takeWakings() == 1)
        #expect(number.takeWakings() == 0)
        issue.title = "b"
        #expect(title.takeWakings() == 0)
        issue.number = 6
        issue.state = .closed
        #expect(title.takeWakings() == 0)
        #expect(number.takeWakings() == 1)
        #expect(state.takeWakings() == 1)
    }

    @Test func `An error of a read is thrown by the next save, also while unsent objects are observed`() async throws {
        let store = try Store(of: World.models)
        let issue = try #require(try await store.main.take(Issue.self, #"[{"id": 1, "title": "a"}]"#).objects.first)
        let unsent = Tracker { (try? store.main.unsent())?.count }
        store.main.noteFailure(StoreError.timedOut)
        issue.title = "b"
        #expect(await failure { try await store.main.save() } == "\(StoreError.timedOut)")
        try await store.main.save()
        #expect(unsent.present == 1)
        #expect(!store.main.hasChanges)
    }
}

// MARK: - Against an oracle

extension ObjectObservationTests {
    /// A tracked property, and whether its change was notified.
    private struct Observer {
        let name: String
        let tracker: Tracker<String>
        var known: String
    }

    @Test(arguments: 0..<12) func `Observers are woken exactly when their value changes`(
        seed: Int
    ) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try Store(of: World.models)
        let world = try await Actors(in: store)
        var observers = world.readings().map { name, read in
            let tracker = Tracker(read)
            return Observer(name: name, tracker: tracker, known: tracker.value)
        }
        for step in 0..<60 {
            let action = try await world.act(in: store, &random)
            for index in observers.indices {
                let (now, woken) = (observers[index].tracker.present, observers[index].tracker.takeWakings())
                let isChanged = now != observers[index].known
                #expect(
                    (woken > 0) == isChanged,
                    "seed \(seed), step \(step), \(action): \(observers[index].name), \(observers[index].known) to \(now)"
                )
                observers[index].known = now
            }
        }
    }
}
