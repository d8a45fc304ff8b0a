import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Compares live sections with a fetch and a grouping, and applies their differences to the earlier sections.
@MainActor
@Suite struct LiveSectionsSimulationTests {
    /// A section: its value, and its objects' rows.
    struct Section: Equatable {
        let name: String
        let rows: [Int64]
    }

    /// The values that a reader of changes shows.
    private final class Screen<Value> {
        private let changes: LiveSectionChanges<Issue, Value>.Iterator
        private(set) var shown: [[Issue]] = []

        init(_ sections: LiveSections<Issue, Value>) { changes = sections.changes.makeAsyncIterator() }

        /// Shows the next change as a list does.
        nonisolated(nonsending) func show() async throws {
            guard let change = try await changes.next() else { return }
            for path in (change.removals + change.moves.map(\.from)).sorted(by: >) {
                shown[path.section].remove(at: path.item)
            }
            var moved: [Int: [Issue]] = [:]
            for move in change.sectionMoves { moved[move.to] = shown[move.from] }
            for index in (change.sectionRemovals + change.sectionMoves.map(\.from)).sorted(by: >) {
                shown.remove(at: index)
            }
            for index in (change.sectionInsertions + change.sectionMoves.map(\.to)).sorted() {
                shown.insert(moved[index] ?? Array(change.sections[index]), at: index)
            }
            for path in (change.insertions + change.moves.map(\.to)).sorted() {
                shown[path.section].insert(change.sections[path.section][path.item], at: path.item)
            }
            for path in change.changes {
                #expect(shown[path.section][path.item] === change.sections[path.section][path.item])
            }
        }
    }

    /// One kind of sections, looked at in every way.
    private struct Watch {
        let expected: () throws -> [Section]
        let tracker: Tracker<[Section]>
        let show: () async throws -> [[Int64]]
    }

    /// - Parameters:
    ///   - query: the same in the order of the sections.
    ///   - value: the section that an object belongs in.
    private func watch<Value>(
        _ sections: LiveSections<Issue, Value>, beside query: ObjectQuery<Issue>, by value: @escaping (Issue) -> Value
    ) -> Watch {
        // The parts of a name aren't read, as their changes would then wake the tracker of the sections.
        func name(_ value: Value) -> String {
            (value as? any Model).map { "\($0._object.localID.rawValue)" } ?? "\(value)"
        }
        let screen = Screen(sections)
        return Watch(
            expected: {
                var groups: [(name: String, rows: [Int64])] = []
                for issue in try query.fetch() {
                    let name = name(value(issue))
                    if groups.last?.name != name { groups.append((name, [])) }
                    groups[groups.count - 1].rows.append(issue._object.localID.rawValue)
                }
                return groups.map { Section(name: $0.name, rows: $0.rows) }
            },
            tracker: Tracker {
                sections.map { section in
                    Section(name: name(section.value), rows: section.map { $0._object.localID.rawValue })
                }
            },
            show: {
                try await screen.show()
                return screen.shown.map { $0.map { $0._object.localID.rawValue } }
            })
    }

    private func watches(in store: Store, _ world: Actors) throws -> [Watch] {
        let issues = store.main.query(Issue.self)
        let open = issues.where { $0.state == .open }.order(by: { $0.title }, .descending)
        let assigned = issues.where { $0.assignee == world.users[0] }
        return [
            watch(
                try open.liveSections(by: { $0.number }),
                beside: issues.where { $0.state == .open }
                    .order(by: { $0.number }).order(by: { $0.title }, .descending)
            ) { $0.number },
            watch(
                try issues.liveSections(by: { $0.title }, .descending),
                beside: issues.order(by: { $0.title }, .descending)
            ) {
                $0.title
            },
            watch(try assigned.liveSections(by: { $0.state }), beside: assigned.order(by: { $0.state })) {
                $0.state
            },
            watch(
                try issues.order(by: { $0.title }).limit(3, offset: 1).liveSections(by: { $0.number }, nils: .last),
                beside: issues.order(by: { $0.number }, nils: .last).order(by: { $0.title }).limit(3, offset: 1)
            ) { $0.number },
            watch(
                try issues.order(by: { $0.title }).liveSections(by: { $0.assignee.login }),
                beside: issues.order(by: { $0.assignee.login }).order(by: { $0.title })
            ) { $0.assignee?.login },
            watch(
                try issues.liveSections(by: { $0.repository }, order: { $0.isPrivate }, .descending),
                beside: issues.order(by: { $0.repository.isPrivate }, .descending)
                    .order(by: { $0.repository.identifier }, .descending)
            ) { $0.repository },
        ]
    }

    @Test(arguments: Fuzzing.seeds(16))
    func `Live sections equal a grouped fetch and report only real changes`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try Store(of: World.models)
        let world = try await Actors(in: store)
        let watches = try watches(in: store, world)
        for watch in watches { #expect(try await watch.show() == watch.expected().map(\.rows)) }
        var known = watches.map(\.tracker.value)
        var shown = known
        for step in 0..<60 {
            let action = try await world.act(in: store, &random)
            for (index, watch) in watches.enumerated() {
                let place = Testing.Comment(rawValue: "seed \(seed), step \(step), \(action), sections \(index)")
                let now = try watch.expected()
                #expect((watch.tracker.takeWakings() > 0) == (now != known[index]), place)
                #expect(watch.tracker.present == now, place)
                // Now and then a reader is slow.
                if now != shown[index], Int.random(in: 0..<3, using: &random) > 0 {
                    #expect(try await watch.show() == now.map(\.rows), place)
                    shown[index] = now
                }
                known[index] = now
            }
        }
    }

    // MARK: Differences

    /// A list in sections, as its objects' numbers.
    private typealias List = [[Int]]

    private final class Box {}

    private let boxes = (0..<14).map { _ in Box() }

    private func places(_ list: [(key: Int, items: [Int])]) -> SectionedPlaces {
        SectionedPlaces(
            list.flatMap(\.items).map { ObjectIdentifier(boxes[$0]) },
            SectionRuns(
                of: list.flatMap { section in section.items.map { _ in StoredValue.integer(Int64(section.key)) } }))
    }

    /// Applies a difference to a list, in its order.
    private func apply(_ difference: SectionDifference, to old: List, becoming new: List) -> List {
        var list = old
        for path in (difference.removals + difference.moves.map(\.from)).sorted(by: >) {
            list[path.section].remove(at: path.item)
        }
        let moved = Dictionary(uniqueKeysWithValues: difference.sectionMoves.map { ($0.to, list[$0.from]) })
        for index in (difference.sectionRemovals + difference.sectionMoves.map(\.from)).sorted(by: >) {
            list.remove(at: index)
        }
        for index in (difference.sectionInsertions + difference.sectionMoves.map(\.to)).sorted() {
            list.insert(moved[index] ?? new[index], at: index)
        }
        for path in (difference.insertions + difference.moves.map(\.to)).sorted() {
            list[path.section].insert(new[path.section][path.item], at: path.item)
        }
        return list
    }

    @Test(arguments: 0..<8) func `Applying the difference of two lists of sections to one gives the other`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<200 {
            func some() -> [(key: Int, items: [Int])] {
                var rest = boxes.indices.shuffled(using: &random).prefix(Int.random(in: 0...14, using: &random))
                return (0..<5).shuffled(using: &random).compactMap { key in
                    let items = Array(rest.prefix(Int.random(in: 0...4, using: &random)))
                    rest = rest.dropFirst(items.count)
                    return items.isEmpty ? nil : (key, items)
                }
            }
            let (old, new) = (some(), some())
            let difference = SectionDifference(from: places(old), to: places(new), changed: [])
            #expect(apply(difference, to: old.map(\.items), becoming: new.map(\.items)) == new.map(\.items))
        }
    }

    @Test(arguments: 0..<8) func `A patch of sections equals a full comparison and moves only changed objects`(
        seed: Int
    ) {
        var random = SeededGenerator(seed: UInt64(seed))
        var keys = boxes.indices.map { _ in Int.random(in: 0..<4, using: &random) }
        var isShown = boxes.indices.map { _ in Bool.random(using: &random) }
        var ranks = boxes.indices.map { $0 * 10 }
        func list() -> [Int] {
            boxes.indices.filter { isShown[$0] }.sorted { (keys[$0], ranks[$0]) < (keys[$1], ranks[$1]) }
        }
        func sections() -> [(key: Int, items: [Int])] {
            (0..<4).map { key in (key, list().filter { keys[$0] == key }) }.filter { !$0.items.isEmpty }
        }
        for _ in 0..<200 {
            let (old, oldList) = (sections(), list())
            let touched = Set(
                (0..<Int.random(in: 1...4, using: &random)).map { _ in boxes.indices.randomElement(using: &random)! })
            for index in touched.sorted() {
                keys[index] = Int.random(in: 0..<4, using: &random)
                isShown[index] = Int.random(in: 0..<4, using: &random) > 0
                ranks[index] = Int.random(in: 0..<14, using: &random) * 10 + Int.random(in: 1..<9, using: &random)
            }
            let (new, newList) = (sections(), list())
            var patch = LivePatch()
            patch.taken = oldList.indices.filter { touched.contains(oldList[$0]) }
            patch.put = newList.indices.filter { touched.contains(newList[$0]) }
                .map { (from: oldList.firstIndex(of: newList[$0]), to: $0) }
            let (runs, matching) = places(old).runs.patched(
                patch, keys: patch.put.map { .integer(Int64(keys[newList[$0.to]])) },
                by: { StoredValue.order($0, $1) < 0 })
            #expect(runs == places(new).runs)
            let difference = SectionDifference(patch, from: places(old).runs, to: runs, matching)
            #expect(apply(difference, to: old.map(\.items), becoming: new.map(\.items)) == new.map(\.items))
            let changed = Set(touched.map { ObjectIdentifier(boxes[$0]) })
            let full = SectionDifference(from: places(old), to: places(new), changed: changed)
            #expect(difference.sectionRemovals == full.sectionRemovals)
            #expect(difference.sectionInsertions == full.sectionInsertions)
            #expect(difference.insertions == full.insertions)
            #expect(difference.removals == full.removals)
            #expect(difference.changes == full.changes)
            #expect((full.moves.count...touched.count).contains(difference.moves.count))
        }
    }
}
