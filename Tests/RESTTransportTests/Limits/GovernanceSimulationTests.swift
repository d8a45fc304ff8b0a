import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// Random requests to a server that counts, in simulated time. Exactly the requests that the server allows are sent.
@Suite struct GovernanceSimulationTests {
    @Test(arguments: Fuzzing.seeds(300))
    func `Random requests stay within the server's limits, and each is decided`(seed: UInt64) {
        var simulation = LimitSimulation(seed: seed)
        simulation.run()
        #expect(simulation.server.refused == 0, "sent and refused, by seed \(seed)")
        #expect(simulation.unfounded == [], "not sent though there was time, by seed \(seed)")
        #expect(simulation.surprised == [], "told nothing until its time was over, by seed \(seed)")
        #expect(simulation.overtaken <= simulation.urgentGone / 4 + 1, "urgent ones overtaken, by seed \(seed)")
        #expect(simulation.left == 0, "never decided, by seed \(seed)")
        #expect(simulation.mostUnderway <= simulation.concurrency)
    }

    @Test func `Random requests with enough time need hardly more windows than necessary`() {
        for seed in 0..<100 as Range<UInt64> {
            var simulation = LimitSimulation(seed: seed, isPatient: true)
            simulation.run()
            let windows = simulation.asked / simulation.server.limit + 1
            // The known end of a window is late by a round trip and a second's rounding; each request takes a round
            // trip, too.
            let roundTrips = Duration.seconds(2) * (simulation.asked / simulation.concurrency + 1)
            let expected = (simulation.server.window + .seconds(3)) * (windows + 1) + roundTrips + .seconds(63)
            #expect(simulation.now < expected, "by seed \(seed)")
            #expect(simulation.server.refused == 0)
        }
    }

    @Test func `A server that reports no limit refuses few requests`() {
        for seed in 0..<100 as Range<UInt64> {
            var simulation = LimitSimulation(seed: seed, saysHowMany: false)
            simulation.run()
            let windows = Int(simulation.now / simulation.server.window) + 1
            // Those that were under way when it first refused, and at most as many as double within a round trip in
            // each window.
            #expect(simulation.server.refused <= simulation.concurrency * (windows + 1))
            #expect(simulation.left == 0)
        }
    }
}

/// The server: so many requests in each window, and no window begins before the last is over.
private struct CountingServer {
    let limit: Int
    let window: Duration
    let form: Int
    let saysHowMany: Bool
    private var windowStart = Duration.zero
    private var used = 0
    private(set) var refused = 0
    /// How many windows have begun.
    private(set) var windows = 1

    init(limit: Int, window: Duration, form: Int, saysHowMany: Bool) {
        (self.limit, self.window, self.form, self.saysHowMany) = (limit, window, form, saysHowMany)
    }

    func windowEnd(at now: Duration) -> Duration { windowStart + window * (Int((now - windowStart) / window) + 1) }

    /// How many it would let through now.
    func left(at now: Duration) -> Int { now < windowStart + window ? limit - used : limit }

    /// When the window began that is now.
    func begin(at now: Duration) -> Duration { windowEnd(at: now) - window }

    /// - Returns: the status, and the fields with the time of day that they are sent at.
    mutating func answer(at now: Duration) -> (Int, [String: String]) {
        if now >= windowStart + window {
            windowStart = windowEnd(at: now) - window
            used = 0
            windows += 1
        }
        let isRefused = used >= limit
        if isRefused { refused += 1 } else { used += 1 }
        let wait = windowStart + window - now
        let seconds = wait.components.seconds + (wait.components.attoseconds > 0 ? 1 : 0)
        guard saysHowMany else { return isRefused ? (429, ["Retry-After": "\(seconds)"]) : (200, [:]) }
        let status = isRefused ? 429 : 200
        switch form {
        case 0:
            return (
                status,
                [
                    "X-RateLimit-Limit": "\(limit)", "X-RateLimit-Remaining": "\(limit - used)",
                    "X-RateLimit-Reset": "\(seconds)",
                ]
            )
        case 1:
            return (
                status,
                [
                    "RateLimit": "\"d\";r=\(limit - used);t=\(seconds)",
                    "RateLimit-Policy": "\"d\";q=\(limit);w=\(window.components.seconds)",
                ]
            )
        default:
            // As time of day: rounded up, as those do that don't want to be asked too early.
            let end = windowStart + window
            let epoch = 1_700_000_000 + end.components.seconds + (end.components.attoseconds > 0 ? 1 : 0)
            return (
                status,
                [
                    "X-RateLimit-Limit": "\(limit)", "X-RateLimit-Remaining": "\(limit - used)",
                    "X-RateLimit-Reset": "\(epoch)",
                ]
            )
        }
    }
}

private struct LimitSimulation {
    private enum Event {
        case asks(Int)
        case arrives(Pass)
        case returns(Pass, LimitOutcome)
        case alarm

        var isAlarm: Bool { if case .alarm = self { true } else { false } }
    }

    private struct Client {
        let demand: Demand
        var isWaiting = false
    }

    private var generator: SeededGenerator
    private let governance: Governance
    let concurrency: Int
    var server: CountingServer
    private var clients: [UInt64: Client] = [:]
    private var demands: [Demand] = []
    private var events: [(time: Duration, order: Int, event: Event)] = []
    private var order = 0
    private(set) var now = Duration.zero
    private var underway = 0
    private(set) var mostUnderway = 0
    private(set) var unfounded: [String] = []
    /// The requests that timed out while they waited for a window with a known end and length.
    private(set) var surprised: [String] = []
    /// The refused requests, and when.
    private var told: [(deadline: Duration, at: Duration, priority: RequestPriority)] = []
    /// How many urgent ones have gone, and how many in the background while urgent ones waited.
    private(set) var urgentGone = 0
    private(set) var overtaken = 0

    /// The number of requests neither sent nor refused.
    var left: Int { clients.count }

    var asked: Int { demands.count }

    init(seed: UInt64, saysHowMany: Bool = true, isPatient: Bool = false) {
        var generator = SeededGenerator(seed: seed)
        concurrency = .random(in: 1...20, using: &generator)
        governance = Governance(RequestLimits(concurrency: concurrency), chance: { 0 })
        server = CountingServer(
            limit: .random(in: 1...15, using: &generator), window: .seconds(Int.random(in: 4...30, using: &generator)),
            form: .random(in: 0...2, using: &generator), saysHowMany: saysHowMany)
        self.generator = generator
        let count = Int.random(in: 20...150, using: &self.generator)
        let span = Double.random(in: 1...60, using: &self.generator)
        for number in 0..<count {
            // The first alone, so that its reply has the limit before the others are sent.
            let start = Duration.seconds(number == 0 ? 0 : 3 + Double.random(in: 0...span, using: &self.generator))
            let patience = Duration.seconds(isPatient ? 1e6 : Double.random(in: 0...400, using: &self.generator))
            demands.append(
                Demand(
                    account: 1, path: "/things/\(number)", isWrite: false,
                    priority: Bool.random(using: &self.generator) ? .urgent : .background, deadline: start + patience,
                    ticket: UInt64(number + 1)))
            schedule(.asks(number), at: start)
        }
    }

    private mutating func schedule(_ event: Event, at time: Duration) {
        order += 1
        events.append((time, order, event))
    }

    private mutating func latency() -> Duration { .seconds(Double.random(in: 0.01...0.9, using: &generator)) }

    mutating func run() {
        while let index = events.indices.min(by: {
            (events[$0].time, events[$0].order) < (events[$1].time, events[$1].order)
        }) {
            let next = events.remove(at: index)
            now = max(now, next.time)
            handle(next.event)
            // As a chain's timeout would.
            for client in clients.values where client.demand.deadline <= now {
                // A window's first replies have reported its end by then.
                if client.isWaiting, server.windows > 2, now > server.begin(at: now) + .seconds(4),
                    server.left(at: now) <= underway
                {
                    surprised.append("\(client.demand.ticket), at \(now), in window \(server.windows)")
                }
                _ = governance.leave(client.demand.ticket, of: 1)
                clients[client.demand.ticket] = nil
            }
            noteUnused()
            if let opening = governance.nextOpening(after: now),
                !events.contains(where: { $0.time == opening && $0.event.isAlarm })
            {
                schedule(.alarm, at: opening)
            }
        }
    }

    /// A refused request could be sent if a place remains unused.
    private mutating func noteUnused() {
        guard !clients.values.contains(where: \.isWaiting), underway < concurrency, server.left(at: now) > underway,
            now > server.begin(at: now) + .seconds(3)
        else { return }
        // Requests behind a background one may have been displaced by urgent ones that came later.
        for one in told where one.at < server.begin(at: now) && one.deadline > now && one.priority == .urgent {
            unfounded.append("\(one), as one was left at \(now)")
        }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .asks(let number):
            let demand = demands[number]
            clients[demand.ticket] = Client(demand: demand)
            settle([(demand.ticket, governance.admit(demand, mayWait: true, at: now))])
            settle(governance.release(at: now))
        case .arrives(let pass):
            let (status, fields) = server.answer(at: now)
            var head = HTTPResponse(status: .init(code: status))
            for (name, value) in fields { head.headerFields[HTTPField.Name(name)!] = value }
            let clock = 1_700_000_000 + Int(now.components.seconds)
            let limitOutcome = LimitOutcome(APIResponse(head, to: APIRequest(.get, apiURL)), localTime: clock)
            schedule(.returns(pass, limitOutcome), at: now + latency())
        case .returns(let pass, let limitOutcome):
            underway -= 1
            settle(governance.end(pass, limitOutcome, at: now))
        case .alarm: settle(governance.release(at: now))
        }
    }

    private mutating func settle(_ verdicts: [(UInt64, Verdict)]) {
        for (ticket, verdict) in verdicts {
            switch verdict {
            case .waits: clients[ticket]?.isWaiting = true
            case .goes(let pass):
                let gone = clients.removeValue(forKey: ticket)
                note(gone)
                underway += 1
                mostUnderway = max(mostUnderway, underway)
                schedule(.arrives(pass), at: now + latency())
            case .refused(let refusal):
                guard let client = clients.removeValue(forKey: ticket) else { continue }
                // The server's time is rounded up to a second, and the reply took less than two.
                told.append((client.demand.deadline, now, client.demand.priority))
                let others = clients.values.count(where: \.isWaiting)
                if others < server.limit, client.demand.deadline > server.windowEnd(at: now) + .seconds(3) {
                    unfounded.append("\(ticket): \(refusal)")
                }
            }
        }
    }

    private mutating func note(_ gone: Client?) {
        guard let gone, gone.isWaiting else { return }
        if gone.demand.priority == .urgent {
            urgentGone += 1
        } else if clients.values.contains(where: { $0.isWaiting && $0.demand.priority == .urgent }) {
            overtaken += 1
        }
    }
}
