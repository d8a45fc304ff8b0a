/// One account's requests: those under way, those that wait, and what is left to it.
///
/// Each belongs to one ``Governance``, within its lock.
final class Account {
    /// Requests that are held back for the same reasons.
    struct Lane: Hashable {
        let resource: ResourceMap.ID
        let isWrite: Bool
    }

    private struct Lines {
        var urgent = WaitingLine()
        var background = WaitingLine()
        /// The latest time that those who wait were asked whether they can wait for.
        var sweptUntil = Duration.zero
        var isEmpty: Bool { urgent.isEmpty && background.isEmpty }
    }

    /// After how many urgent requests one of the others goes.
    private static let urgentForEachBackground = 4
    /// As servers make up names, no more of their limits are kept.
    private static let mostQuotas = 64

    let number: Int
    var lastUse = Duration.zero
    private(set) var underway = 0
    private(set) var names: [String] = []
    var quotas: [Quota] = []
    /// Requests under way of which it isn't known what they count for.
    private var unknownUnderway = 0
    private var writesUnderway = 0
    /// How many may be under way at once: one after a refusal, and one more with each reply that is none, so that they double with
    /// each round trip.
    private var window = Int.max
    private(set) var held: (until: Duration, said: Duration)?
    private var writes = WriteTimes()

    private var demands: [UInt64: Demand] = [:]
    private var lanes: [Lane: Lines] = [:]
    private var lanesVersion = 0
    private var urgentInARow = 0
    private(set) var waitingInBackground = 0

    init(number: Int) { self.number = number }

    var waiting: Int { demands.count }
    var isIdle: Bool { underway == 0 && demands.isEmpty }

    // MARK: What is left

    /// Where a limit is kept; nil when there are too many.
    private func index(of name: String) -> Int? {
        if let index = names.firstIndex(of: name) { return index }
        guard names.count < Self.mostQuotas else { return nil }
        names.append(name)
        quotas.append(Quota())
        return quotas.count - 1
    }

    /// Begins the windows whose time has come.
    func advance(to now: Duration, number: Int) {
        if let held, now >= held.until {
            self.held = nil
            window = 1
        }
        for index in quotas.indices where quotas[index].advance(to: now, number: number) { window = 1 }
    }

    /// Whether one more may go out.
    func isOpen(_ lane: Lane, _ governed: Governed, at now: Duration) -> Bool {
        let limits = governed.limits
        guard held == nil, underway < min(limits.concurrency, window) else { return false }
        for name in governed.map[lane.resource] {
            guard let index = names.firstIndex(of: name), let left = quotas[index].left else { continue }
            guard left - unknownUnderway > 0 else { return false }
        }
        guard lane.isWrite else { return true }
        return writesUnderway < limits.concurrentWrites && writes.next(limits, at: now) <= now
    }

    /// When one more may go out at the earliest, whatever comes of those under way; `behind` writes that wait.
    func earliest(_ lane: Lane, _ governed: Governed, behind: Int, at now: Duration) -> Duration {
        var time = max(now, held?.until ?? now)
        for name in governed.map[lane.resource] {
            guard let index = names.firstIndex(of: name) else { continue }
            time = max(time, quotas[index].spentUntil ?? now)
        }
        guard lane.isWrite else { return time }
        return max(time, writes.next(governed.limits, at: now)) + governed.limits.writeSpacing * behind
    }

    /// Why one is not sent that can't wait until then: the moment as the server has said it, be it later than anybody waits, or as the
    /// API's own limits have it where they hold it back for longer.
    func refusal(_ lane: Lane, _ governed: Governed, earliest: Duration, at now: Duration) -> Refusal {
        var said = max(now, held?.said ?? now)
        for name in governed.map[lane.resource] {
            guard let index = names.firstIndex(of: name), let until = quotas[index].spentUntil else { continue }
            said = max(said, until, quotas[index].reset ?? until)
        }
        return .limited(until: max(said, earliest), isOwn: lane.isWrite && earliest > said)
    }

    // MARK: On their way

    func begin(_ lane: Lane, _ governed: Governed, at now: Duration) {
        underway += 1
        count(lane, governed, by: 1)
        if lane.isWrite { writes.note(now, governed.limits) }
    }

    func end(_ lane: Lane, _ governed: Governed) {
        underway -= 1
        count(lane, governed, by: -1)
    }

    private func count(_ lane: Lane, _ governed: Governed, by one: Int) {
        if lane.isWrite { writesUnderway += one }
        if lane.resource == .unknown { unknownUnderway += one }
        for name in governed.map[lane.resource] {
            if let index = names.firstIndex(of: name) {
                quotas[index].underway += one
            } else if one > 0, let index = index(of: name) {
                quotas[index].underway += one
            }
        }
    }

    /// A reply came that refuses nothing.
    func widen(_ limits: RequestLimits) {
        if window < limits.concurrency { window += 1 }
    }

    /// What a reply says of the limits.
    ///
    /// - Parameters:
    ///   - isRefused: whether the request was refused for them.
    ///   - request: the request; `last` is the number of the last one that went out.
    func take(
        _ said: LimitStatement, isRefused: Bool, to request: (number: Int, sentAt: Duration), last: Int,
        at now: Duration, chance: () -> Double
    ) {
        for quota in said.quotas {
            guard let index = index(of: quota.name) else { continue }
            quotas[index].take(quota, to: request, last: last, at: now, chance: chance)
        }
        guard isRefused else { return }
        let spent = said.quotas.contains { $0.remaining == 0 && $0.reset != nil }
        guard let wait = said.retryAfter, wait > .zero else {
            if !spent { window = 1 }
            return
        }
        if spent {
            for quota in said.quotas {
                guard let index = index(of: quota.name) else { continue }
                quotas[index].askAgain(after: wait, at: now, chance: chance())
            }
        } else {
            let until = Quota.opening(after: wait, at: now, chance: chance()).0
            held = (max(until, held?.until ?? until), max(now + wait, held?.said ?? .zero))
            window = 1
        }
    }

    /// A request was sent, and its reply says nothing of the limits.
    func assumeOne(_ lane: Lane, _ governed: Governed, at now: Duration) {
        for name in governed.map[lane.resource] {
            if let index = names.firstIndex(of: name) { quotas[index].assumeOne(at: now) }
        }
    }
}

// MARK: - Those that wait

extension Account {
    func hasWaiting(in lane: Lane) -> Bool { lanes[lane].map { !$0.isEmpty } ?? false }

    /// How many requests that change something go before one that comes now.
    func writesAhead(of demand: Demand) -> Int {
        guard demand.isWrite else { return 0 }
        return lanes.reduce(0) { sum, lane in
            guard lane.key.isWrite else { return sum }
            return sum + lane.value.urgent.count + (demand.priority == .urgent ? 0 : lane.value.background.count)
        }
    }

    func enqueue(_ demand: Demand, in lane: Lane) {
        demands[demand.ticket] = demand
        if demand.priority == .urgent {
            lanes[lane, default: Lines()].urgent.insert(demand.ticket)
        } else {
            lanes[lane, default: Lines()].background.insert(demand.ticket)
            waitingInBackground += 1
        }
    }

    /// Takes one out, wherever it waits.
    func remove(_ ticket: UInt64) -> Demand? {
        guard let demand = demands.removeValue(forKey: ticket) else { return nil }
        if demand.priority == .background { waitingInBackground -= 1 }
        for lane in lanes.keys {
            lanes[lane]?.urgent.remove(ticket)
            lanes[lane]?.background.remove(ticket)
        }
        return demand
    }

    func removeAll() -> [Demand] {
        defer { (demands, lanes, waitingInBackground) = ([:], [:], 0) }
        return Array(demands.values)
    }

    /// Takes out the one that goes next; nil when none may go.
    func next(_ governed: Governed, at now: Duration) -> (Demand, Lane)? {
        sortAnew(governed)
        var urgent: (ticket: UInt64, lane: Lane)?
        var background: (ticket: UInt64, lane: Lane)?
        for lane in lanes.keys where hasWaiting(in: lane) && isOpen(lane, governed, at: now) {
            if let first = lanes[lane]?.urgent.first(), first < urgent?.ticket ?? .max { urgent = (first, lane) }
            if let first = lanes[lane]?.background.first(), first < background?.ticket ?? .max {
                background = (first, lane)
            }
        }
        let isTurnOfBackground = urgent == nil || urgentInARow >= Self.urgentForEachBackground
        guard let chosen = isTurnOfBackground ? background ?? urgent : urgent else { return nil }
        urgentInARow = chosen.ticket == urgent?.ticket && background != nil ? urgentInARow + 1 : 0
        return remove(chosen.ticket).map { ($0, chosen.lane) }
    }

    /// When one of those that wait is to be looked at again, by the clock.
    func nextOpening(_ governed: Governed, after now: Duration) -> Duration? {
        lanes.compactMap { lane, lines -> Duration? in
            guard !lines.isEmpty else { return nil }
            var times = [earliest(lane, governed, behind: 0, at: now)]
            for name in governed.map[lane.resource] {
                if let index = names.firstIndex(of: name), let time = quotas[index].nextOpening { times.append(time) }
            }
            return times.filter { $0 > now }.min()
        }.min()
    }

    /// Takes out those that can't wait for as long as they would have to by now.
    func sweep(_ governed: Governed, at now: Duration) -> [(Demand, Refusal)] {
        guard !demands.isEmpty else { return [] }
        var swept: [(Demand, Refusal)] = []
        for lane in lanes.keys where hasWaiting(in: lane) {
            let time = earliest(lane, governed, behind: 0, at: now)
            // All are looked at, so not for each reply that puts it off by a little.
            guard time > now, let before = lanes[lane]?.sweptUntil, time > before + .seconds(1) else { continue }
            lanes[lane]?.sweptUntil = time
            let refusal = refusal(lane, governed, earliest: time, at: now)
            for demand in demands.values where demand.deadline < time && isWaiting(demand, in: lane) {
                swept.append((demand, refusal))
            }
        }
        for (demand, _) in swept { _ = remove(demand.ticket) }
        return swept
    }

    private func isWaiting(_ demand: Demand, in lane: Lane) -> Bool {
        guard demand.isWrite == lane.isWrite, let lines = lanes[lane] else { return false }
        return (demand.priority == .urgent ? lines.urgent : lines.background).contains(demand.ticket)
    }

    /// When it has become known which resources paths belong to.
    private func sortAnew(_ governed: Governed) {
        guard lanesVersion != governed.map.version else { return }
        lanesVersion = governed.map.version
        let all = demands.values.sorted { $0.ticket < $1.ticket }
        (lanes, waitingInBackground) = ([:], 0)
        for demand in all {
            enqueue(demand, in: Lane(resource: governed.map.resource(of: demand.path), isWrite: demand.isWrite))
        }
    }
}
