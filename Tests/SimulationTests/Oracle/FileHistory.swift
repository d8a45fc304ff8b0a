import TestSupport

/// Every state of the file, commit by commit, and whether one may follow the other.
struct FileHistory {
    private var database: Database?
    private var version: String?
    /// The values that each field has had in the file, oldest first.
    private var values: [Fact: [Int?]] = [:]
    private var destroyed: Set<Name> = []
    private var lost: Set<Name> = []
    /// Objects sent with edits that had no answer.
    private var unanswered: Set<Name> = []
    private(set) var commits = 0

    mutating func open(_ path: String) {
        database = try? Database(path)
        version = nil
    }

    mutating func close() { database = nil }

    /// Notes the result of an ended operation.
    mutating func ended(_ operation: Operation) {
        // It may be at the server, and be fetched while the local object is still new.
        if case .create(_, let name, .lost) = operation.step { lost.insert(name) }
        if case .sendMembership(_, let relation, let member, let target, true, .lost) = operation.step {
            lost.insert(relation == .labels ? target : member)
        }
        if case .send(_, let name, .lost) = operation.step { unanswered.insert(name) }
        if case .destroy(_, let name, let fate) = operation.step, operation.error == nil, fate != .unreached,
            !lost.contains(name)
        {
            destroyed.insert(name)
        }
    }

    /// Checks the file if it was changed.
    ///
    /// - Returns: the violated invariant.
    mutating func look(_ oracle: Oracle, _ transport: ServerTransport) -> String? {
        guard let now = try? database?.rows("PRAGMA data_version").first?[0], now != version else { return nil }
        version = now
        commits += 1
        if let name = returned(transport) { return "\(name) was deleted at the server, and is back in the file" }
        let fields = fields()
        let counts = Dictionary(fields.map { ($0.0, 1) }, uniquingKeysWith: +)
        // Objects deleted with their owner come back with the server's values.
        values = values.filter { counts[$0.key] != nil }
        for (fact, value) in fields {
            // A thing that was fetched while its creation was in flight has two rows until the reply comes.
            guard counts[fact] == 1 else {
                values[fact] = nil
                continue
            }
            let before = values[fact]?.last ?? nil
            guard before != value || values[fact] == nil else { continue }
            let problem = values[fact] == nil ? nil : problem(fact, before, value, oracle, transport)
            values[fact, default: []].append(value)
            if let problem { return problem }
        }
        return nil
    }

    /// An object that was deleted at the server, and was found in the file after that.
    private mutating func returned(_ transport: ServerTransport) -> Name? {
        guard !destroyed.isEmpty else { return nil }
        return fields().flatMap { $0.0.names }.first { destroyed.contains($0) }
    }

    private func fields() -> [(Fact, Int?)] {
        var found: [(Fact, Int?)] = []
        for kind in Kind.allCases {
            let source =
                switch kind {
                case .owner: "owner LEFT JOIN mark ON mark.owner_id = owner._id"
                case .item: "item LEFT JOIN extra ON extra._id = item.extra_id"
                case .label, .badge: "\(kind)"
                }
            for row in (try? database?.rows("SELECT tag, a, b FROM \(source)")) ?? [] {
                guard let tag = row[0].flatMap({ Int($0) }) else { continue }
                let name = Name(kind: kind, tag: tag)
                found.append((.field(name, .a), row[1].flatMap { Int($0) }))
                found.append((.field(name, .b), row[2].flatMap { Int($0) }))
            }
        }
        return found
    }

    /// A value that was set only once shows its origin.
    private func problem(
        _ fact: Fact, _ old: Int?, _ new: Int?, _ oracle: Oracle, _ transport: ServerTransport
    ) -> String? {
        // Two things that turned out to be one have the edits of both.
        let isUnified = transport.server.unified.contains { fact.names.contains($0) || fact.names.contains($1) }
        guard !isUnified, !oracle.isBlurred(fact), let edit = oracle.everEdited[fact]?.last(where: { $0.value == old })
        else {
            return nil
        }
        let writes = transport.server.writes.filter { $0.fact == fact }
        for case let value? in [old, new] {
            let edits = (oracle.everEdited[fact] ?? []).count { $0.value == value }
            guard edits + writes.count(where: { $0.value == value && !$0.isClients }) <= 1 else { return nil }
        }
        let change =
            "\(fact) was \(old ?? 0), set in context \(edit.context), and became \(new.map { "\($0)" } ?? "nil") in the file"
        let place = writes.firstIndex { $0.value == old }
        if let mine = oracle.everEdited[fact]?.last(where: { $0.value == new }) {
            if mine.context == edit.context {
                return mine.time < edit.time ? change + ": an older edit of the same context" : nil
            }
            // Otherwise it came with a reply, or its context saved it again, as its request had no answer.
            if values[fact]?.contains(new) != true || mine.time > edit.time { return nil }
            if fact.names.contains(where: unanswered.contains) { return nil }
        }
        guard let place else { return change + " before the server knew it" }
        let newPlace = writes.firstIndex { $0.value == new } ?? -1
        return newPlace < place ? change + ": what the server said before" : nil
    }
}
