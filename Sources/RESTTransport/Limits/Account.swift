/// One account's requests, in flight and waiting, and its limits. It is used within the governor's lock.
///
/// Its exclusivity checks at run time would take a tenth of a request's time here, so they are off. This is safe
/// because only its own methods and ``Governance`` access the properties, one thread at a time, and call no code that
/// knows the account.
final class Account {
    /// The same limits apply to all requests of a group.
    struct LimitGroup: Hashable {
        let resource: ResourceMap.ID
        let isWrite: Bool
    }

    private struct Lines {
        var urgent = WaitingLine()
        var background = WaitingLine()
        /// The latest opening for which deadlines were checked.
        var sweptUntil = Duration.zero
        var isEmpty: Bool { urgent.isEmpty && background.isEmpty }
    }

    /// After so many urgent requests, a background request follows.
    private static let urgentForEachBackground = 4
    /// The most limits, since servers can invent names.
    private static let mostQuotas = 64

    let number: Int
    @safe @exclusivity(unchecked) var lastUse = Duration.zero
    @safe @exclusivity(unchecked) private(set) var underway = 0
    @safe @exclusivity(unchecked) private(set) var names: [String] = []
    @safe @exclusivity(unchecked) var quotas: [Quota] = []
    /// Requests in flight of unknown resource.
    @safe @exclusivity(unchecked) private var unknownUnderway = 0
    @safe @exclusivity(unchecked) private var writesUnderway = 0
    /// How many requests may be in flight: one after a refusal, and one more with each accepted request, so it doubles
    /// with each round trip.
    @safe @exclusivity(unchecked) private var window = Int.max
    /// `stated` is the server's time; `until` is capped, and has a random delay.
    @safe @exclusivity(unchecked) private(set) var held: (until: Duration, stated: Duration)?
    @safe @exclusivity(unchecked) private var writes = WriteTimes()
    /// Consecutive refusals for a secondary limit; `after` is the last request sent before the latest.
    @safe @exclusivity(unchecked) private var secondary = (inARow: 0, isOfWrites: false, after: 0)
    /// Whether every reply uses up a limit; many servers don't count a 304.
    @safe @exclusivity(unchecked) private var countsAll = true

    @safe @exclusivity(unchecked) private var demands: [UInt64: Demand] = [:]
    @safe @exclusivity(unchecked) private var groups: [LimitGroup: Lines] = [:]
    @safe @exclusivity(unchecked) private var lanesVersion = 0
    @safe @exclusivity(unchecked) private var urgentInARow = 0
    @safe @exclusivity(unchecked) private(set) var waitingInBackground = 0

    init(number: Int) { self.number = number }

    var waiting: Int { demands.count }
    var isIdle: Bool { underway == 0 && demands.isEmpty }

    // MARK: Remaining requests

    /// Adds a limit if it is new; nil if there are too many.
    private func index(of name: String) -> Int? {
        if let index = names.firstIndex(of: name) { return index }
        guard names.count < Self.mostQuotas else { return nil }
        names.append(name)
        quotas.append(Quota())
        return quotas.count - 1
    }

    func advance(to now: Duration, number: Int) {
        if let held, now >= held.until {
            self.held = nil
            window = 1
        }
        for index in quotas.indices where quotas[index].advance(to: now, number: number) { window = 1 }
    }

    func hasCapacity(_ group: LimitGroup, _ governed: Governed, at now: Duration) -> Bool {
        let limits = governed.limits
        guard held == nil, underway < min(limits.concurrency, window) else { return false }
        for name in governed.map[group.resource] {
            guard let index = names.firstIndex(of: name), let left = quotas[index].left else { continue }
            guard left - unknownUnderway > 0 else { return false }
        }
        guard group.isWrite else { return true }
        return writesUnderway < limits.concurrentWrites && writes.next(limits, at: now) <= now
    }

    /// The earliest time by the server's limits, and by the API's own.
    struct Turn {
        var ofServer: Duration
        var own: Duration
        var time: Duration { max(ofServer, own) }
    }

    /// The earliest turn, for any outcome of requests in flight.
    func earliest(_ group: LimitGroup, _ governed: Governed, behind place: Place, at now: Duration) -> Turn {
        let start = max(now, held?.until ?? now)
        var turn = Turn(ofServer: start, own: now)
        // When the first waiting request is sent. The API's own limits count from then.
        var first = start
        for name in governed.map[group.resource] {
            guard let index = names.firstIndex(of: name), let opening = quotas[index].spentUntil else { continue }
            first = max(first, opening)
            turn.ofServer = max(
                turn.ofServer, countsAll ? quotas[index].turn(behind: place.inGroup) ?? opening : opening)
        }
        guard group.isWrite else { return turn }
        turn.own = max(first, writes.next(governed.limits, at: now)) + governed.limits.writeSpacing * place.writes
        return turn
    }

    /// For a request that would time out before its turn. States the server's time, or that of the API's own limits if
    /// it is later.
    func refusal(_ group: LimitGroup, _ governed: Governed, until turn: Turn, at now: Duration) -> Refusal {
        var stated = max(turn.ofServer, held?.stated ?? now)
        for name in governed.map[group.resource] {
            guard let index = names.firstIndex(of: name), let until = quotas[index].spentUntil else { continue }
            stated = max(stated, until, quotas[index].reset ?? until)
        }
        return .limited(until: max(stated, turn.own), isOwn: turn.own > stated)
    }

    // MARK: Requests in flight

    func begin(_ group: LimitGroup, _ governed: Governed, at now: Duration) {
        underway += 1
        count(group, governed, by: 1)
        if group.isWrite { writes.note(now, governed.limits) }
    }

    func end(_ group: LimitGroup, _ governed: Governed) {
        underway -= 1
        count(group, governed, by: -1)
    }

    private func count(_ group: LimitGroup, _ governed: Governed, by one: Int) {
        if group.isWrite { writesUnderway += one }
        if group.resource == .unknown { unknownUnderway += one }
        for name in governed.map[group.resource] {
            if let index = names.firstIndex(of: name) {
                quotas[index].underway += one
            } else if one > 0, let index = index(of: name) {
                quotas[index].underway += one
            }
        }
    }

    /// After each reply except a refusal, one more request may be in flight.
    ///
    /// - Parameter isCounted: whether the server may have counted the request.
    func widen(_ limits: RequestLimits, by pass: Pass, isCounted: Bool) {
        if window < limits.concurrency { window += 1 }
        if !isCounted { countsAll = false }
        // After a refused write, only a later write shows that writes are allowed.
        if secondary.inARow > 0, pass.number > secondary.after, pass.isWrite || !secondary.isOfWrites {
            secondary.inARow = 0
        }
    }

    /// For a secondary limit: a minute, then twice as long after each refusal.
    func hold(_ pass: Pass, last: Int, at now: Duration, chance: () -> Double) {
        // Requests in flight together are refused together, and count once.
        if pass.number > secondary.after || secondary.inARow == 0 {
            secondary = (secondary.inARow + 1, pass.isWrite, last)
        }
        hold(for: LimitRefusal.secondaryWait(after: secondary.inARow), at: now, chance: chance)
    }

    private func hold(for wait: Duration, at now: Duration, chance: () -> Double) {
        let until = Quota.opening(after: wait, at: now, chance: chance()).0
        held = (max(until, held?.until ?? until), max(now + wait, held?.stated ?? .zero))
        window = 1
    }

    /// - Parameter request: its number and sending time; `last` is the number of the last request sent.
    func take(
        _ stated: LimitStatement, isRefused: Bool, to request: (number: Int, sentAt: Duration), last: Int,
        at now: Duration, chance: () -> Double
    ) {
        for quota in stated.quotas {
            guard let index = index(of: quota.name) else { continue }
            quotas[index].take(quota, to: request, last: last, at: now, chance: chance)
        }
        guard isRefused else { return }
        let spent = stated.quotas.contains { $0.remaining == 0 && $0.reset != nil }
        guard let wait = stated.retryAfter, wait > .zero else {
            if !spent { window = 1 }
            return
        }
        if spent {
            for quota in stated.quotas {
                guard let index = index(of: quota.name) else { continue }
                quotas[index].askAgain(after: wait, at: now, chance: chance())
            }
        } else {
            hold(for: wait, at: now, chance: chance)
        }
    }

    func assumeOne(_ group: LimitGroup, _ governed: Governed, at now: Duration) {
        for name in governed.map[group.resource] {
            if let index = names.firstIndex(of: name) { quotas[index].assumeOne(at: now) }
        }
    }
}

// MARK: - Waiting requests

extension Account {
    func hasWaiting(in group: LimitGroup) -> Bool { groups[group].map { !$0.isEmpty } ?? false }

    /// Requests ahead: in the group, and writes in all groups.
    struct Place {
        var inGroup = 0
        var writes = 0

        static let none = Place()
    }

    /// Assuming that all later requests go behind this one.
    func place(of demand: Demand, in group: LimitGroup) -> Place {
        guard waiting > 0 else { return .none }
        var place = Place()
        if let lines = groups[group] {
            if demand.priority == .urgent {
                place.inGroup = lines.urgent.ahead(of: demand.ticket) ?? 0
            } else if let ahead = lines.background.ahead(of: demand.ticket) {
                place.inGroup = Self.place(inBackground: ahead, urgent: lines.urgent.count)
            }
        }
        guard demand.isWrite else { return place }
        for (group, lines) in groups where group.isWrite {
            place.writes += lines.urgent.count + (demand.priority == .urgent ? 0 : lines.background.count)
        }
        return place
    }

    /// A lower bound: one background request follows every few urgent ones, the first possibly at once.
    private static func place(inBackground ahead: Int, urgent: Int) -> Int {
        ahead + min(urgent, ahead * urgentForEachBackground)
    }

    func enqueue(_ demand: Demand, in group: LimitGroup) {
        demands[demand.ticket] = demand
        if demand.priority == .urgent {
            groups[group, default: Lines()].urgent.insert(demand.ticket)
        } else {
            groups[group, default: Lines()].background.insert(demand.ticket)
            waitingInBackground += 1
        }
    }

    func remove(_ ticket: UInt64) -> Demand? {
        guard let demand = demands.removeValue(forKey: ticket) else { return nil }
        if demand.priority == .background { waitingInBackground -= 1 }
        for group in groups.keys {
            groups[group]?.urgent.remove(ticket)
            groups[group]?.background.remove(ticket)
        }
        return demand
    }

    func removeAll() -> [Demand] {
        defer { (demands, groups, waitingInBackground) = ([:], [:], 0) }
        return Array(demands.values)
    }

    /// Removes the next request to send; nil if all have to wait.
    func next(_ governed: Governed, at now: Duration) -> (Demand, LimitGroup)? {
        sortAnew(governed)
        var urgent: (ticket: UInt64, group: LimitGroup)?
        var background: (ticket: UInt64, group: LimitGroup)?
        for group in groups.keys where hasWaiting(in: group) && hasCapacity(group, governed, at: now) {
            if let first = groups[group]?.urgent.first(), first < urgent?.ticket ?? .max { urgent = (first, group) }
            if let first = groups[group]?.background.first(), first < background?.ticket ?? .max {
                background = (first, group)
            }
        }
        let isTurnOfBackground = urgent == nil || urgentInARow >= Self.urgentForEachBackground
        guard let chosen = isTurnOfBackground ? background ?? urgent : urgent else { return nil }
        urgentInARow = chosen.ticket == urgent?.ticket && background != nil ? urgentInARow + 1 : 0
        return remove(chosen.ticket).map { ($0, chosen.group) }
    }

    /// When to check the waiting requests next.
    func nextOpening(_ governed: Governed, after now: Duration) -> Duration? {
        groups.compactMap { group, lines -> Duration? in
            guard !lines.isEmpty else { return nil }
            var times = [earliest(group, governed, behind: .none, at: now).time]
            for name in governed.map[group.resource] {
                if let index = names.firstIndex(of: name), let time = quotas[index].nextOpening { times.append(time) }
            }
            return times.filter { $0 > now }.min()
        }.min()
    }

    /// Removes requests whose earliest turn is after their deadline.
    func sweep(_ governed: Governed, at now: Duration) -> [(Demand, Refusal)] {
        guard !demands.isEmpty else { return [] }
        var swept: [(Demand, Refusal)] = []
        for (group, lines) in groups where !lines.isEmpty {
            let time = earliest(group, governed, behind: .none, at: now).time
            // Small delays are ignored, because this checks all requests.
            guard time > now, time > lines.sweptUntil + .seconds(1) else { continue }
            groups[group]?.sweptUntil = time
            swept += tooLate(lines, of: group, governed, at: now)
        }
        for (demand, _) in swept { _ = remove(demand.ticket) }
        return swept
    }

    /// Each request that is too late moves the others forward.
    private func tooLate(
        _ lines: Lines, of group: LimitGroup, _ governed: Governed, at now: Duration
    ) -> [(Demand, Refusal)] {
        var late: [(Demand, Refusal)] = []
        func count(_ line: WaitingLine, _ place: (Int) -> Int) -> Int {
            var kept = 0
            for ticket in line.inOrder {
                guard let demand = demands[ticket] else { continue }
                let turn = earliest(group, governed, behind: Place(inGroup: place(kept), writes: place(kept)), at: now)
                if turn.time > demand.deadline {
                    late.append((demand, refusal(group, governed, until: turn, at: now)))
                } else {
                    kept += 1
                }
            }
            return kept
        }
        let urgent = count(lines.urgent) { $0 }
        _ = count(lines.background) { Self.place(inBackground: $0, urgent: urgent) }
        return late
    }

    /// Paths may have changed their resources.
    private func sortAnew(_ governed: Governed) {
        guard lanesVersion != governed.map.version else { return }
        lanesVersion = governed.map.version
        let all = demands.values.sorted { $0.ticket < $1.ticket }
        (groups, waitingInBackground) = ([:], 0)
        for demand in all {
            enqueue(demand, in: LimitGroup(resource: governed.map.resource(of: demand.path), isWrite: demand.isWrite))
        }
    }
}
