import Foundation
import RestfulData

@Model("/notes") final class TaggedNote {
    var identifier: Int?
    var text = ""
    @Relationship("/notes/:id/tags", inverse: "notes") var tags: [NoteTag]
}

@Model("/tags") final class NoteTag {
    var identifier: Int?
    var name = ""
    @Relationship("/tags/:id/notes", inverse: "tags") var notes: [TaggedNote]
}

/// Notes are tagged from both sides and in two contexts, each of which has pairs of its own.
final class TaggedNotes: Scenario {
    struct Pair: Hashable, Comparable, CustomStringConvertible {
        var note: Int
        var tag: Int
        var description: String { "\(note)–\(tag)" }
        static func < (one: Pair, other: Pair) -> Bool { (one.note, one.tag) < (other.note, other.tag) }
    }

    enum Step: Sendable {
        case toggle(Pair, byNote: Bool)
        case save(isMain: Bool)
        case sync, restart
        case fetchNotes(isMain: Bool)
        case fetchTags(isMain: Bool)
        case fetchTagsOf(Int, isMain: Bool)
        case fetchNotesOf(Int, isMain: Bool)
    }

    let stage: Stage
    private var side: SideContext
    private var expected: Set<Pair>
    private var isSyncing = false
    /// Whether both contexts edit.
    private let isSplit: Bool

    init(variant: Int) async throws {
        isSplit = variant % 3 != 0
        let pairs = [(1, 1), (1, 2), (2, 2), (3, 3)].map { Pair(note: $0.0, tag: $0.1) }
        expected = Set(pairs)
        stage = try Stage([TaggedNote.self, NoteTag.self])
        stage.server.with { Self.begin(&$0, pairs, names: variant % 2 == 0) }
        side = SideContext(stage.store)
        for note in try await TaggedNote.fetchAll(in: stage.main) { _ = try await note.$tags.fetch() }
        for tag in try await NoteTag.fetchAll(in: stage.main) { _ = try await tag.$notes.fetch() }
    }

    static func step(_ dice: inout Dice) -> Step {
        let isMain = dice.flip()
        switch dice.roll(14) {
        case 0...4: return .toggle(Pair(note: dice.roll(3) + 1, tag: dice.roll(3) + 1), byNote: dice.flip())
        case 5, 6: return .save(isMain: isMain)
        case 7...9: return .sync
        case 10: return .fetchNotes(isMain: isMain)
        case 11: return .fetchTags(isMain: isMain)
        case 12:
            let id = dice.roll(3) + 1
            return dice.flip() ? .fetchTagsOf(id, isMain: isMain) : .fetchNotesOf(id, isMain: isMain)
        default: return dice.roll(2) == 0 ? .restart : .sync
        }
    }

    private func isMain(_ pair: Pair) -> Bool { !isSplit || (pair.note + pair.tag) % 2 == 0 }
    private func context(_ isMain: Bool) -> ObjectContext { isMain ? stage.main : side.context }
    private func name(_ isMain: Bool) -> String { isMain ? "main" : "the side" }

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .toggle(let pair, let byNote): return try toggle(pair, byNote: byNote)
        case .save(let isMain):
            await stage.attempt { try await context(isMain).save() }
            return "save \(name(isMain))"
        case .sync:
            stage.begin { await self.sync() }
            return "sync"
        case .fetchNotes(let isMain):
            stage.begin { [context = context(isMain)] in _ = try await TaggedNote.fetchAll(in: context) }
            return "fetch notes in \(name(isMain))"
        case .fetchTags(let isMain):
            stage.begin { [context = context(isMain)] in _ = try await NoteTag.fetchAll(in: context) }
            return "fetch tags in \(name(isMain))"
        case .fetchTagsOf(let id, let isMain):
            stage.begin { [context = context(isMain)] in
                _ = try await context.find(TaggedNote.self, id)?.$tags.fetch()
            }
            return "fetch tags of note \(id) in \(name(isMain))"
        case .fetchNotesOf(let id, let isMain):
            stage.begin { [context = context(isMain)] in
                _ = try await context.find(NoteTag.self, id)?.$notes.fetch()
            }
            return "fetch notes of tag \(id) in \(name(isMain))"
        case .restart:
            try await stage.restart {
                try await stage.main.save()
                try await side.context.save()
            }
            side = SideContext(stage.store)
            return "restart"
        }
    }

    private func toggle(_ pair: Pair, byNote: Bool) throws -> String? {
        let context = context(isMain(pair))
        guard let note = try context.find(TaggedNote.self, pair.note),
            let tag = try context.find(NoteTag.self, pair.tag)
        else { return nil }
        if expected.remove(pair) != nil {
            if byNote { note.tags.removeAll { $0 === tag } } else { tag.notes.removeAll { $0 === note } }
        } else {
            expected.insert(pair)
            if byNote { note.tags.append(tag) } else { tag.notes.append(note) }
        }
        return
            "in \(name(isMain(pair))), \(expected.contains(pair) ? "+" : "-")\(pair) by the \(byNote ? "note" : "tag")"
    }

    private func sync() async {
        guard !isSyncing else { return }
        isSyncing = true
        defer { isSyncing = false }
        await stage.attempt { try await side.context.save() }
        for id in 1...3 {
            await stage.attempt { try await stage.main.find(TaggedNote.self, id)?.save() }
            await stage.attempt { try await stage.main.find(NoteTag.self, id)?.save() }
        }
    }

    func problem() throws -> String? {
        for note in 1...3 {
            for tag in 1...3 {
                if let problem = try problem(of: Pair(note: note, tag: tag)) { return problem }
            }
        }
        return nil
    }

    private func problem(of pair: Pair) throws -> String? {
        let context = context(isMain(pair))
        guard let note = try context.find(TaggedNote.self, pair.note),
            let tag = try context.find(NoteTag.self, pair.tag)
        else { return "\(pair) is not here" }
        let sides = (note.tags.contains { $0 === tag }, tag.notes.contains { $0 === note })
        guard sides.0 == sides.1 else { return "\(pair) is \(sides.0) by its note and \(sides.1) by its tag" }
        return sides.0 == expected.contains(pair) ? nil : "\(pair) is \(sides.0), set was \(expected.contains(pair))"
    }

    func finish() async throws -> String? {
        try await stage.main.save()
        for _ in 0..<3 { await sync() }
        if let problem = try problem() { return "synchronized, \(problem)" }
        guard !stage.main.hasChanges, !side.context.hasChanges else { return "there are changes" }
        for id in 1...3 {
            let note = try stage.main.find(TaggedNote.self, id)?.unsentProperties ?? []
            let tag = try stage.main.find(NoteTag.self, id)?.unsentProperties ?? []
            guard note.isEmpty, tag.isEmpty else { return "unsent of \(id): \(note) \(tag)" }
        }
        let there = stage.server.with { Set($0.pairs) }
        return there == expected ? nil : "the server has \(there.sorted()), set was \(expected.sorted())"
    }
}

// MARK: - The service

extension TaggedNotes {
    /// A service that keeps pairs, and names those of an object with it or doesn't.
    nonisolated private static func begin(_ world: inout PlayWorld, _ pairs: [Pair], names: Bool) {
        world.tables = [
            "notes": (1...3).map { ["id": .int($0), "text": "x"] },
            "tags": (1...3).map { ["id": .int($0), "name": "t"] },
        ]
        world.pairs = pairs
        world.taking = { world, table, row, body in
            let id = row.int("id")
            if table == "notes", body["tag_ids"] != nil {
                world.pairs.removeAll { $0.note == id }
                world.pairs += body.ints("tag_ids").map { Pair(note: id, tag: $0) }
            }
            if table == "tags", body["note_ids"] != nil {
                world.pairs.removeAll { $0.tag == id }
                world.pairs += body.ints("note_ids").map { Pair(note: $0, tag: id) }
            }
            row["tag_ids"] = nil
            row["note_ids"] = nil
            return [:]
        }
        world.showing = { world, table, row in
            guard names else { return row }
            var row = row
            let id = row.int("id")
            if table == "notes" { row["tag_ids"] = .ints(world.pairs.filter { $0.note == id }.map(\.tag).sorted()) }
            if table == "tags" { row["note_ids"] = .ints(world.pairs.filter { $0.tag == id }.map(\.note).sorted()) }
            return row
        }
        world.listing = { world, parts, _ in
            guard parts.count == 3, let id = Int(parts[1]) else { return nil }
            let ids =
                parts[0] == "notes"
                ? world.pairs.filter { $0.note == id }.map(\.tag) : world.pairs.filter { $0.tag == id }.map(\.note)
            return ids.sorted().compactMap { world.row(parts[2], "\($0)") }
        }
    }
}

extension PlayWorld {
    fileprivate var pairs: [TaggedNotes.Pair] {
        get { (tables["pairs"] ?? []).map { TaggedNotes.Pair(note: $0.int("note"), tag: $0.int("tag")) } }
        set { tables["pairs"] = newValue.map { ["note": .int($0.note), "tag": .int($0.tag)] } }
    }
}
