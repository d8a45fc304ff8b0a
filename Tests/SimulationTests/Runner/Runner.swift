import Foundation
import RestfulData
import TestSupport

@testable import ObjectStore

/// A program's failure.
struct Failure: Error, CustomStringConvertible {
    let text: String
    /// The step after which it was seen; the count of all for the end.
    let step: Int

    /// The requests to the server.
    var requests: [String] = []

    var description: String {
        (["after step \(step): \(text)"] + requests.map { "    " + $0 }).joined(separator: "\n")
    }
}

/// Runs one program against one store and one server. All of it happens on the schedule's thread.
final class Runner: @unchecked Sendable {
    let contextCount: Int
    let transport = ServerTransport()
    let file: TemporaryFile
    private(set) var store: Store?
    private(set) var hosts: [Host] = []
    private(set) var operations: [Operation] = []
    var oracle = Oracle()
    var history = FileHistory()
    private(set) var clock = 0
    private(set) var stepIndex = 0
    /// How often each kind of step took effect.
    private(set) var effects: [String: Int] = [:]
    private var queue: DispatchQueue?
    /// Whether the server, or the way to it, fails in some step.
    private var hasFaults = false
    /// By context, when something last began or ended that takes edits.
    private var lastTaken: [Int: Int] = [:]

    init(contexts: Int) throws {
        contextCount = contexts
        file = try TemporaryFile()
    }

    func fail(_ text: String) -> Failure { Failure(text: text, step: stepIndex, requests: transport.log) }

    // MARK: Programs

    func run(_ program: [Step]) throws {
        try open()
        hasFaults = program.contains { $0.isFaulty }
        for step in program {
            clock += 1
            if try perform(step) { effects[step.verb, default: 0] += 1 }
            trace("\(step)")
            stepIndex += 1
        }
        try finish()
        try close()
    }

    private func open() throws {
        let api = API("https://api.example.com", transport: transport)
        let store = try Store(
            .file(file.path), models: [Owner.self, Mark.self, Item.self, Extra.self, Label.self, Badge.self], api: api)
        self.store = store
        guard let queue = DispatchQueue.writing(store.file) else { throw fail("no writer queue") }
        self.queue = queue
        Schedule.shared.add(queue)
        history.open(file.path)
        hosts = (0..<contextCount).map(Host.init)
        for host in hosts {
            host.open(store)
            while host.context == nil, try runOne({ _ in 0 }) {}
            guard host.context != nil else { throw fail("context \(host.index) was not opened") }
        }
    }

    func close() throws {
        try settle { _ in 0 }
        for host in hosts { host.close() }
        try settle { _ in 0 }
        guard hosts.allSatisfy(\.isClosed) else { throw fail("a context was not closed") }
        store = nil
        if let queue { Schedule.shared.remove(queue) }
        queue = nil
        history.close()
    }

    // MARK: Jobs

    /// Runs one job; false when none is ready.
    @discardableResult
    func runOne(_ choose: (Int) -> Int) throws -> Bool {
        Schedule.shared.collect()
        guard Schedule.shared.runOne(choose) else { return false }
        clock += 1
        Schedule.shared.collect()
        try noteCommit()
        try noteEnds()
        return true
    }

    /// Runs jobs until only operations that wait for a reply are left, with every reply received too.
    func settle(_ choose: (Int) -> Int) throws {
        var count = 0
        repeat {
            while try runOne(choose) {
                count += 1
                guard count < 100_000 else { throw fail("it never ends") }
            }
            Schedule.shared.collect()
        } while !Schedule.shared.isIdle || transport.reply(choose(max(transport.heldCount, 1)))
        if let hung = operations.first(where: { !$0.isDone }) { throw fail("\(hung.step) never ended") }
        operations = []
    }

    private func noteEnds() throws {
        for operation in operations where operation.isDone {
            // The file is writable for any operation.
            switch operation.error {
            case StoreError.file(let reason, _)?, APIError.store(.file(let reason, _))?:
                throw fail("\(operation.step) failed in the file: \(reason)")
            default: break
            }
        }
        for operation in operations where operation.isDone && operation.error == nil {
            if case .save = operation.step {
                oracle.saved(in: operation.context, begunAt: operation.began, endedAt: clock)
            }
        }
        for operation in operations where operation.isDone {
            if case .sendMembership(let context, let relation, let member, let target, _, _) = operation.step {
                let (fact, _) = relation.fact(member, target)
                oracle.noteSent(fact, in: context, at: operation.began, endedAt: operation.error == nil ? clock : nil)
            }
            if let name = operation.name { oracle.ended(about: name, hasFailed: operation.error != nil) }
            lastTaken[operation.context] = clock
            history.ended(operation)
        }
        operations.removeAll(where: \.isDone)
    }

    // MARK: Operations

    private func begin(
        _ step: Step, in context: Int, about name: Name? = nil, _ fate: Step.Fate = .whole,
        _ body: @escaping @Sendable (ObjectContext) async throws -> Void
    ) throws {
        let operation = Operation(step, in: context, about: name, fate, at: clock)
        operations.append(operation)
        lastTaken[context] = clock
        hosts[context].begin(operation, clock: { self.clock }, body)
        // A save goes on to its first wait; a request to the server.
        let requests = transport.heldCount
        for _ in 0..<50 {
            if case .save = step, operation.hasBegun { break }
            if operation.isDone || transport.heldCount > requests { break }
            // The newest job is this operation's own.
            guard try runOne({ $0 - 1 }) else { break }
        }
    }
}

// MARK: - Steps

extension Runner {
    /// - Returns: whether the step had something to do.
    private func perform(_ step: Step) throws -> Bool {
        switch step {
        case .make(let context, let name):
            guard hosts[context].find(name) == nil else { return false }
            hosts[context].make(name)
            oracle.note(making: name, in: context)
        case .edit(let context, let name, let field, let value):
            let former = hosts[context].value(of: .field(name, field))
            guard hosts[context].edit(name, field, to: value) else { return false }
            // Setting the current value is no edit, and the edit that set it keeps its time.
            if former != .some(value) {
                oracle.note(.field(name, field), value, from: former, in: context, at: clock)
            }
        case .join(let context, let relation, let member, let target, let side):
            return try relate(relation, member, target, by: side, in: context, linked: true)
        case .part(let context, let relation, let member, let target, let side):
            return try relate(relation, member, target, by: side, in: context, linked: false)
        case .discard(let context, let name):
            guard let object = hosts[context].find(name) else { return false }
            oracle.note(discarding: name, in: context)
            func discard(_ object: some Thing) { hosts[context].context?.delete(object) }
            discard(object)
            hosts[context].held[name] = nil
        case .rollback(let context):
            guard hosts[context].context?.hasChanges == true else { return false }
            hosts[context].context?.rollback()
            oracle.rolledBack(context)
        case .save(let context):
            guard hosts[context].context?.hasChanges == true else { return false }
            try begin(step, in: context) { try await $0.save() }
        case .create(let context, let name, let fate):
            guard let object = hosts[context].find(name), object.identifier == nil else { return false }
            if fate == .existing || fate == .lost { oracle.blur(name) }
            let host = hosts[context]
            try begin(step, in: context, about: name, fate) { try await host.create(name, in: $0) }
        case .send(let context, let name, let fate):
            guard let object = hosts[context].find(name), object.identifier != nil else { return false }
            let host = hosts[context]
            try begin(step, in: context, about: name, fate) { try await host.save(name, in: $0) }
        case .destroy(let context, let name, let fate):
            guard let object = hosts[context].find(name), object.identifier != nil else { return false }
            oracle.blur(name)
            oracle.blurCascade(of: name)
            let host = hosts[context]
            try begin(step, in: context, about: name, fate) { try await host.delete(name, in: $0) }
        case .fetch(let context, let name, let fate):
            guard let object = hosts[context].find(name), object.identifier != nil else { return false }
            let host = hosts[context]
            try begin(step, in: context, about: name, fate) { try await host.fetch(name, in: $0) }
        case .fetchAll(let context, let kind, let fate):
            try begin(step, in: context, fate) { context in
                func fetch<M: Thing>(_ type: M.Type) async throws { _ = try await type.fetchAll(in: context) }
                try await fetch(kind.type)
            }
        case .fetchList(let context, let relation, let target, let fate):
            guard let object = hosts[context].find(target), object.identifier != nil, relation != .badge else {
                return false
            }
            let host = hosts[context]
            try begin(step, in: context, about: target, fate) { try await host.fetchList(of: target, in: $0) }
        case .sendMembership(let context, let relation, let member, let target, let linked, let fate):
            let host = hosts[context]
            let (fact, value) = relation.fact(member, target)
            // One that is new is created in the list.
            let (owner, joining) = relation == .labels ? (member, target) : (target, member)
            guard host.find(owner)?.identifier != nil, let object = host.find(joining),
                linked || object.identifier != nil, case .some(let former) = host.value(of: fact),
                (former == value) != linked, !isTelling(relation, member, target)
            else { return false }
            oracle.note(
                fact, linked ? value : nil, from: former, in: context, at: clock,
                leaving: !linked && relation.isLink ? target.tag : nil, isTold: true)
            if object.identifier == nil, fate == .lost { oracle.blur(joining) }
            try begin(step, in: context, about: joining, fate) {
                try await host.sendMembership(relation, member, target, linked: linked, in: $0)
            }
        case .take(let context, let kind):
            let body = transport.change { $0.text(of: kind) }
            guard body != "[]" else { return false }
            try begin(step, in: context) { context in
                func take<M: Thing>(_ type: M.Type) async throws {
                    _ = try await context.import(type, from: Array(body.utf8))
                }
                try await take(kind.type)
            }
        case .serverMake(let name):
            guard hosts.allSatisfy({ $0.find(name) == nil }) else { return false }
            return transport.change { $0.make(name) }
        case .serverEdit(let name, let field, let value):
            return transport.change { server in
                guard let id = server.id(of: name) else { return false }
                server.set(field, of: Server.Key(kind: name.kind, id: id), to: value, isClients: false)
                return true
            }
        case .serverLink(let relation, let member, let target):
            if relation == .badge, let target { oracle.note(serverGiving: member, to: target) }
            return transport.change { server in
                guard let id = server.id(of: member) else { return false }
                let other = target.flatMap { server.id(of: $0) }
                if relation.isLink {
                    server.link(relation, id, to: other, isClients: false)
                } else if let other {
                    let pair = Server.Pair(item: id, label: other)
                    server.set(pair, to: !server.pairs.contains(pair), isClients: false)
                }
                return true
            }
        case .serverDelete(let name):
            oracle.note(serverDeletionOf: name)
            return transport.change { server in
                guard let id = server.id(of: name) else { return false }
                server.remove(Server.Key(kind: name.kind, id: id))
                return true
            }
        case .serverLists(let isOn): transport.change { $0.namesLists = isOn }
        case .serverLabels(let isOn): transport.change { $0.namesLabels = isOn }
        case .reply(let index): return transport.reply(index)
        case .run(let count, let pick):
            var generator = SeededGenerator(seed: pick)
            for index in 0..<count {
                guard try runOne({ Int.random(in: 0..<$0, using: &generator) }) else { return index > 0 }
            }
        case .settle(let pick):
            var generator = SeededGenerator(seed: pick)
            try settle { Int.random(in: 0..<max($0, 1), using: &generator) }
            for host in hosts { try checkOwnEdits(of: host) }
            try checkConfirmed()
        case .look(let context):
            try checkOwnEdits(of: hosts[context])
            try checkSides(in: hosts[context])
        case .drop(let context): hosts[context].held = [:]
        case .restart:
            // Operations begun before are finished first.
            try settle { _ in 0 }
            for host in hosts { oracle.rolledBack(host.index) }
            try close()
            try open()
        }
        return true
    }

    private func relate(
        _ relation: Relation, _ member: Name, _ target: Name, by side: Side, in context: Int, linked: Bool
    ) throws -> Bool {
        let host = hosts[context]
        // An object that loses its partner to another is edited too.
        let rivals = relation == .badge && linked ? host.find(target).map { host.members(.badge, of: $0) } ?? [] : []
        let rivalTags = rivals.compactMap(\.tag)
        let (fact, value) = relation.fact(member, target)
        let former = host.value(of: fact)
        let ends = [host.find(member), host.find(target)].map { $0.map(ObjectIdentifier.init) }
        guard host.set(relation, member, target, by: side, linked: linked) else { return false }
        // An object that was deleted elsewhere meanwhile can't be linked, and another one may be found in its stead.
        guard !ends.contains(nil),
            [host.find(member), host.find(target)].map({ $0.map(ObjectIdentifier.init) }) == ends
        else { return false }
        let now = linked ? value : nil
        let leaving = !linked && side == .target && relation.isLink ? target.tag : nil
        oracle.note(fact, now, from: former, in: context, at: clock, leaving: leaving)
        if relation == .badge, side == .target, !linked { oracle.note(bareOwner: target) }
        for rival in rivalTags where rival != member.tag {
            oracle.note(
                .link(.badge, .badge(rival)), nil, from: target.tag, in: context, at: clock, leaving: target.tag)
        }
        // A thing removed from one list may be in another one by now.
        if leaving != nil, let value = host.value(of: fact), value != leaving { return true }
        guard host.value(of: fact) == .some(now) else {
            throw fail(
                "\(fact) is \(text(host.value(of: fact))) in context \(context) right after it was set to \(text(now))")
        }
        return true
    }

    /// Whether a request in flight adds a member to a list or removes it. To add it once more means to have it there
    /// twice.
    private func isTelling(_ relation: Relation, _ member: Name, _ target: Name) -> Bool {
        operations.contains { operation in
            guard case .sendMembership(_, let other, member, target, _, _) = operation.step else { return false }
            return other == relation
        }
    }

    func text(_ value: Int??) -> String { value.map { $0.map { "\($0)" } ?? "nil" } ?? "not there" }

    // MARK: Invariants

    /// An edited value is read back in its context until something replaces it.
    private func checkOwnEdits(of host: Host) throws {
        guard !operations.contains(where: { $0.context == host.index }) else { return }
        for (fact, edit) in oracle.ownEdits(of: host.index, since: lastTaken[host.index] ?? 0) {
            let value = edit.value
            if oracle.isBlurred(fact) || isContested(fact, value) { continue }
            let seen = host.value(of: fact)
            if let owner = edit.leaving, let seen, seen != owner { continue }
            guard seen == .some(value) else {
                throw fail(
                    "\(fact) was set to \(text(value)) in context \(host.index), not saved, and reads \(text(seen))")
            }
        }
    }

    /// A value that was sent and acknowledged is not unsent.
    private func checkConfirmed() throws {
        guard !hasFaults else { return }
        let writes = transport.server.writes
        for item in hosts[0].all(Item.self) {
            let name = Name.item(item.tag ?? 0)
            let unsent = item.unsentProperties.filter { !item.changedProperties.contains($0) }
            for (property, fact) in [("a", Fact.field(name, .a)), ("owner", .link(.owner, name))] {
                guard unsent.contains(property), !oracle.isBlurred(fact),
                    let last = writes.last(where: { $0.fact == fact }),
                    last.isClients, let value = hosts[0].value(of: fact), value == last.value,
                    item.identifier != nil, !hosts[0].changesList(of: item)
                else { continue }
                throw fail("\(fact) is \(text(value)) here and at the server, which said so, and is still unsent")
            }
        }
    }

    /// Whether two badges were given to one owner, or the owner was set to have none.
    func isContested(_ fact: Fact, _ value: Int?) -> Bool {
        guard case .link(.badge, let badge) = fact, let value else { return false }
        if oracle.bareOwners.contains(value) { return true }
        return oracle.everEdited.contains { other, edits in
            if case .link(.badge, let rival) = other, rival != badge {
                edits.contains { $0.value == value }
            } else {
                false
            }
        }
    }

    private func noteCommit() throws {
        guard let problem = history.look(oracle, transport) else { return }
        throw fail(problem)
    }
}
