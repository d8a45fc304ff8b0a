import HTTPTypes
import RESTTransport
import Testing

/// Verdicts on requests in a queue, when each window lets through a few.
struct LineTests {
    private let governance = Governance(.standard, chance: { 0 })

    private func demand(
        _ number: UInt64, until deadline: Int, _ priority: RequestPriority = .urgent, isWrite: Bool = false
    ) -> Demand {
        Demand(
            account: 1, path: "/things", isWrite: isWrite, priority: priority, deadline: .seconds(deadline),
            ticket: number)
    }

    /// The verdict on a new request: `goes`, `waits`, or the time until which it is refused.
    private func ask(_ demand: Demand, at now: Int = 1) -> String {
        text(governance.admit(demand, mayWait: true, at: .seconds(now)))
    }

    private func text(_ verdict: Verdict) -> String {
        switch verdict {
        case .goes: "goes"
        case .waits: "waits"
        case .refused(.limited(let until, let isOwn)): "\(isOwn ? "own " : "")\(until.components.seconds)"
        case .refused(.circuitOpen): "open"
        }
    }

    private func texts(_ verdicts: [(UInt64, Verdict)]) -> [UInt64: String] {
        Dictionary(uniqueKeysWithValues: verdicts.map { ($0.0, text($0.1)) })
    }

    /// Sends a request that is answered with these fields.
    private func answer(_ fields: HTTPFields, status: Int = 200, at now: Int = 0) {
        guard case .goes(let pass) = governance.admit(demand(999_999, until: 9_999), mayWait: false, at: .seconds(now))
        else {
            Issue.record("it doesn't go")
            return
        }
        _ = end(pass, fields, status: status, at: now)
    }

    private func end(_ pass: Pass, _ fields: HTTPFields, status: Int = 200, at now: Int) -> [UInt64: String] {
        let head = HTTPResponse(status: .init(code: status), headerFields: fields)
        let limitOutcome = LimitOutcome(APIResponse(head, to: APIRequest(.get, apiURL)), localTime: 1_000_000 + now)
        return texts(governance.end(pass, limitOutcome, at: .seconds(now)))
    }

    private static let twoInTen: HTTPFields = [rateLimit: #""d";r=0;t=10"#, rateLimitPolicy: #""d";q=2;w=10"#]

    @Test func `A request whose turn comes after its timeout is refused at once`() {
        answer(Self.twoInTen)
        // Two go at 10, two at 20, two at 30.
        #expect((1...4).map { ask(demand($0, until: 26)) } == ["waits", "waits", "waits", "waits"])
        #expect(ask(demand(5, until: 26)) == "30")
        #expect(ask(demand(6, until: 31)) == "waits" && ask(demand(7, until: 31)) == "waits")
        #expect(ask(demand(8, until: 31)) == "40")
    }

    @Test func `A cancelled request gives up its place in the queue`() {
        answer(Self.twoInTen)
        for number in 1...4 as ClosedRange<UInt64> { _ = ask(demand(number, until: 26)) }
        #expect(governance.leave(2, of: 1))
        #expect(ask(demand(5, until: 26)) == "waits")
    }

    @Test func `A background request waits behind urgent ones, except for one in five`() {
        answer(Self.twoInTen)
        for number in 1...8 as ClosedRange<UInt64> { _ = ask(demand(number, until: 99)) }
        #expect(ask(demand(9, until: 15, .background)) == "waits")
        // Behind that, and behind four urgent ones.
        #expect(ask(demand(10, until: 25, .background)) == "30")
        #expect(ask(demand(11, until: 35, .background)) == "waits")
        // An urgent one only behind its like.
        #expect(ask(demand(12, until: 45)) == "50" && ask(demand(13, until: 55)) == "waits")
    }

    @Test func `No request is refused early where replies may not count against the limit`() {
        answer([:], status: 304)
        answer(Self.twoInTen)
        #expect((1...9).map { ask(demand($0, until: 15)) } == Array(repeating: "waits", count: 9))
    }

    @Test func `A limit of bytes refuses no request early`() {
        answer([rateLimit: #""d";r=0;t=10"#, rateLimitPolicy: #""d";q=2;w=10;qu="content-bytes""#])
        #expect((1...9).map { ask(demand($0, until: 15)) } == Array(repeating: "waits", count: 9))
    }

    @Test func `The length of a window is learned from the second one, and waiting requests are refused`() {
        answer([limitAll: "2", limitLeft: "0", limitReset: "10"])
        for (number, deadline) in [(1, 99), (2, 99), (3, 99), (4, 99), (5, 25), (6, 40)] as [(UInt64, Int)] {
            #expect(ask(demand(number, until: deadline)) == "waits")
        }
        let gone = governance.release(at: .seconds(10)).compactMap { _, verdict in
            if case .goes(let pass) = verdict { pass } else { nil }
        }
        #expect(gone.map(\.ticket) == [1, 2])
        #expect(end(gone[0], [limitAll: "2", limitLeft: "1", limitReset: "10"], at: 10) == [:])
        // Two go at 20, and the others at 29 at the earliest, as servers round their times.
        #expect(end(gone[1], [limitAll: "2", limitLeft: "0", limitReset: "10"], at: 10) == [5: "29"])
        #expect(ask(demand(7, until: 28), at: 11) == "29" && ask(demand(8, until: 37), at: 11) == "waits")
        #expect(ask(demand(9, until: 37), at: 11) == "38" && ask(demand(10, until: 39), at: 11) == "waits")
    }

    @Test func `A wait for the API's own limits is reported as the API's own`() {
        let governance = Governance(RequestLimits(writeSpacing: .seconds(10)), chance: { 0 })
        let verdicts = [(1, 5), (2, 15), (3, 15), (4, 25)].map { number, deadline in
            text(
                governance.admit(
                    demand(UInt64(number), until: deadline, isWrite: true), mayWait: true, at: .seconds(1)))
        }
        #expect(verdicts == ["goes", "waits", "own 21", "waits"])
    }
    @Test func `Writes that are spaced are counted in the window in which they are sent`() {
        let governance = Governance(RequestLimits(writeSpacing: .seconds(3)), chance: { 0 })
        let first = demand(1, until: 99)
        guard case .goes(let pass) = governance.admit(first, mayWait: false, at: .zero) else { return }
        let head = HTTPResponse(status: .ok, headerFields: Self.twoInTen)
        _ = governance.end(pass, LimitOutcome(APIResponse(head, to: APIRequest(.get, apiURL)), localTime: 0), at: .zero)
        // At 10 and 13, at 20 and 23: neither is the spacing counted from when a window opens that is behind others.
        let verdicts = [(2, 11), (3, 14), (4, 21), (5, 24), (6, 29), (7, 31)].map { number, deadline in
            text(
                governance.admit(
                    demand(UInt64(number), until: deadline, isWrite: true), mayWait: true, at: .seconds(1)))
        }
        #expect(verdicts == ["waits", "waits", "waits", "waits", "30", "waits"])
    }
}
