import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Random payloads of a class hierarchy, through several routes, compared with a naive model of each row.
@MainActor
@Suite struct InheritanceSimulationTests {
    nonisolated static let seeds = Fuzzing.seeds(60)

    @Test(arguments: seeds)
    func `Every context shows each row as an object of its current class`(_ seed: UInt64) async throws {
        var simulation = try Simulation(seed: seed)
        for _ in 0..<30 {
            try await simulation.step()
            try await simulation.compare()
        }
        #expect(try simulation.store.check() == [])
    }
}

@MainActor
private struct Simulation {
    /// A row's values.
    struct Row: Equatable {
        var type = ""
        var size = 0
        var note: String?
        /// The branch of a push, the source of a fork.
        var texts: [String: String] = [:]

        var model: String {
            switch type {
            case "PushEvent", "push_event": "PushEvent"
            case "ForkEvent", "Copy": "ForkEvent"
            default: "Event"
            }
        }
    }

    let seed: UInt64
    let store: Store
    var generator: SeededGenerator
    var rows: [Int: Row] = [:]
    /// Notes with unsaved edits in the main context, while others commit.
    var edits: [Int: String] = [:]
    /// Retained objects of any former class.
    var held: [Event] = []
    var log: [String] = []

    init(seed: UInt64) throws {
        self.seed = seed
        store = try Store(of: Activity.models)
        generator = SeededGenerator(seed: seed)
    }

    mutating func step() async throws {
        let bodies = (0..<Int.random(in: 1...4, using: &generator)).map { _ in payload() }
        let json = "[\(bodies.joined(separator: ", "))]"
        log.append(json)
        if Bool.random(using: &generator) {
            try await store.takeElsewhere(Event.self, json)
        } else {
            held += try await store.main.take(Event.self, json).objects
        }
        if let edited = held.randomElement(using: &generator), let id = edited.identifier {
            try await edit(edited, id)
        }
        held = Array(held.suffix(12))
    }

    /// An object with some of its keys in some order, and the expected result.
    private mutating func payload() -> String {
        let id = Int.random(in: 1...6, using: &generator)
        var row = rows[id] ?? Row()
        var members = ["\"id\": \(id)"]
        if Int.random(in: 0..<3, using: &generator) > 0 {
            row.type =
                ["PushEvent", "push_event", "ForkEvent", "Copy", "WatchEvent", ""].randomElement(using: &generator)
                ?? ""
            members.append("\"type\": \"\(row.type)\"")
        }
        if Bool.random(using: &generator) {
            row.note = "n\(Int.random(in: 0..<9, using: &generator))"
            members.append("\"note\": \"\(row.note ?? "")\"")
        }
        if Bool.random(using: &generator) {
            let size = Int.random(in: 0..<9, using: &generator)
            if row.model != "Event" { row.size = size }
            members.append("\"size\": \(size)")
        }
        if Bool.random(using: &generator) {
            let text = "r\(Int.random(in: 0..<9, using: &generator))"
            if row.model != "Event" { row.texts[row.model] = text }
            members.append("\"ref\": \"\(text)\"")
        }
        rows[id] = row
        return "{\(members.shuffled(using: &generator).joined(separator: ", "))}"
    }

    /// A saved and confirmed edit of an inherited property, through an object of any class.
    private mutating func edit(_ event: Event, _ id: Int) async throws {
        // The value differs from the file's, so it is an edit.
        let note = "e\(log.count)"
        event.note = note
        log.append("edit \(id) \(note)")
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: edits[id] = note
        case 1:
            store.main.rollback()
            edits = [:]
        default:
            var batch = store.main.batch(of: [event])
            batch.isConfirmed = true
            try await store.main.openFile().write([batch])
            rows[id]?.note = note
            edits[id] = nil
        }
    }

    func compare() async throws {
        let expected = rows.mapValues { $0.model }
        let trace = "seed \(seed):\n" + log.suffix(6).joined(separator: "\n")
        #expect(try await store.eventClasses() == expected, "\(trace)")
        for (id, stored) in rows {
            var row = stored
            if let note = edits[id] { row.note = note }
            let event = try #require(try store.main.find(Event.self, id))
            #expect(read(event) == row && "\(Swift.type(of: event as AnyObject))" == row.model, "\(id): \(trace)")
            for other in held where other.identifier == id {
                #expect(other.note == row.note && other.type == row.type, "\(id): \(trace)")
            }
        }
        for name in ["PushEvent", "ForkEvent"] {
            let ids =
                name == "PushEvent"
                ? try store.main.query(PushEvent.self).fetch().compactMap(\.identifier)
                : try store.main.query(ForkEvent.self).fetch().compactMap(\.identifier)
            #expect(Set(ids) == Set(rows.filter { $0.value.model == name }.keys), "\(trace)")
        }
    }

    /// An object's values; those that its class lacks are taken from the model.
    private func read(_ event: Event) -> Row {
        var row = rows[event.identifier ?? 0] ?? Row()
        row.type = event.type
        row.note = event.note
        if let push = event as? PushEvent {
            row.size = push.size
            row.texts["PushEvent"] = push.branch
        } else if let fork = event as? ForkEvent {
            row.size = fork.size
            row.texts["ForkEvent"] = fork.source
        }
        return row
    }
}
