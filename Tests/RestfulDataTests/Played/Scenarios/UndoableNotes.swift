import Foundation
import RestfulData

@Model("/folders") final class UndoFolder {
    var identifier: Int?
    var name = ""
    @Relationship(inverse: "folder") var notes: [UndoNote]
}

@Model("/notes") final class UndoNote {
    var identifier: Int?
    /// Makes a second creation equal to the first.
    var uid = ""
    var title = ""
    var text: String?
    var remark: String?
    @Relationship(inverse: nil) var place: UndoPlace?
    var folder: UndoFolder?
}

@Model(embedded: true) final class UndoPlace {
    var city = ""
}

/// Notes are edited, filed, undone and done again while they are sent and fetched, and others put remarks on them.
final class UndoableNotes: Scenario {
    enum Field: CaseIterable, Sendable { case title, text, city, folder }

    enum Step: Sendable {
        case edit(Int, Field, value: Int)
        /// Several edits as one.
        case editTwo(Int, Int, value: Int)
        case file(Int, value: Int)
        case make(folder: Int)
        case discard(Int)
        case undo, redo, saveLocally, sync, fetchNotes, fetchFolders, restart
        case send(Int)
        case fetch(Int)
        case othersRemark(Int, remark: Int)
    }

    private struct Value: Hashable {
        var note: String
        var field: Field
    }

    /// The effect of a group of edits: the values before it, and whether the note existed.
    private struct Group {
        var values: [Value: String?] = [:]
        var existence: [String: Bool] = [:]
    }

    let stage: Stage
    /// The form that is edited and undone, if not the main context.
    private var form: Draft?
    private var history: UndoHistory
    private var expected: [Value: String?] = [:]
    private var exists: [String: Bool] = [:]
    private var done: [Group] = []
    private var undone: [Group] = []
    private var isSyncing = false
    /// The new ones that the server may have.
    private var sent: Set<String> = []
    private var count = 0

    init(variant: Int) async throws {
        stage = try Stage([UndoNote.self, UndoFolder.self, UndoPlace.self])
        stage.server.with { Self.begin(&$0, names: variant % 2 == 0) }
        let notes = try await UndoNote.fetchAll(in: stage.main)
        _ = try await UndoFolder.fetchAll(in: stage.main)
        form = variant % 3 == 2 ? try stage.main.draft() : nil
        history = (form?.context ?? stage.main).recordUndo()
        for note in notes {
            exists[note.uid] = true
            for field in Field.allCases { expected[Value(note: note.uid, field: field)] = field.value(of: note) }
        }
    }

    static func step(_ dice: inout Dice) -> Step {
        switch dice.roll(24) {
        case 0...4: .edit(dice.pick(), Field.allCases[dice.roll(4)], value: dice.pick())
        case 5: .editTwo(dice.pick(), dice.pick(), value: dice.pick())
        case 6: .file(dice.pick(), value: dice.pick())
        case 7: dice.flip() ? .make(folder: dice.pick()) : .discard(dice.pick())
        case 8...11: .undo
        case 12, 13: .redo
        case 14: .saveLocally
        case 15, 16: .send(dice.pick())
        case 17, 18: .sync
        case 19: .fetch(dice.pick())
        case 20: .fetchNotes
        case 21: .fetchFolders
        case 22: .othersRemark(dice.pick(), remark: dice.roll(4))
        default: dice.flip() ? .restart : .undo
        }
    }

    // MARK: State

    private var context: ObjectContext { form?.context ?? stage.main }

    private func object(_ uid: String) throws -> UndoNote? {
        // One whose creation had no answer may be there twice until it is sent again.
        let same = try context.query(UndoNote.self).where { $0.uid == uid }.fetch()
        return same.first { $0.identifier == nil } ?? same.first
    }

    private func uid(_ pick: Int) -> String? {
        let some = exists.filter(\.value).keys.sorted()
        return some.isEmpty ? nil : some[pick % some.count]
    }

    private func note(_ pick: Int) throws -> UndoNote? { try uid(pick).flatMap { try object($0) } }

    private func did(_ group: Group) {
        done.append(group)
        undone = []
    }

    /// Makes an edit in a form one group, as its turn of the run loop may come later than the next step.
    private func asOne<Result>(_ edit: () throws -> Result) rethrows -> Result {
        form == nil ? try edit() : try history.group(nil, edit)
    }

    private func forgetHistory() {
        history.removeAll()
        (done, undone) = ([], [])
    }

    // MARK: Steps

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .edit(let pick, let field, let value):
            guard let note = try note(pick) else { return nil }
            var group = Group()
            let text = try asOne { try edit(note, field, value, in: &group) }
            did(group)
            return text
        case .editTwo(let one, let other, let value):
            guard let one = try note(one), let other = try note(other) else { return nil }
            var group = Group()
            let text = try history.group("Both") {
                try edit(one, .title, value, in: &group) + ", " + edit(other, .folder, value, in: &group)
            }
            did(group)
            return text
        case .file(let pick, let value):
            guard let note = try note(pick), let folder = try otherFolder(note, value) else { return nil }
            let key = Value(note: note.uid, field: .folder)
            did(Group(values: [key: expected[key] ?? nil]))
            asOne { folder.notes.append(note) }
            expected[key] = Field.folder.value(of: note)
            return "the list of folder \(folder.identifier ?? 0) gets \(note.uid)"
        case .make(let value): return try asOne { try make(value) }
        case .discard(let pick):
            // A note deleted in a form is in its context until the form is saved.
            guard form == nil, let note = try note(pick), note.identifier == nil, !sent.contains(note.uid) else {
                return nil
            }
            did(Group(existence: [note.uid: true]))
            exists[note.uid] = false
            asOne { context.delete(note) }
            return "discard \(note.uid)"
        case .undo: return goBack()
        case .redo: return goOn()
        case .saveLocally:
            await stage.attempt { try await save() }
            return "save locally"
        default: return try await takeOnWire(step)
        }
    }

    private func takeOnWire(_ step: Step) async throws -> String? {
        switch step {
        case .sync:
            stage.begin { await self.sync() }
            return "sync"
        case .send(let pick):
            guard let note = try note(pick), note.identifier != nil else { return nil }
            stage.begin { try await note.save() }
            return "send \(note.uid)"
        case .fetch(let pick):
            guard let note = try note(pick), note.identifier != nil else { return nil }
            stage.begin { _ = try await note.fetch() }
            return "fetch \(note.uid)"
        case .fetchNotes:
            stage.begin { [main = stage.main] in _ = try await UndoNote.fetchAll(in: main) }
            return "fetch notes"
        case .fetchFolders:
            stage.begin { [main = stage.main] in _ = try await UndoFolder.fetchAll(in: main) }
            return "fetch folders"
        case .othersRemark(let pick, let remark):
            let rows = stage.server.with { $0.tables["notes"] ?? [] }
            let row = rows[pick % rows.count]
            stage.server.with { $0.change("notes", row.id, ["remark": .string("r\(remark)")]) }
            return "others remark r\(remark) on \(row.text("uid"))"
        case .restart:
            try await stage.restart { try await save() }
            if form != nil { form = try stage.main.draft() }
            history = context.recordUndo()
            (done, undone) = ([], [])
            return "restart"
        default: return nil
        }
    }

    private func otherFolder(_ note: UndoNote, _ pick: Int) throws -> UndoFolder? {
        let ids = (1...3).filter { $0 != note.folder?.identifier }
        return try context.find(UndoFolder.self, ids[pick % ids.count])
    }

    private func edit(_ note: UndoNote, _ field: Field, _ pick: Int, in group: inout Group) throws -> String {
        let key = Value(note: note.uid, field: field)
        if group.values[key] == nil { group.values[key] = .some(expected[key] ?? nil) }
        count += 1
        if field == .folder {
            note.folder = try otherFolder(note, pick)
        } else {
            field.set("v\(count)", of: note, in: context)
        }
        expected[key] = field.value(of: note)
        return "\(note.uid).\(field) = \(field.value(of: note) ?? "nil")"
    }

    private func make(_ pick: Int) throws -> String {
        count += 1
        let note = UndoNote(in: context)
        note.uid = "n\(count)"
        note.folder = try context.find(UndoFolder.self, pick % 3 + 1)
        exists[note.uid] = true
        for field in Field.allCases { expected[Value(note: note.uid, field: field)] = field.value(of: note) }
        did(Group(existence: [note.uid: false]))
        return "make \(note.uid)"
    }

    private func goBack() -> String {
        let did = history.undo()
        if let group = done.popLast() { undone.append(apply(group)) }
        return "undo\(did ? "" : " nothing")"
    }

    private func goOn() -> String {
        let did = history.redo()
        if let group = undone.popLast() { done.append(apply(group)) }
        return "redo\(did ? "" : " nothing")"
    }

    /// Undoes it.
    private func apply(_ group: Group) -> Group {
        var back = Group()
        for (key, value) in group.values {
            back.values[key] = .some(expected[key] ?? nil)
            expected[key] = value
        }
        for (uid, was) in group.existence {
            back.existence[uid] = exists[uid]
            exists[uid] = was
        }
        return back
    }

    // MARK: Sending

    private func save() async throws {
        try form?.save()
        try await stage.main.save()
    }

    private func sync() async {
        guard !isSyncing, let notes = try? stage.main.query(UndoNote.self).order(by: { $0.uid }).fetch() else { return }
        isSyncing = true
        defer { isSyncing = false }
        // A note deleted in a form is still in its context.
        for note in notes where !note.isDeleted && exists[note.uid] != false {
            await stage.attempt {
                if note.identifier == nil {
                    // Sent values are not to be undone.
                    sent.insert(note.uid)
                    forgetHistory()
                    do throws(APIError) { try await note.create() } catch .alreadyCreated(_) {}
                }
                if !note.unsentProperties.isEmpty { try await note.save() }
            }
        }
    }

    // MARK: Looking

    func problem() throws -> String? {
        guard history.canUndo == !done.isEmpty, history.canRedo == !undone.isEmpty else {
            return "it can undo: \(history.canUndo), of \(done.count); redo: \(history.canRedo), of \(undone.count)"
        }
        for (uid, isThere) in exists.sorted(by: { $0.key < $1.key }) {
            guard let note = try object(uid) else {
                if isThere { return "\(uid) is not here" }
                continue
            }
            guard isThere else { return "\(uid) is here" }
            for field in Field.allCases {
                let (here, wanted) = (field.value(of: note), expected[Value(note: uid, field: field)] ?? nil)
                guard here == wanted else { return "\(uid).\(field) is \(here ?? "nil"), set was \(wanted ?? "nil")" }
            }
            for folder in try context.query(UndoFolder.self).fetch() {
                let isMember = folder.notes.contains { $0 === note }
                guard isMember == (note.folder === folder) else {
                    return "\(uid) is\(isMember ? "" : " not") in the list of folder \(folder.identifier ?? 0)"
                }
            }
        }
        return nil
    }

    func finish() async throws -> String? {
        try await save()
        for _ in 0..<3 { await sync() }
        if let problem = try problem() { return "synchronized, \(problem)" }
        _ = try await UndoNote.fetchAll(in: stage.main)
        _ = try await UndoFolder.fetchAll(in: stage.main)
        try await stage.main.save()
        if let problem = try problem() { return "fetched, \(problem)" }
        let notes = try stage.main.query(UndoNote.self).order(by: { $0.uid }).fetch()
        let unsent = notes.filter { !$0.unsentProperties.isEmpty || $0.hasChanges || $0.identifier == nil }
        guard unsent.isEmpty else { return "unsent: \(unsent.map { "\($0.uid) \($0.unsentProperties)" })" }
        let here = notes.map { note in
            ([note.uid, note.remark ?? "nil"] + Field.allCases.map { $0.value(of: note) ?? "nil" }).joined(
                separator: " ")
        }
        let there = stage.server.with { world in
            (world.tables["notes"] ?? []).map { row in
                let values = [row.text("title"), row["text"]?.string, row["place"]?["city"]?.string]
                return
                    ([row.text("uid"), row["remark"]?.string ?? "nil"] + values.map { $0 ?? "nil" }
                    + [row["folder_id"]?.integer.map { "\($0)" } ?? "nil"]).joined(separator: " ")
            }
        }
        return here.sorted() == there.sorted() ? nil : "here is \(here.sorted()), the server has \(there.sorted())"
    }
}

extension UndoableNotes.Field {
    @MainActor fileprivate func value(of note: UndoNote) -> String? {
        switch self {
        case .title: note.title
        case .text: note.text
        case .city: note.place?.city
        case .folder: note.folder?.identifier.map { "\($0)" }
        }
    }

    @MainActor fileprivate func set(_ value: String, of note: UndoNote, in context: ObjectContext) {
        switch self {
        case .title: note.title = value
        case .text: note.text = value
        case .folder: break
        case .city:
            if note.place == nil { note.place = UndoPlace(in: context) }
            note.place?.city = value
        }
    }
}

// MARK: - The service

extension UndoableNotes {
    nonisolated private static func begin(_ world: inout PlayWorld, names: Bool) {
        world.uniqueKeys = ["notes": "uid"]
        world.tables["folders"] = (1...3).map { ["id": .int($0), "name": .string("f\($0)")] }
        for id in 1...3 {
            world.insert(
                "notes",
                [
                    "id": .int(id), "uid": .string("s\(id)"), "title": "t", "text": .null, "remark": .null,
                    "place": ["city": "Rome"], "folder_id": .int(id),
                ])
        }
        world.taking = { world, table, row, body in
            if table == "folders" { world.takeMembers("note_ids", of: &row, from: body, "notes", link: "folder_id") }
            return [:]
        }
        world.showing = { world, table, row in
            guard names, table == "folders" else { return row }
            var row = row
            let notes = (world.tables["notes"] ?? []).filter { $0["folder_id"] == row["id"] }
            row["note_ids"] = .ints(notes.map { $0.int("id") })
            return row
        }
    }
}
