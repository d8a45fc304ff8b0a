import Foundation
import RestfulData

@Model("/projects") final class OutboxProject {
    var identifier: Int?
    var uid = ""
    var title = ""
    @Relationship(inverse: "project") var tasks: [OutboxTask]
}

@Model("/tasks") final class OutboxTask {
    var identifier: Int?
    var uid = ""
    var title = ""
    var project: OutboxProject?
    @Relationship(inverse: "task") var steps: [OutboxStep]
}

@Model("/steps") final class OutboxStep {
    var identifier: Int?
    var uid = ""
    var title = ""
    var task: OutboxTask?
}

protocol OutboxItem: Model {
    static var table: String { get }
    var identifier: Int? { get }
    var uid: String { get set }
    var title: String { get set }
    /// The owner; `nil` for the kind that has none.
    var owner: (any OutboxItem)? { get set }
    /// The members.
    var members: [any OutboxItem] { get }
    /// Has a member at the end of its list.
    func append(_ member: any OutboxItem)
    init(in context: ObjectContext)
}

extension OutboxProject: OutboxItem {
    static var table: String { "projects" }
    var owner: (any OutboxItem)? {
        get { nil }
        set {}
    }
    var members: [any OutboxItem] { tasks }
    func append(_ member: any OutboxItem) { if let task = member as? OutboxTask { tasks.append(task) } }
}

extension OutboxTask: OutboxItem {
    static var table: String { "tasks" }
    var owner: (any OutboxItem)? {
        get { project }
        set { project = newValue as? OutboxProject }
    }
    var members: [any OutboxItem] { steps }
    func append(_ member: any OutboxItem) { if let step = member as? OutboxStep { steps.append(step) } }
}

extension OutboxStep: OutboxItem {
    static var table: String { "steps" }
    var owner: (any OutboxItem)? {
        get { task }
        set { task = newValue as? OutboxTask }
    }
    var members: [any OutboxItem] { [] }
    func append(_ member: any OutboxItem) {}
}

/// Projects, their tasks and their steps are created, linked, moved, renamed and deleted offline and online, and sent
/// owners first. In the end each exists once at the server, whatever was lost in transit.
final class Outbox: Scenario {
    enum Step: Sendable {
        case make(level: Int, owner: Int, byList: Bool)
        case rename(Int, title: Int)
        case move(Int, to: Int, byList: Bool)
        case discard(Int)
        case saveLocally, sync, restart
        case goOffline, goOnline
        case fetchAll(level: Int)
        case fetchMembers(Int)
        case fetch(Int)
    }

    private struct Item {
        var level: Int
        var title: String
        var owner: String?
        var isDoomed = false
    }

    private static let types: [any OutboxItem.Type] = [OutboxProject.self, OutboxTask.self, OutboxStep.self]

    let stage: Stage
    private var expected: [String: Item] = [:]
    private var isSyncing = false
    private var count = 0

    init(variant: Int) async throws {
        stage = try Stage([OutboxProject.self, OutboxTask.self, OutboxStep.self])
        stage.server.with { Self.begin(&$0, names: variant % 3) }
    }

    static func step(_ dice: inout Dice) -> Step {
        switch dice.roll(22) {
        case 0...4: .make(level: dice.roll(3), owner: dice.pick(), byList: dice.flip())
        case 5, 6: .rename(dice.pick(), title: dice.roll(4))
        case 7...9: .move(dice.pick(), to: dice.pick(), byList: dice.flip())
        case 10: .discard(dice.pick())
        case 11: .saveLocally
        case 12...15: .sync
        case 16: dice.flip() ? .goOffline : .goOnline
        case 17: .goOnline
        case 18: .fetchAll(level: dice.roll(3))
        case 19: .fetchMembers(dice.pick())
        case 20: .fetch(dice.pick())
        default: .restart
        }
    }

    // MARK: State

    private func uids(_ level: Int) -> [String] {
        expected.filter { $0.value.level == level && !$0.value.isDoomed }.keys.sorted()
    }

    private func pick<Element>(_ elements: [Element], _ pick: Int) -> Element? {
        elements.isEmpty ? nil : elements[pick % elements.count]
    }

    private var living: [String] { (0..<3).flatMap { uids($0) } }

    private func objects(_ level: Int) throws -> [any OutboxItem] {
        switch level {
        case 0: try stage.main.query(OutboxProject.self).order(by: { $0.uid }).fetch()
        case 1: try stage.main.query(OutboxTask.self).order(by: { $0.uid }).fetch()
        default: try stage.main.query(OutboxStep.self).order(by: { $0.uid }).fetch()
        }
    }

    private func object(_ uid: String) throws -> (any OutboxItem)? {
        guard let item = expected[uid] else { return nil }
        // One whose creation had no answer may be there twice until it is sent again.
        let same = try objects(item.level).filter { $0.uid == uid }
        return same.first { $0.identifier == nil } ?? same.first
    }

    // MARK: Steps

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .make(let level, let owner, let byList): return try make(level, owner, byList: byList)
        case .rename(let pick, let title):
            guard let uid = self.pick(living, pick), let object = try object(uid) else { return nil }
            object.title = "t\(title)"
            expected[uid]?.title = object.title
            return "\(uid).title = \(object.title)"
        case .move(let pick, let to, let byList): return try move(pick, to, byList: byList)
        case .discard(let pick):
            // Owners of other objects stay.
            let leaves = living.filter { uid in !expected.values.contains { $0.owner == uid } }
            guard let uid = self.pick(leaves, pick) else { return nil }
            expected[uid]?.isDoomed = true
            return "\(uid) is to be deleted"
        case .saveLocally:
            await stage.attempt { try await stage.main.save() }
            return "save locally"
        case .sync:
            stage.begin { try await self.sync() }
            return "sync"
        case .goOffline:
            stage.server.isDown = true
            stage.server.loseAll()
            return "offline"
        case .goOnline:
            stage.server.isDown = false
            return "online"
        case .fetchAll(let level):
            stage.begin { [main = stage.main] in try await Self.fetchAll(Self.types[level], in: main) }
            return "fetch all \(Self.types[level].table)"
        case .fetchMembers(let pick):
            guard let uid = self.pick(uids(0) + uids(1), pick), let object = try object(uid), object.identifier != nil
            else { return nil }
            stage.begin {
                if let project = object as? OutboxProject { _ = try await project.$tasks.fetch() }
                if let task = object as? OutboxTask { _ = try await task.$steps.fetch() }
            }
            return "fetch what belongs to \(uid)"
        case .fetch(let pick):
            guard let uid = self.pick(living, pick), let object = try object(uid), object.identifier != nil
            else { return nil }
            stage.begin { try await Self.fetch(object) }
            return "fetch \(uid)"
        case .restart:
            try await stage.restart { try await stage.main.save() }
            return "restart"
        }
    }

    private static func fetch<M: OutboxItem>(_ object: M) async throws { _ = try await object.fetch() }
    private static func fetchAll<M: OutboxItem>(_ type: M.Type, in context: ObjectContext) async throws {
        _ = try await type.fetchAll(pages: .all(), in: context)
    }

    private func make(_ level: Int, _ pick: Int, byList: Bool) throws -> String? {
        guard expected.count < 14 else { return nil }
        let owner = level == 0 ? nil : self.pick(uids(level - 1), pick)
        count += 1
        let uid = "u\(count)"
        let object = Self.types[level].init(in: stage.main)
        object.uid = uid
        object.title = "t"
        if let owner, let target = try self.object(owner) {
            if byList { target.append(object) } else { object.owner = target }
        }
        expected[uid] = Item(level: level, title: "t", owner: owner)
        let place = Self.types[level].table + (owner.map { " of \($0)" } ?? "")
        return "make \(uid) in \(place)\(byList ? ", by its list" : "")"
    }

    private func move(_ pick: Int, _ to: Int, byList: Bool) throws -> String? {
        guard let uid = self.pick(uids(1) + uids(2), pick), let item = expected[uid] else { return nil }
        let targets = uids(item.level - 1).filter { $0 != item.owner }
        guard let target = self.pick(targets, to), let object = try object(uid), let owner = try self.object(target)
        else { return nil }
        if byList { owner.append(object) } else { object.owner = owner }
        expected[uid]?.owner = target
        return "move \(uid) to \(target)\(byList ? ", by its list" : "")"
    }

    // MARK: Sending

    private func sync() async throws {
        guard !isSyncing else { return }
        isSyncing = true
        defer { isSyncing = false }
        for level in 0..<3 {
            for object in try objects(level) where !object.isDeleted && expected[object.uid]?.isDoomed == false {
                await stage.attempt { try await Self.send(object) }
            }
        }
        for level in [2, 1, 0] {
            for object in try objects(level) where !object.isDeleted && expected[object.uid]?.isDoomed == true {
                await stage.attempt {
                    // The server may have it by a request without an answer.
                    if object.identifier == nil { try await Self.create(object) }
                    try await object.delete()
                }
            }
        }
    }

    private static func send(_ object: some OutboxItem) async throws {
        if object.identifier == nil { try await create(object) }
        if !object.unsentProperties.isEmpty { try await object.save() }
    }

    private static func create(_ object: some OutboxItem) async throws {
        do throws(APIError) {
            try await object.create()
        } catch .alreadyCreated(_) {
            try await object.save()
        }
    }

    // MARK: Looking

    func problem() throws -> String? {
        for uid in living {
            guard let item = expected[uid], let object = try object(uid) else { return "\(uid) is not here" }
            guard object.title == item.title else { return "\(uid) is \(object.title), set was \(item.title)" }
            guard object.owner?.uid == item.owner else {
                return "\(uid) belongs to \(object.owner?.uid ?? "none"), set was \(item.owner ?? "none")"
            }
            if let owner = object.owner, !owner.members.contains(where: { $0 === object }) {
                return "\(uid) is not in the list of \(owner.uid)"
            }
            if let other = object.members.first(where: { $0.owner !== object }) {
                return "\(other.uid) is in the list of \(uid) and belongs to \(other.owner?.uid ?? "none")"
            }
        }
        return nil
    }

    func finish() async throws -> String? {
        stage.server.isDown = false
        for _ in 0..<3 { try await sync() }
        for type in Self.types { try await Self.fetchAll(type, in: stage.main) }
        try await stage.main.save()
        if let problem = try problem() { return "synchronized, \(problem)" }
        var here: [String] = []
        for level in 0..<3 {
            for object in try objects(level) {
                guard object.identifier != nil, object.unsentProperties.isEmpty, !object.hasChanges else {
                    return "unsent: \(object.uid) \(object.unsentProperties) \(object.changedProperties)"
                }
                here.append("\(object.uid) \(object.title) \(object.owner?.uid ?? "-")")
            }
        }
        let wanted = living.compactMap { uid in expected[uid].map { "\(uid) \($0.title) \($0.owner ?? "-")" } }.sorted()
        guard here.sorted() == wanted else { return "here is \(here.sorted()), set was \(wanted)" }
        let there = stage.server.with { $0.outboxItems }.sorted()
        return there == wanted ? nil : "the server has \(there), set was \(wanted)"
    }
}

// MARK: - The service

extension Outbox {
    /// - Parameter names: whether it shows an object's members: not at all, by identities, or whole.
    nonisolated private static func begin(_ world: inout PlayWorld, names: Int) {
        world.tables = ["projects": [], "tasks": [], "steps": []]
        world.uniqueKeys = ["projects": "uid", "tasks": "uid", "steps": "uid"]
        let members = ["projects": ("tasks", "project_id", "task_ids"), "tasks": ("steps", "task_id", "step_ids")]
        world.showing = { world, table, row in
            guard names > 0, let (members, link, key) = members[table] else { return row }
            let mine = (world.tables[members] ?? []).filter { $0.int(link) == row.int("id") }
            var row = row
            if names == 1 {
                row[key] = .ints(mine.map { $0.int("id") })
            } else {
                row[members] = .array(mine.map { .object($0) })
            }
            return row
        }
        world.listing = { world, parts, _ in
            guard parts.count == 3, let (members, link, _) = members[parts[0]] else { return nil }
            return (world.tables[members] ?? []).filter { $0.int(link) == Int(parts[1]) }
        }
        world.taking = { world, table, row, body in
            if let (members, link, key) = members[table] {
                world.takeMembers(key, of: &row, from: body, members, link: link)
            }
            return [:]
        }
    }
}

extension PlayWorld {
    fileprivate var outboxItems: [String] {
        let owners = ["tasks": ("projects", "project_id"), "steps": ("tasks", "task_id")]
        return ["projects", "tasks", "steps"].flatMap { table in
            (tables[table] ?? []).map { row in
                let owner = owners[table].flatMap { self.row($0.0, "\(row.int($0.1))") }
                return "\(row.text("uid")) \(row.text("title")) \(owner?.text("uid") ?? "-")"
            }
        }
    }
}
