@testable import ObjectStore

/// Checks the promises to users. It knows only their edits and the reports of the server.
struct FactOracle {
    /// The last value that was saved, or sent directly and accepted.
    struct Promise {
        var value: ModelValue, at: Int64, knownSince: Int64, edit: ChangeStamp? = nil, former: ModelValue? = nil
    }
    struct Sent {
        var unedited: Set<ModelFact> = [], unsaved: Set<ModelFact> = [], isLost = false, isLinkList = false,
            stamp: Int64 = 0
    }

    var promised: [ModelFact: Promise] = [:]
    /// The unsaved values that users have set.
    var own: [ModelContext: [ModelFact: ModelValue]] = [:]
    /// The time of the request for a fact's newest report, and its value.
    var reported: [ModelFact: (requestTime: Int64, value: ModelValue)] = [:]
    /// When the last request with the fact ended.
    var completed: [ModelFact: Int64] = [:]
    /// Lists that the server has reported with all members.
    var reportedWhole: Set<ModelRow> = []
    /// When the last request with the whole list ended.
    var completedLists: [ModelRow: Int64] = [:]
    /// Memberships that the server may have, as it has reported them or a request has sent them.
    var named: Set<ModelFact> = []
    var requests: [ChangeStamp: Sent] = [:]
    var acknowledged: Set<ChangeStamp> = []
    /// The server's objects that each row has represented.
    var uids: [ModelRow: ModelRow] = [:]
    /// The boards that reported the removal of a card from their list.
    var links: [ModelFact: ModelValue] = [:]
    /// The time at which the user knew a card's board, before a list that omits the card cleared the link.
    var left: [ModelFact: Int64] = [:]
    /// When each fact was known, for a list that was assigned as a whole.
    var assigned: [ModelRow: [ModelFact: Int64]] = [:]
    /// Members that were deleted locally when a list was assigned. They stay if the deletion is undone.
    var deleted: [ModelRow: Set<ModelRow>] = [:]
    /// Names that were given to another object after a deletion.
    var reused: Set<ModelRow> = []
    /// The names of deleted objects, with the stamp of the acknowledgement.
    var gone: [ModelRow: Int64] = [:]
    /// Notes with an unknown list that was assigned as a whole and saved.
    var wholes: [ModelRow: (members: Set<ModelRow>, at: Int64, known: [ModelFact: Int64])] = [:]
    /// The facts of each request.
    var sentFacts: [ChangeStamp: Set<ModelFact>] = [:]
    var failure: String?

    mutating func fail(_ text: @autoclosure () -> String) { if failure == nil { failure = text() } }

    // MARK: Events

    mutating func set(_ fact: ModelFact, _ value: ModelValue, _ context: ModelContext) {
        own[context, default: [:]][fact] = value
    }

    mutating func willAssign(_ owner: ModelRow, _ context: ModelContext, _ log: FactLog) {
        deleted[owner, default: []].formUnion(log.candidates(owner).filter { !log.isAlive($0, context) })
        if assigned[owner] == nil { assigned[owner] = reported.mapValues(\.requestTime) }
    }

    mutating func saved(
        _ context: ModelContext, _ facts: [ModelFact: ModelValue], shown: [ModelRow: [ModelRow]], _ log: FactLog
    ) {
        let at = log.clock
        let values = own.removeValue(forKey: context) ?? [:]
        if let parent = context.parent {
            own[parent, default: [:]].merge(values) { $1 }
            return
        }
        for (fact, value) in facts.ordered {
            if case .order(let owner) = fact {
                promise(
                    fact, .order((shown[owner] ?? []).filter(value.members.contains)), at,
                    knownSince: knownSince(fact))
            } else {
                promise(fact, values[fact] ?? value, at, knownSince: knownSince(fact))
            }
        }
        for (fact, value) in facts.ordered {
            if case .order(let owner) = fact, value.isWhole {
                wholes[owner] = (
                    Set(shown[owner] ?? []).union(deleted[owner] ?? [])
                        .union(value.members.filter { !log.isAlive($0, context) }), at, assigned[owner] ?? [:]
                )
            }
            unplace(fact, unless: facts)
            promised[fact]!.edit = log.edits[.saved]?[fact]?.id
        }
    }

    func knownSince(_ fact: ModelFact) -> Int64 { reported[fact]?.requestTime ?? left[fact] ?? 0 }

    mutating func promise(_ fact: ModelFact, _ value: ModelValue, _ at: Int64, knownSince: Int64) {
        promised[fact] = Promise(
            value: value, at: at, knownSince: knownSince, former: links[fact] ?? reported[fact]?.value)
    }

    /// A member that leaves or enters a list loses its promised place, unless the order is saved with it.
    mutating func unplace(_ fact: ModelFact, unless facts: [ModelFact: ModelValue]) {
        var places: [(owner: ModelRow, member: ModelRow)] = []
        switch fact {
        case .pair(let note, let tag): places = [(note, tag), (tag, note)]
        case .link(let card):
            places = promised.keys.sorted().compactMap {
                if case .order(let o) = $0, o.kind == .board { (o, card) } else { nil }
            }
        default: break
        }
        for (owner, member) in places where facts[.order(owner)] == nil {
            guard let order = promised[.order(owner)]?.value.members else { continue }
            promised[.order(owner)]!.value = .order(order.filter { $0 != member })
        }
    }

    mutating func sent(_ request: ModelRequest, _ log: FactLog) {
        var sent = Sent(stamp: request.stamp.rawValue)
        if case .list(let owner) = request.kind { sent.isLinkList = owner.kind == .board }
        let layers = log.layers(request.sender)
        for (fact, value) in request.body.sent.ordered {
            let visible = layers.first { log.edits[$0]?[fact] != nil }
            if value == .flag(true) { named.insert(fact) }
            guard let visible else {
                if case .notHere = value { sent.unedited.insert(fact) }
                if case .order = value, isReportedOrder(fact, value) { sent.unedited.insert(fact) }
                checkUnedited(fact, value, log)
                if reported[fact].map({ $0.value == value }) ?? (value == .flag(false)) { sent.unedited.insert(fact) }
                continue
            }
            guard let ids = request.body.carried[fact], let edit = log.edits[visible]?[fact] else {
                sent.unedited.insert(fact)
                continue
            }
            if ids.contains(edit.id), acknowledged.contains(edit.id) {
                fail("\(fact): an acknowledged edit is sent again")
            }
            if visible != .saved { sent.unsaved.insert(fact) }
        }
        requests[request.stamp] = sent
    }

    /// Unedited facts are sent with the newest value that the server has reported.
    mutating func checkUnedited(_ fact: ModelFact, _ value: ModelValue, _ log: FactLog) {
        if reported[fact]?.value.rows.contains(where: { log.rows[$0]?.isGone != false }) == true { return }
        switch value {
        case .order, .notHere: break
        default:
            if let known = reported[fact]?.value, known != value {
                fail("\(fact): sends \(value) without an edit, the server had \(known)")
            }
        }
    }

    /// Returns whether the members with a promised order are sent in the order that the server has reported.
    func isReportedOrder(_ fact: ModelFact, _ value: ModelValue) -> Bool {
        guard let promised = self.promised[fact]?.value.members else { return true }
        let sent = value.members.filter(promised.contains)
        let known = reported[fact]?.value.members ?? []
        return sent == known.filter(sent.contains)
    }

    /// Unreported members stay, unless the list was assigned as a whole.
    mutating func applied(
        _ request: ModelRequest, before: [ModelFact: ModelValue], server: FactServer, map: (ModelRow) -> ModelRow?
    ) {
        switch request.kind {
        case .list(let owner): if owner.kind == .board || request.isWhole || reportedWhole.contains(owner) { return }
        case .pair(let note, let tag): if reportedWhole.contains(note) || reportedWhole.contains(tag) { return }
        default: return
        }
        for fact in request.body.sent.keys.sorted() {
            guard case .pair = fact, let note = map(fact.rows[0]), let tag = map(fact.rows[1]) else { continue }
            let uids = ModelFact.pair(note: note, tag: tag)
            if before[uids] != nil, server.facts()[uids] == nil, !named.contains(fact) {
                fail("\(fact): an unknown member was removed")
            }
        }
    }

    mutating func completed(
        _ request: ModelRequest, _ outcome: FactOutcome, reply: FactServer.Reply, at: Int64, _ log: FactLog
    ) {
        guard let sent = requests[request.stamp] else { return }
        if case .life(let row) = request.kind, outcome == .accepted, request.body.sent[.life(row)] == .flag(false),
            let name = request.wire[row]
        {
            gone[name] = at
        }
        for (fact, value) in request.body.sent.ordered {
            if outcome != .rejected { completed[fact] = at }
            if outcome != .rejected, case .order(let owner) = fact, owner.kind != .board { completedLists[owner] = at }
            guard outcome == .accepted else { continue }
            if case .notHere(let owner) = value {
                guard let known = reported[fact], known.value == .link(owner) else { continue }
                (links[fact], reported[fact]) = (known.value, nil)
                left[fact] = max(request.stamp.rawValue, known.requestTime)
                continue
            }
            let value = reply.values[fact] ?? value
            reported[fact] = (max(request.stamp.rawValue, reported[fact]?.requestTime ?? 0), value)
            if value == .flag(true) { named.insert(fact) }
            acknowledged.formUnion(request.body.carried[fact] ?? [])
            for context in request.sender.chain where log.edits[.context(context)]?[fact] == nil {
                own[context]?[fact] = nil
            }
            if log.layers(request.sender).allSatisfy({ log.edits[$0]?[fact] == nil }),
                request.body.carried[fact] != nil,
                let view = log.view(fact, request.sender), view != value,
                (fact.rows + value.rows).allSatisfy({ log.rows[$0]?.isGone == false })
            {
                fail("\(fact): the sender shows \(view) after a reply with \(value)")
            }
            let carried = request.body.carried[fact] ?? []
            if sent.unsaved.contains(fact), !carried.isEmpty,
                promised[fact]?.at ?? 0 < sent.stamp || promised[fact]?.edit.map(carried.contains) == true
            {
                promise(fact, request.body.sent[fact]!, sent.stamp, knownSince: sent.stamp)
                unplace(fact, unless: request.body.sent)
            }
        }
        if case .list(let owner) = request.kind, outcome == .accepted { reportedWhole.insert(owner) }
        if case .life(let row) = request.kind, outcome == .accepted { reportedWhole.insert(row) }
    }

    /// The process never learns of the outcome.
    mutating func lost(_ request: ChangeStamp) { requests[request]?.isLost = true }

    mutating func received(_ answer: ModelAnswer, requestTime: Int64, _ log: FactLog) {
        func report(_ fact: ModelFact, _ value: ModelValue) {
            if value == .flag(true) { named.insert(fact) }
            if case .pair = fact, fact.rows.contains(where: { requestTime <= completedLists[$0] ?? 0 }) { return }
            guard requestTime > completed[fact] ?? 0, requestTime > reported[fact]?.requestTime ?? -1 else { return }
            reported[fact] = (requestTime, value)
        }
        for name in answer.objects.map(\.name) + answer.lists.flatMap({ [$0.owner] + $0.members }) {
            if let stamp = gone[name], requestTime < stamp, log.names[name] != nil, !reused.contains(name) {
                fail("\(name) is back from an old answer")
            }
        }
        for object in answer.objects {
            guard let row = log.names[object.name] else { continue }
            report(.value(row), object.value)
            if row.kind == .card { report(.link(row), .link(object.link.flatMap { log.names[$0] })) }
        }
        for list in answer.lists {
            guard let owner = log.names[list.owner] else { continue }
            let members = list.members.compactMap { log.names[$0] }
            for row in members { report(.membership(of: row, in: owner), log.inside(owner)) }
            if list.isPart { continue }
            report(.order(owner), .order(members))
            reportedWhole.insert(owner)
            if owner.kind == .board {
                for (fact, known) in reported.ordered
                where known.value == .link(owner) && !members.contains(fact.rows[0]) {
                    (links[fact], reported[fact]) = (known.value, nil)
                }
                continue
            }
            for row in log.candidates(owner) where !members.contains(row) && log.isKnownToServer(row) {
                report(.membership(of: row, in: owner), .flag(false))
            }
        }
    }

    mutating func converted(_ facts: [ModelFact: ModelValue], at: Int64) {
        for (fact, value) in facts.ordered {
            if let later = promised[fact], later.value == .flag(true), later.at > wholes[fact.rows[0]]?.at ?? 0 {
                fail("\(fact): a list that was assigned as a whole removes a member that was added later")
            }
            promise(fact, value, at, knownSince: knownSince(fact))
        }
    }

    mutating func remapped(_ row: ModelRow, to other: ModelRow, _ log: FactLog) {
        let map = { (r: ModelRow) in r == row ? other : r }
        for (fact, value) in promised.ordered where fact.rows.contains(row) || value.value.rows.contains(row) {
            promised[fact] = nil
            let target = fact.mapRows(map)
            var new = value
            new.value = value.value.mapRows(map)
            if case .order = fact { new.value = .order(new.value.members.filter { $0 != other }) }
            if target == fact || promised[target] == nil { promised[target] = new }
            if let saved = log.edits[.saved]?[target], target != fact { promised[target]!.value = saved.value }
        }
        named = Set(named.map { $0.mapRows(map) })
        reported = Dictionary(reported.ordered.map { ($0.mapRows(map), ($1.requestTime, $1.value.mapRows(map))) }) {
            $0.requestTime > $1.requestTime ? $0 : $1
        }
        reportedWhole = Set(reportedWhole.map(map))
        for context in ModelContext.allCases {
            own[context] = log.edits[.context(context)]?.filter { if case .order = $0.key { false } else { true } }
                .mapValues(\.value)
        }
    }
}
