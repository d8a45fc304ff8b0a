import RestfulData
import TestSupport

@testable import ObjectStore

// The end of a program: everything is saved, sent and fetched, nothing fails any more, and then there is one truth.

extension Runner {
    func finish() throws {
        for host in hosts { try checkSides(in: host) }
        try settle { _ in 0 }
        trace("the end, settled")
        for host in hosts { try saveAll(in: host) }
        trace("all is saved")
        try checkExistence()
        transport.change { $0.namesLabels = true }
        try sendAll()
        trace("all is sent")
        try fetchAll()
        trace("all is fetched")
        try checkFile()
        try checkEdits()
        try checkRequests()
        for host in hosts {
            try checkSides(in: host)
            try checkAgainstServer(host)
        }
    }

    /// Runs something in a context, to its end.
    private func complete(
        _ step: Step, in context: Int, about name: Name? = nil,
        _ body: @escaping @Sendable (ObjectContext) async throws -> Void
    ) throws -> (any Error)? {
        let operation = Operation(step, in: context, about: name, at: clock)
        hosts[context].begin(operation, clock: { self.clock }, body)
        try settle { _ in 0 }
        guard operation.isDone else { throw fail("at the end, \(step) never ended") }
        return operation.error
    }

    private static func isReportedOnce(_ error: StoreError) -> Bool {
        switch error {
        case .deletedObject, .changedModel: true
        default: false
        }
    }

    private func saveAll(in host: Host) throws {
        // A rejected edit is reported once.
        for _ in 0..<3 {
            guard host.context?.hasChanges == true else { return }
            let error = try complete(.save(in: host.index), in: host.index) { try await $0.save() }
            switch error as? StoreError {
            case nil, .deletedObject, .changedModel: continue
            case .several(let errors)? where errors.allSatisfy(Self.isReportedOnce): continue
            case let error?: throw fail("at the end, context \(host.index) can't be saved: \(error)")
            }
        }
        guard host.context?.hasChanges != true else { throw fail("context \(host.index) still has changes") }
    }

    /// Created things exist, and deleted ones don't.
    private func checkExistence() throws {
        oracle.blurCascades()
        for (name, other) in transport.server.unified {
            oracle.blur(name)
            oracle.blur(other)
        }
        for host in hosts {
            for name in oracle.made.keys.sorted() where !oracle.blurred.contains(name) {
                guard host.find(name) != nil else {
                    throw fail("\(name) was made, and is not in context \(host.index)")
                }
            }
            for name in oracle.discarded.keys.sorted() where transport.server.id(of: name) == nil {
                guard host.find(name) == nil else { throw fail("\(name) was deleted, and is in context \(host.index)") }
            }
        }
    }

    private func sendAll() throws {
        let host = hosts[0]
        for round in 0..<8 {
            var waiting = 0
            if round > 4 { try untieNewObjects(in: host) }
            for kind in Kind.allCases {
                for object in host.all(kind) where !object.isDeleted {
                    let name = Name(kind: kind, tag: object.tag ?? 0)
                    guard object.identifier == nil || !object.unsentProperties.isEmpty else { continue }
                    waiting += 1
                    try send(object, name, isLast: round == 7)
                }
            }
            if waiting == 0 { return }
        }
        throw fail("not everything can be sent")
    }

    /// An item and its owner, both new, wait for each other, and so do items that are each other's parents.
    private func untieNewObjects(in host: Host) throws {
        for item in host.all(Item.self) where item.identifier == nil && item.parent?.identifier == nil {
            guard item.parent != nil else { continue }
            oracle.blur(.item(item.tag ?? 0))
            item.parent = nil
        }
        for item in host.all(Item.self) {
            guard item.identifier == nil, let owner = item.owner, owner.identifier == nil else { continue }
            oracle.blur(.item(item.tag ?? 0))
            item.owner = nil
        }
        try saveAll(in: host)
    }

    private func send(_ object: any Thing, _ name: Name, isLast: Bool) throws {
        nonisolated(unsafe) let object = object
        let error = try complete(.send(in: 0, name, .whole), in: 0, about: name) { _ in
            if unsafe object._object.isAtServer {
                unsafe try await object.save()
            } else {
                unsafe try await object.create()
            }
        }
        guard let error else { return }
        if Self.isGone(error) { return try discard(unsafe object, name) }
        if case .unidentified? = error as? APIError, !isLast { return }
        if case .partialList? = error as? APIError, !isLast { return try fetch(unsafe object, name) }
        if case .store(.deletedObject)? = error as? APIError { return }
        throw fail("at the end, \(name) can't be sent: \(error)")
    }

    /// An object that isn't known to be complete is sent once it is.
    private func fetch(_ object: any Thing, _ name: Name) throws {
        nonisolated(unsafe) let object = object
        let error = try complete(.fetch(in: 0, name, .whole), in: 0, about: name) { _ in unsafe try await object.fetch()
        }
        guard let error else { return }
        guard Self.isGone(error) else { throw fail("at the end, \(name) can't be fetched: \(error)") }
        try discard(unsafe object, name)
    }

    private static func isGone(_ error: any Error) -> Bool {
        if case .reply(let reply)? = error as? APIError { reply.status == 404 } else { false }
    }

    /// Another client has deleted it; a client that gets this answer does so, too.
    private func discard(_ object: any Thing, _ name: Name) throws {
        oracle.blur(name)
        func delete(_ object: some Thing) { hosts[0].context?.delete(object) }
        delete(object)
        try saveAll(in: hosts[0])
    }

    private func fetchAll() throws {
        for kind in Kind.allCases {
            let error = try complete(.fetchAll(in: 0, kind, .whole), in: 0) { context in
                func fetch<M: Thing>(_ type: M.Type) async throws { _ = try await type.fetchAll(in: context) }
                try await fetch(kind.type)
            }
            if let error { throw fail("at the end, \(kind)s can't be fetched: \(error)") }
        }
    }

    private func checkFile() throws {
        let database = try Database(file.path)
        let problems =
            try database.rows("PRAGMA integrity_check").compactMap { $0[0] }.filter { $0 != "ok" }
            + database.rows("PRAGMA foreign_key_check").map { "foreign key: \($0)" }
        guard problems.isEmpty else { throw fail("the file is broken: \(problems)") }
        let complaints = transport.server.complaints
        guard complaints.isEmpty else { throw fail("the server was asked nonsense: \(complaints)") }
    }

    /// Each fact that a client has sent was requested by a step. A list is sent whole: others' additions meanwhile may
    /// be lost by that, but only those that some client was sent.
    private func checkRequests() throws {
        let others = Set(transport.server.writes.filter { !$0.isClients }.map(\.fact))
        var told: Set<Fact> = []
        for write in transport.server.writes where write.isClients && (write.isBlind || !others.contains(write.fact)) {
            // An edit that was sent and then rolled back is reverted with the next list.
            if write.value != nil { told.insert(write.fact) } else if told.contains(write.fact) { continue }
            let edits = oracle.everEdited[write.fact] ?? []
            switch write.fact {
            case .field, .link(.badge, _): continue
            // A member that moves to another list leaves one first.
            case .link where !edits.isEmpty: continue
            case .pair where edits.contains { ($0.value == nil) == (write.value == nil) }: continue
            case .link, .pair:
                guard oracle.isBlurred(write.fact) else {
                    throw fail(
                        "\(write.fact) was set to \(text(write.value)) at the server, and nobody has asked for it")
                }
            }
        }
    }

    /// The last edit of each fact has reached the server.
    private func checkEdits() throws {
        let writes = transport.server.writes.filter(\.isClients)
        for fact in oracle.edits.keys.sorted(by: { $0.description < $1.description }) {
            guard !oracle.isBlurred(fact), var candidates = oracle.candidates(fact) else { continue }
            if candidates.contains(where: { isContested(fact, $0) }) { candidates.append(nil) }
            let last = writes.last { $0.fact == fact }
            // A value that was nil from the beginning needn't be sent.
            if last == nil, candidates.contains(nil) { continue }
            // A value that the server got from others is already there, so it stays unsent, even if the server has a
            // later one.
            if transport.server.writes.contains(where: {
                $0.fact == fact && !$0.isClients && candidates.contains($0.value)
            }) {
                continue
            }
            if let said = transport.server.writes.last(where: { $0.fact == fact }), candidates.contains(said.value) {
                continue
            }
            guard let last, candidates.contains(last.value) else {
                throw fail(
                    "\(fact) was last set to \(candidates.map { text($0) }.joined(separator: " or ")), and "
                        + (last.map { "the server was last told \(text($0.value))" } ?? "the server was never told"))
            }
        }
    }
}

// MARK: - One truth

extension Runner {
    /// A context's values equal the server's.
    private func checkAgainstServer(_ host: Host) throws {
        let server = transport.server
        for kind in Kind.allCases {
            let objects = host.all(kind)
            for object in objects {
                guard let id = object.identifier else { throw fail("\(kind) \(text(object.tag)) was not created") }
                if !object.unsentProperties.isEmpty {
                    throw fail("\(kind) \(id) still has unsent \(object.unsentProperties) in context \(host.index)")
                }
                let key = Server.Key(kind: kind, id: id)
                // An object that was deleted by others stays until it is fetched.
                guard let row = server.rows[key] else { continue }
                try compare(object, key, row, in: host, server)
            }
            let missing = Set(server.ids(of: kind)).subtracting(objects.compactMap(\.identifier))
            guard missing.isEmpty else { throw fail("context \(host.index) has no \(kind) \(missing.sorted())") }
            guard Set(objects.compactMap(\.identifier)).count == objects.count else {
                throw fail("context \(host.index) has a \(kind) twice: \(objects.compactMap(\.identifier).sorted())")
            }
        }
    }

    private func compare(
        _ object: any Thing, _ key: Server.Key, _ row: Server.Row, in host: Host, _ server: Server
    ) throws {
        for field in Field.allCases {
            let value = field == .a ? object.a : object.b
            guard value == row.fields[field] else {
                throw fail(
                    "\(key.kind) \(key.id).\(field) is \(text(value)) in context \(host.index), and "
                        + "\(text(row.fields[field])) at the server")
            }
        }
        for relation in Relation.allCases where relation.isLink && relation.member == key.kind {
            let target = host.target(relation, of: object)
            guard target?.identifier == row.links[relation] else {
                throw fail(
                    "\(relation) of \(key.kind) \(key.id) is \(text(target?.identifier)) in context \(host.index), and "
                        + "\(text(row.links[relation])) at the server")
            }
        }
        if let item = object as? Item {
            let labels = Set(item.labels.compactMap(\.identifier))
            let known = Set(server.pairs.filter { $0.item == key.id }.map(\.label))
            guard labels == known else {
                throw fail(
                    "item \(key.id) has labels \(labels.sorted()) in context \(host.index), and \(known.sorted()) at the server"
                )
            }
        }
    }

    /// Both sides of each relationship agree, and queries with both.
    func checkSides(in host: Host) throws {
        for relation in Relation.allCases {
            let members = host.all(relation.member)
            for target in host.all(relation.target) {
                let listed = host.members(relation, of: target)
                let leading = members.filter { member in
                    relation.isLink
                        ? host.target(relation, of: member) === target
                        : (member as? Item)?.labels.contains { $0 === target } ?? false
                }
                let (one, other) = (tags(listed), tags(leading))
                guard one.sorted() == other.sorted() else {
                    throw fail(
                        "in context \(host.index), \(relation) of \(target.tag ?? 0): it has \(one.sorted()), and "
                            + "\(other.sorted()) lead to it")
                }
            }
        }
        try checkQueries(in: host)
    }

    private func tags(_ objects: [any Thing]) -> [Int] { objects.map { $0.tag ?? 0 } }

    private func checkQueries(in host: Host) throws {
        guard let context = host.context else { return }
        for owner in host.all(Owner.self) {
            let found = try context.query(Item.self).where { $0.owner == owner }.fetch()
            guard Set(found.map(ObjectIdentifier.init)) == Set(owner.items.map(ObjectIdentifier.init)) else {
                throw fail(
                    "in context \(host.index), owner \(owner.tag ?? 0) has \(tags(owner.items).sorted()), and a query finds "
                        + "\(tags(found).sorted())")
            }
        }
        for item in host.all(Item.self) {
            let value = item.a
            let found = try context.query(Item.self).where { $0.a == value }.fetch()
            guard found.contains(where: { $0 === item }), found.allSatisfy({ $0.a == value }) else {
                throw fail("in context \(host.index), a query for items with a == \(text(value)) finds \(tags(found))")
            }
        }
    }
}
