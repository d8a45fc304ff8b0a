import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Two stores on one file, each with a context and at times a draft of it, and a third that only reads. The first has a
/// second context, as actors have. The second store may be another process's.
@MainActor
final class TwoContextsSimulation {
    /// An edit's value, its row, and the linked row.
    struct Fact {
        let value: String
        let owner: RowID?
        let target: RowID?
    }

    /// A context that the program edits.
    @MainActor
    final class Side {
        let name: String
        let context: ObjectContext
        let draft: Draft?
        /// Retains the context, unless the store does.
        let own: ActorContext?
        let history: UndoHistory
        /// The state before each undoable group, and after each redoable one.
        var (past, future): ([GraphView], [GraphView]) = ([], [])
        /// Unsaved facts that were edited in this context.
        var edited: [String: Fact] = [:]
        var view: GraphView

        init(
            _ name: String, _ context: ObjectContext, draft: Draft? = nil, own: ActorContext? = nil,
            _ world: SimulatedWorld
        ) throws {
            (self.name, self.context, self.draft, self.own) = (name, context, draft, own)
            history = context.recordUndo()
            view = try GraphView(of: context, world)
        }

        convenience init(_ name: String, beside store: Store, _ world: SimulatedWorld) throws {
            let own = store.context(on: MainActor.shared)
            try self.init(name, own.context, own: own, world)
        }
    }

    let seed: UInt64
    let world: SimulatedWorld
    let file: TemporaryFile
    private var stores: [Store]
    private var reader: Store
    private var mains: [Side] = []
    private var drafts: [Side?] = [nil, nil, nil]
    private var random: SeededGenerator
    private(set) var log: [String] = []
    private var held: [any Model] = []
    private let holds: Bool
    private let isElsewhere: Bool
    private var tags = 0

    init(seed: UInt64) throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        world = SimulatedWorld.all[Int(seed % UInt64(SimulatedWorld.all.count))]
        file = try TemporaryFile()
        holds = seed / 5 % 2 == 0
        isElsewhere = seed / 10 % 2 == 1
        let (path, models) = (file.path, world.models)
        stores = [
            try Store(.file(path), models: models),
            isElsewhere ? try OtherProcess.store(path, models) : try Store(.file(path), models: models),
        ]
        reader = try Store(.file(path), models: models)
        fileView = try GraphView(of: reader.main, world)
        for (index, store) in stores.enumerated() { mains.append(try Side("AB".letter(index), store.main, world)) }
        mains.append(try Side("C", beside: stores[0], world))
    }

    // MARK: Chance

    private func chance(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &random) }

    private func number() -> Int { chance(8) }

    private func id(_ kind: Kind) -> Int { 1 + chance(4) + 10 * (world.kinds.firstIndex { $0.name == kind.name } ?? 0) }

    private func oneOf<Element>(_ elements: [Element]) -> Element? { elements.randomElement(using: &random) }

    // MARK: Steps

    /// The step of that number is the same whichever were taken before it, so that a failing program can lose some.
    func step(_ number: Int) async throws {
        random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        let index = chance(3)
        let side = chance(3) == 0 ? drafts[index] ?? mains[index] : mains[index]
        switch chance(24) {
        case 0, 1, 2: try await importOne(into: mains[index])
        case 3, 4: try await save(side)
        case 5: try rollBack(side)
        case 6, 7: try undo(side)
        case 8: try redo(side)
        case 9: try begin(index)
        case 10: drafts[index] = nil
        case 11: if let draft = drafts[index] { try await save(draft) }
        case 12: try await editWhileSaving(index)
        case 13 where chance(2) == 0: try await saveBoth()
        case 14 where chance(4) == 0: try reopen(chance(2))
        default: try group(side) { for _ in 0...chance(3) { try edit(side) } }
        }
    }

    /// Edits of `body` can be undone, and remain.
    private func group(_ side: Side, _ body: () throws -> Void) throws {
        let before = try look(side)
        let count = side.history.undoCount
        try side.history.group { try body() }
        let after = try look(side)
        noteEdits(side, before, after)
        if side.history.undoCount > count {
            side.past.append(before)
            side.future = []
        } else if !after.differences(from: before).isEmpty {
            fail("\(side.name): nothing to undo of \(after.differences(from: before))")
        }
        followers(of: side).forEach(forgetHistory)
    }

    private func followers(of side: Side) -> [Side] {
        side.draft == nil ? zip(mains, drafts).compactMap { $0 === side ? $1 : nil } : []
    }

    private func below(_ side: Side) -> Side? {
        zip(mains, drafts).first { $1 === side }?.0
    }

    private func noteEdits(_ side: Side, _ before: GraphView, _ after: GraphView) {
        let base = below(side)?.view ?? fileView
        // Edits exclude a new object's default values, and links to an object that got another identity.
        for (name, value) in after.facts where before.facts[name].map({ $0 != value }) ?? false {
            let isEdit = after.wholes.contains(name) && (!after.links.contains(name) || before.rows[value] != nil)
            let target = after.links.contains(name) ? after.rows[value] : nil
            side.edited[name] = isEdit ? Fact(value: value, owner: after.owner(of: name), target: target) : nil
        }
        side.edited = side.edited.filter {
            after.facts[$0.key] == $0.value.value && !after.says($0.key, of: base)
        }
    }

    private var fileView: GraphView

    private func look(_ context: ObjectContext) throws -> GraphView { try GraphView(of: context, world) }

    @discardableResult
    private func look(_ side: Side) throws -> GraphView {
        // An actor's context merges in a turn of its actor's, which may still be to come.
        if (below(side) ?? side).own != nil { side.context.mergeWaitingChanges() }
        side.view = try GraphView(of: side.context, world)
        if holds { held += side.view.objects.map(\.object) }
        return side.view
    }

    private func forgetHistory(_ side: Side) {
        side.history.removeAll()
        (side.past, side.future) = ([], [])
    }

    private func forgetHistories() {
        for side in sides { forgetHistory(side) }
    }

    private var sides: [Side] { mains + drafts.compactMap { $0 } }

    // MARK: Edits

    private func edit(_ side: Side) throws {
        let kind = world.kinds[chance(world.kinds.count)]
        let objects = try kind.fetch(side.context)
        guard let object = oneOf(objects), chance(8) > 0 else { return try make(kind, side) }
        if chance(14) == 0 {
            log.append("\(side.name): delete \(kind.label(object))")
            return side.context.delete(object)
        }
        let name = "\(side.name): \(kind.label(object))"
        if chance(20) == 0 {
            tags += 1
            log.append("\(name) is \(1000 + tags)")
            return kind.setIdentity(object, 1000 + tags)
        }
        let place = chance(kind.attributes.count + 2 * kind.relations.count)
        if place < kind.attributes.count {
            let (attribute, number) = (kind.attributes[place], number())
            log.append("\(name).\(attribute.name) = \(number)")
            attribute.write(object, number)
        } else if let relation = oneOf(kind.relations) {
            try change(relation, of: object, side, name)
        }
    }

    private func make(_ kind: Kind, _ side: Side) throws {
        try look(side)
        let number = id(kind)
        // An object created by two contexts is refused, and an object created with another class changes that one's
        // class. A context's undone or redone edit returns to its draft.
        let views =
            ([side] + followers(of: side)).map(\.view)
            + (below(side).map { [$0.view, fileView] + $0.past + $0.future } ?? [])
        let isTaken =
            world.hasClasses || views.contains { view in kind.labels(number).contains { view.facts[$0] != nil } }
        let object = kind.make(side.context)
        tags += 1
        if let setTag = kind.setTag, chance(3) == 0 {
            setTag(object, "new\(tags)")
        } else {
            kind.setIdentity(object, isTaken ? 1000 + tags : number)
        }
        log.append("\(side.name): new \(kind.label(object))")
    }

    private func change(_ relation: Relation, of object: any Model, _ side: Side, _ name: String) throws {
        guard let target = world.kinds.first(where: { $0.name == relation.target }) else { return }
        let targets = try target.fetch(side.context)
        let change: ListChange
        if !relation.isList {
            change = .set(chance(4) == 0 ? [] : oneOf(targets).map { [$0] } ?? [])
        } else {
            switch chance(6) {
            case 0: change = .set(targets.filter { _ in chance(2) == 0 }.shuffled(using: &random))
            case 1, 2, 3: change = oneOf(targets).map { .insert($0, at: chance(5)) } ?? .set([])
            case 4: change = .remove(at: chance(5))
            default: change = .move(chance(5), to: chance(5))
            }
        }
        log.append("\(name).\(relation.name): \(words(change, target))")
        relation.change(object, change)
    }

    private func words(_ change: ListChange, _ target: Kind) -> String {
        switch change {
        case .set(let targets): "set \(targets.map { target.label($0) })"
        case .insert(let object, let place): "insert \(target.label(object)) at \(place)"
        case .remove(let place): "remove at \(place)"
        case .move(let place, let next): "move \(place) to \(next)"
        }
    }

    // MARK: Undoing

    private func undo(_ side: Side) throws {
        guard !side.past.isEmpty else { return }
        log.append("\(side.name): undo")
        try move(side, \.past, \.future) { side.history.undo() }
    }

    private func redo(_ side: Side) throws {
        guard !side.future.isEmpty else { return }
        log.append("\(side.name): redo")
        try move(side, \.future, \.past) { side.history.redo() }
    }

    private func move(
        _ side: Side, _ from: ReferenceWritableKeyPath<Side, [GraphView]>,
        _ to: ReferenceWritableKeyPath<Side, [GraphView]>, _ body: () -> Bool
    ) throws {
        let before = side.view
        guard let expected = side[keyPath: from].popLast() else { return }
        if !body() { fail("\(side.name): nothing to undo or do again") }
        try look(side)
        side[keyPath: to].append(before)
        // A member that one side removed comes back at the end of the other side's list.
        let differences = side.view.differences(from: expected, isOrdered: false)
        if !differences.isEmpty { fail("\(side.name) undone or done again: \(differences)") }
        noteEdits(side, before, side.view)
        followers(of: side).forEach(forgetHistory)
    }

    private func rollBack(_ side: Side) throws {
        guard chance(2) == 0 else { return }
        log.append("\(side.name): roll back")
        try group(side) { side.context.rollback() }
        side.edited = [:]
        if side.context.hasChanges { fail("\(side.name) has changes after a rollback") }
    }

    // MARK: Drafts

    private func begin(_ index: Int) throws {
        log.append("\(mains[index].name): begin a draft")
        let draft = try mains[index].context.draft()
        drafts[index] = try Side(mains[index].name + "'", draft.context, draft: draft, world)
    }

    // MARK: The file

    private func save(_ side: Side) async throws {
        log.append("\(side.name): save")
        if let draft = side.draft, let main = below(side) {
            let shown = try look(side)
            try group(main) {
                // Edits of an object that was deleted elsewhere are lost, which is reported once.
                do throws(StoreError) { try draft.save() } catch {
                    guard error.isOfDeletedObjects else { throw error }
                    try draft.save()
                }
            }
            side.edited = [:]
            let differences = try look(side).differences(from: shown, isOrdered: false)
            if !differences.isEmpty { fail("\(side.name) after its save: \(differences)") }
            let others = main.view.differences(from: shown, isOrdered: false)
            if !others.isEmpty { fail("\(main.name) after the save of its draft: \(others)") }
            if draft.hasChanges { fail("\(side.name) has changes after its save") }
            return
        }
        let before = try look(side)
        forgetHistories()
        try await write(side)
        guard !side.context.hasChanges else { return fail("\(side.name) has changes after its save") }
        let after = try look(side)
        // Owned objects are deleted with the save.
        let gone = Set(before.facts.keys).subtracting(after.facts.keys)
        let differences = after.facts.filter { name, value in
            // Members that joined by their own links get a place when they are saved.
            GraphView.members(before.facts[name]) != GraphView.members(value)
                && !gone.contains { before.facts[name]?.contains($0) == true }
        }
        if !differences.isEmpty, log.last?.hasSuffix("save") == true {
            fail("\(side.name) after its save: \(after.differences(from: before))")
        }
    }

    /// Saves, or rolls back the edits that saving refuses.
    private func write(_ side: Side) async throws {
        for _ in 0..<3 {
            do throws(StoreError) {
                try await side.context.save()
                side.edited = [:]
                return
            } catch {
                guard !error.isOfDeletedObjects else {
                    log.append("what was deleted elsewhere had edits")
                    continue
                }
                log.append("\(side.name): \(error); roll back")
                side.context.rollback()
                side.edited = [:]
                return
            }
        }
        fail("\(side.name) is not saved")
    }

    private func saveBoth() async throws {
        let second = mains[1 + chance(2)]
        log.append("A and \(second.name): save at once")
        forgetHistories()
        // A value that the file gets meanwhile is no longer an edit, even if the file has another one at the end. It is
        // unknown when another process reads the file.
        for side in sides where isElsewhere {
            let others = sides.filter { $0 !== side }
            side.edited = side.edited.filter { name, fact in
                !others.contains { $0.edited[name]?.value == fact.value }
            }
        }
        let other = Task { try await write(second) }
        try await write(mains[0])
        try await other.value
    }

    private func editWhileSaving(_ index: Int) async throws {
        let side = mains[index]
        log.append("\(side.name): save, and meanwhile:")
        forgetHistories()
        side.edited = [:]
        let saving = Task { try await side.context.save() }
        await Task.yield()
        try group(side) { for _ in 0...chance(2) { try edit(side) } }
        do { try await saving.value } catch {
            log.append("\(error); roll back")
            side.context.rollback()
            side.edited = [:]
        }
        forgetHistories()
    }

    private func reopen(_ index: Int) throws {
        log.append("\(mains[index].name): open anew")
        let isBoth = chance(2) == 0
        close(index)
        if isBoth {
            close(1 - index)
            reader.close()
            reader = try Store(.file(file.path), models: world.models)
            try open(1 - index)
            log.append("and the other")
        }
        try open(index)
    }

    private func close(_ index: Int) {
        drafts[index] = nil
        if index == 0 { drafts[2] = nil }
        stores[index].close()
        held = []
    }

    private func open(_ index: Int) throws {
        stores[index] =
            index == 1 && isElsewhere
            ? try OtherProcess.store(file.path, world.models) : try Store(.file(file.path), models: world.models)
        mains[index] = try Side(mains[index].name, stores[index].main, world)
        if index == 0 { mains[2] = try Side(mains[2].name, beside: stores[0], world) }
    }

    // MARK: Imports

    private func importOne(into side: Side) async throws {
        let kind = world.kinds[chance(world.kinds.count)]
        let body = "[" + (0...chance(3)).map { _ in json(kind, depth: 2) }.joined(separator: ",") + "]"
        log.append("\(side.name): import \(kind.name) \(body)")
        forgetHistories()
        try await kind.take(side.context, body)
    }

    private func json(_ kind: Kind, depth: Int) -> String {
        var members = ["\"\(kind.key)\": \(kind.identity(id(kind)))"]
        for attribute in kind.attributes where chance(3) == 0 {
            members.append("\"\(attribute.name)\": \(chance(6) == 0 ? "null" : attribute.json(number()))")
        }
        for relation in kind.relations where chance(3) == 0 && depth > 0 {
            guard let target = world.kinds.first(where: { $0.name == relation.target }) else { continue }
            func one() -> String {
                chance(3) == 0
                    ? "{\"\(target.key)\": \(target.identity(id(target)))}" : json(target, depth: depth - 1)
            }
            if chance(5) == 0 {
                members.append("\"\(relation.name)\": null")
            } else {
                let list = "[" + (0..<chance(4)).map { _ in one() }.joined(separator: ",") + "]"
                members.append("\"\(relation.name)\": \(relation.isList ? list : one())")
                // The list has further members: these are merged in, and all others stay.
                if relation.isList, chance(4) == 0 { members.append("\"\(relation.name)_count\": 9") }
            }
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    // MARK: Invariants

    /// The violated invariants, in order.
    private(set) var failures: [String] = []

    private func fail(_ message: String) { failures.append(message) }

    func agrees() async throws -> Bool {
        guard failures.isEmpty else { return false }
        for context in sides.map(\.context) + [reader.main] { await endStep(context) }
        fileView = try look(reader.main)
        if !fileView.problems.isEmpty { fail("the file: \(fileView.problems)") }
        for side in sides {
            let view = try look(side)
            if !view.problems.isEmpty { fail("\(side.name): \(view.problems)") }
            expectEditsStay(side)
            let base = below(side)?.view ?? fileView
            let differences = view.differences(from: base)
            if !side.context.hasChanges, !differences.isEmpty {
                fail("\(side.name) has no changes, and \(differences)")
            }
            for _ in 0..<3 {
                guard let kind = oneOf(world.kinds), let relation = oneOf(kind.relations),
                    let target = oneOf(view.objects)?.object,
                    let disagreement = try view.disagreement(on: kind, relation, with: target, in: side.context)
                else { continue }
                fail("\(side.name): \(disagreement)")
            }
        }
        return failures.isEmpty
    }

    /// Lets the next read be one of the newest state.
    private func endStep(_ context: ObjectContext) async {
        await until { context.reader?.isReading != true }
    }

    private func expectEditsStay(_ side: Side) {
        for (name, fact) in side.edited where side.view.facts[name] != fact.value {
            // The object or its target was deleted elsewhere, and may have been created again.
            let isGone =
                side.view.owner(of: name) != fact.owner
                || (fact.target != nil && side.view.rows[fact.value] != fact.target)
            if !isGone {
                fail("\(side.name): \(name) was edited to \(fact.value), and is \(side.view.facts[name] ?? "gone")")
            }
            side.edited[name] = nil
        }
        let base = below(side)?.view ?? fileView
        side.edited = side.edited.filter { !side.view.says($0.key, of: base) }
    }

    /// After saving everything both contexts show one graph, and a new one reads it from the file.
    func finish() async throws {
        drafts = [nil, nil, nil]
        log.append("finish")
        for side in mains { try await save(side) }
        guard try await agrees() else { return }
        let copy = try file.copy()
        let store = try Store(.file(copy.path), models: world.models)
        let differences = try look(store.main).differences(from: fileView)
        if !differences.isEmpty { fail("the file opened anew: \(differences)") }
        let damage = try stores[0].check()
        if !damage.isEmpty { fail("the check finds \(damage)") }
    }
}

extension String {
    fileprivate func letter(_ index: Int) -> String { String(self[self.index(startIndex, offsetBy: index)]) }
}
