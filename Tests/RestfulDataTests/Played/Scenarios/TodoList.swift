import Foundation
import RestfulData

@Model("/todos") final class Todo {
    var identifier: Int?
    /// Makes a second creation equal to the first.
    var uid = ""
    var title = ""
    var done = false
    var note: String?
    @Attribute(access: .readOnly) var updatedAt: Date?
}

/// The same with identities made by the client.
@Model("/own_todos") final class OwnTodo {
    var identifier: String?
    var title = ""
    var done = false
    var note: String?
    @Attribute(access: .readOnly) var updatedAt: Date?
}

protocol TodoItem: Model {
    static var table: String { get }
    /// The item's name, locally and at the server.
    var mark: String { get set }
    var title: String { get set }
    var done: Bool { get set }
    var note: String? { get set }
    var isNew: Bool { get }
    init(in context: ObjectContext)
}

extension Todo: TodoItem {
    static var table: String { "todos" }
    var mark: String {
        get { uid }
        set { uid = newValue }
    }
    var isNew: Bool { identifier == nil }
}

extension OwnTodo: TodoItem {
    static var table: String { "own_todos" }
    var mark: String {
        get { identifier ?? "" }
        set { identifier = newValue }
    }
    var isNew: Bool { updatedAt == nil }
}

enum TodoStep: Sendable {
    case add(title: Int)
    case rename(Int, title: Int)
    case toggle(Int)
    /// It is deleted at the server by the next sync.
    case doom(Int)
    case saveLocally, sync, refresh, restart
    case othersDelete(Int)
    case othersAdd
    case othersAnnotate(Int, note: Int)
}

/// A todo list whose items are created offline, edited, deleted and synchronized, while others delete, add and
/// annotate.
final class TodoList<Item: TodoItem>: Scenario {
    let stage: Stage
    private var expected: [String: (title: String, done: Bool)] = [:]
    private var doomed: Set<String> = []
    /// Items deleted by others.
    private var gone: Set<String> = []
    private var isSyncing = false
    private var count = 0

    init(variant: Int) async throws {
        stage = try Stage([Todo.self, OwnTodo.self])
        stage.server.with {
            $0.tables = ["todos": [], "own_todos": []]
            $0.uniqueKeys = ["todos": "uid"]
            $0.clientIdentities = ["own_todos"]
            $0.pageSize = 4
        }
    }

    static func step(_ dice: inout Dice) -> TodoStep {
        switch dice.roll(16) {
        case 0, 1: .add(title: dice.roll(4))
        case 2...4: .rename(dice.pick(), title: dice.roll(4))
        case 5: .toggle(dice.pick())
        case 6: .doom(dice.pick())
        case 7: .saveLocally
        case 8...10: .sync
        case 11, 12: .refresh
        case 13: .othersDelete(dice.pick())
        case 14: dice.roll(3) == 0 ? .othersAdd : .othersAnnotate(dice.pick(), note: dice.roll(4))
        default: dice.roll(3) == 0 ? .restart : .saveLocally
        }
    }

    private var all: [Item] { get throws { try stage.main.query(Item.self).fetch() } }

    private func item(_ pick: Int) throws -> Item? {
        let marks = expected.keys.filter { !doomed.contains($0) }.sorted()
        guard !marks.isEmpty else { return nil }
        // One whose creation had no answer may be there twice until it is sent again.
        let same = try all.filter { $0.mark == marks[pick % marks.count] }
        return same.first { $0.isNew } ?? same.first
    }

    private func rowAtServer(_ pick: Int) -> PlayRow? {
        let rows = stage.server.with { $0.tables[Item.table] ?? [] }
        return rows.isEmpty ? nil : rows[pick % rows.count]
    }

    private func mark(of row: PlayRow) -> String { row["uid"]?.string ?? row.id }

    func take(_ step: TodoStep) async throws -> String? {
        switch step {
        case .add(let title):
            count += 1
            let item = Item(in: stage.main)
            item.mark = "u\(count)"
            item.title = "t\(title)"
            expected[item.mark] = (item.title, false)
            return "add \(item.mark) \(item.title)"
        case .rename(let pick, let title):
            guard let item = try item(pick) else { return nil }
            item.title = "t\(title)"
            expected[item.mark]?.title = item.title
            return "\(item.mark).title = \(item.title)"
        case .toggle(let pick):
            guard let item = try item(pick) else { return nil }
            item.done.toggle()
            expected[item.mark]?.done = item.done
            return "\(item.mark).done = \(item.done)"
        case .doom(let pick):
            guard let item = try item(pick) else { return nil }
            doomed.insert(item.mark)
            return "doom \(item.mark)"
        case .saveLocally:
            await stage.attempt { try await stage.main.save() }
            return "save locally"
        case .sync:
            stage.begin { await self.sync() }
            return "sync"
        case .refresh:
            stage.begin { try await self.refresh() }
            return "refresh"
        case .restart:
            // The loss of edits of an object that others have deleted is reported once.
            try await stage.restart { await stage.attempt { try await stage.main.save() } }
            return "restart"
        case .othersDelete, .othersAdd, .othersAnnotate: return takeElsewhere(step)
        }
    }

    private func takeElsewhere(_ step: TodoStep) -> String? {
        switch step {
        case .othersDelete(let pick):
            guard let row = rowAtServer(pick) else { return nil }
            gone.insert(mark(of: row))
            stage.server.with { $0.remove(Item.table, row.id) }
            return "others delete \(mark(of: row))"
        case .othersAdd:
            count += 1
            let mark = "x\(count)"
            let id: JSONValue = Item.table == "todos" ? .int(5000 + count) : .string(mark)
            stage.server.with {
                _ = $0.insert(Item.table, ["id": id, "uid": .string(mark), "title": "theirs", "done": false])
            }
            return "others add \(mark)"
        case .othersAnnotate(let pick, let note):
            guard let row = rowAtServer(pick) else { return nil }
            stage.server.with { $0.change(Item.table, row.id, ["note": .string("n\(note)")]) }
            return "others annotate \(mark(of: row)) n\(note)"
        default: return nil
        }
    }

    private func sync() async {
        guard !isSyncing, let items = try? all else { return }
        isSyncing = true
        defer { isSyncing = false }
        for item in items where !item.isDeleted {
            let error = await stage.attempt { try await send(item) }
            guard let error = error as? APIError, error.reply?.status == 404 else { continue }
            stage.main.delete(item)
            await stage.attempt { try await stage.main.save() }
        }
    }

    private func send(_ item: Item) async throws {
        // A doomed item is sent too, as the server may have it by a request without an answer.
        if item.isNew { try await create(item) }
        if doomed.contains(item.mark) {
            try await item.delete()
        } else if !item.unsentProperties.isEmpty {
            try await item.save()
        }
    }

    private func create(_ item: Item) async throws {
        do throws(APIError) {
            try await item.create()
        } catch .conflict {
            // Its creation had no answer.
            try await item.save()
            try await item.fetch()
        } catch .alreadyCreated(_) {
            try await item.save()
        }
    }

    private func refresh() async throws { _ = try await Item.fetchAll(pages: .all(), prune: .delete, in: stage.main) }

    func problem() throws -> String? {
        let all = try all
        for (mark, value) in expected.sorted(by: { $0.key < $1.key })
        where !gone.contains(mark) && !doomed.contains(mark) {
            let same = all.filter { $0.mark == mark }
            guard !same.isEmpty else { return "\(mark) is not here" }
            guard same.contains(where: { $0.title == value.title && $0.done == value.done }) else {
                return "\(mark) is \(same.map { "\($0.title) \($0.done)" }), set was \(value)"
            }
        }
        return nil
    }

    func finish() async throws -> String? {
        for _ in 0..<3 {
            await sync()
            await stage.attempt { try await refresh() }
        }
        try await stage.main.save()
        if let problem = try problem() { return "synchronized, \(problem)" }
        let unsent = try all.filter { !$0.unsentProperties.isEmpty || $0.hasChanges || $0.isNew }
        guard unsent.isEmpty else { return "unsent: \(unsent.map { "\($0.mark) \($0.unsentProperties)" })" }
        let here = try all.map { "\($0.mark) \($0.title) \($0.done) \($0.note ?? "")" }.sorted()
        let there = stage.server.with { world in
            (world.tables[Item.table] ?? []).map { row in
                "\(row["uid"]?.string ?? row.id) \(row.text("title")) \(row["done"]?.bool ?? false) \(row.text("note"))"
            }
        }.sorted()
        guard here == there else { return "here is \(here), the server has \(there)" }
        return doomed.first { mark in here.contains { $0.hasPrefix(mark + " ") } }.map { "\($0) was to be deleted" }
    }
}
