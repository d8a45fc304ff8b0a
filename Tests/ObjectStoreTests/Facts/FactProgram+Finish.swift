import TestSupport

@testable import ObjectStore

/// The end of a program, and the promises that must hold then.
extension FactProgram {
    mutating func finish() {
        isFinishing = true
        trace("finish")
        for index in flights.indices { arrive(index) }
        while !flights.isEmpty {
            let flight = flights.removeLast()
            end(flight, flight.reply == nil ? .rejected : .accepted)
        }
        while !asked.isEmpty { deliver(asked.removeFirst()) }
        for context in [ModelContext.d, .a, .b, .c] { save(context) }
        oracle.check(log)
        for _ in 0..<8 {
            sendAll()
            fetchAll()
            if log.edits.values.allSatisfy(\.isEmpty) { break }
        }
        oracle.check(log)
        checkPending()
        checkViews()
        checkPromised()
        checkWholes()
    }

    mutating func sendAll() {
        for _ in 0..<40 {
            let facts = (log.edits[.saved] ?? [:]).keys.sorted().shuffled(using: &random)
            var isSent = false
            for fact in facts where log.edits[.saved]?[fact] != nil {
                for kind in kinds(fact, .b).shuffled(using: &random) where send(kind, random.pick([.a, .b])!) {
                    arrive(flights.count - 1)
                    let flight = flights.removeLast()
                    end(flight, flight.reply == nil ? .rejected : .accepted)
                    isSent = flight.reply != nil
                    break
                }
            }
            if !isSent { return }
        }
    }

    mutating func fetchAll() {
        let wasTraced = isTraced
        isTraced = false
        defer { isTraced = wasTraced }
        for kind in [ModelRow.Kind.note, .tag, .board, .card] { fetch(.index(kind)) }
        for (row, info) in log.rows.ordered where !info.isGone {
            guard case .identity(let number)? = log.base(.identity(row)).value else { continue }
            for name in (log.otherNames[row] ?? [ModelRow(kind: row.kind, number: number)]).sorted() {
                fetch(.object(name))
            }
        }
        for kind in [ModelRow.Kind.note, .tag, .board] {
            for uid in server.uids(kind) { fetch(.list(server.objects[uid]!.name, limit: nil)) }
        }
    }

    mutating func checkPending() {
        for (layer, facts) in log.edits.ordered where !facts.isEmpty {
            oracle.fail("still pending in \(layer): \(facts)")
        }
        if let risk = log.bases.ordered.first(where: { $1.isAtRisk }),
            risk.key.rows.allSatisfy({ log.rows[$0]?.isGone == false })
        {
            oracle.fail("\(risk.key) is still at risk")
        }
    }

    mutating func checkViews() {
        var rows: [ModelRow: ModelRow] = [:]
        for (row, info) in log.rows.ordered where !info.isGone {
            guard let uid = uid(row) else {
                oracle.fail("\(row) isn't at the server")
                return
            }
            if let other = rows.updateValue(row, forKey: uid) {
                oracle.fail("\(row) and \(other) are one object")
                return
            }
        }
        for (uid, object) in server.objects.ordered {
            guard let row = rows[uid] else {
                oracle.fail("\(uid) isn't in the file")
                return
            }
            for context in ModelContext.allCases {
                if log.view(.value(row), context) != object.value {
                    oracle.fail(
                        "\(row) shows another value than \(object.value)"
                    )
                }
                if row.kind == .card {
                    let link = object.link.map { rows[$0]! }
                    if log.view(.link(row), context) != .link(link) {
                        oracle.fail("\(row) shows another board than \(String(describing: link))")
                    }
                } else {
                    let list = object.list.map { rows[$0]! }
                    if log.shown(row, context) != list {
                        oracle.fail("\(row) shows \(log.shown(row, context)), the server has \(list)")
                    }
                }
            }
        }
    }

    /// A list that was assigned as a whole has lost the members that were unknown then.
    mutating func checkWholes() {
        for (note, promised) in oracle.wholes.ordered {
            guard log.rows[note]?.isGone == false, let uid = uid(note) else { continue }
            for tag in log.candidates(note) where !promised.members.contains(tag) {
                let fact = ModelFact.pair(note: note, tag: tag)
                guard let other = self.uid(tag), log.base(fact).value == .flag(true) else { continue }
                if let later = oracle.promised[fact], later.at > promised.at || later.value == .flag(true) { continue }
                let history = server.history[.pair(note: uid, tag: other)] ?? []
                let known = promised.known[fact] ?? 0
                let wasOut = history.indices.contains { (index: Int) -> Bool in
                    guard history[index].value == .flag(false) else { return false }
                    return index + 1 == history.count || history[index + 1].at > known
                }
                if !wasOut { oracle.fail("\(fact): \(note) was assigned as a whole without it") }
            }
        }
    }

    mutating func checkPromised() {
        for (fact, promised) in oracle.promised.ordered {
            if case .identity = fact { continue }
            if case .life(let row) = fact {
                // A created object may be deleted by others; a deleted one must be gone.
                if promised.value == .flag(false), log.rows[row]?.isGone == false {
                    oracle.fail("\(row) was deleted and is back")
                }
                continue
            }
            guard fact.rows.allSatisfy({ log.rows[$0]?.isGone == false }) else { continue }
            var isOrder = false
            if case .order = fact { isOrder = true }
            guard isOrder || promised.value.rows.allSatisfy({ log.rows[$0]?.isGone == false }) else { continue }
            guard fact.rows.allSatisfy({ uid($0) != nil }) else { continue }
            let map = { [self] (row: ModelRow) in uid(row) ?? ModelRow(kind: row.kind, number: -row.number) }
            var mapped = promised
            mapped.value = promised.value.mapRows(map)
            mapped.former = promised.former?.mapRows(map)
            let key = fact.mapRows(map)
            let first: ModelValue = isOrder ? .order([]) : .flag(false)
            let history = server.history[key] ?? [FactServer.Entry(at: -1, value: first, request: nil)]
            let last = history.lastIndex { oracle.matches(key, mapped, $0) }
            if !oracle.isKept(key, mapped, history)
                || !history[(last! + 1)...].allSatisfy({ oracle.isOthers($0, fact, promised) })
            {
                oracle.fail(
                    "\(fact): promised \(promised.value) at \(promised.at), the server had \(history.map(\.text))"
                )
            }
        }
    }
}
