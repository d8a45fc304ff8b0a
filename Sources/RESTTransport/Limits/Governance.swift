#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A request that asks to go out.
package struct Demand: Sendable {
    /// Stands for the account; see ``Credential``.
    package var account: Int
    /// Below the API's base URL, with the query.
    package var path: Substring
    package var isWrite: Bool
    package var priority: RequestPriority
    /// When it is of no use any more.
    package var deadline: Duration
    /// Its place among those that wait: the older, the sooner.
    package var ticket: UInt64

    package init(
        account: Int, path: Substring, isWrite: Bool, priority: RequestPriority, deadline: Duration, ticket: UInt64
    ) {
        (self.account, self.path, self.isWrite, self.priority) = (account, path, isWrite, priority)
        (self.deadline, self.ticket) = (deadline, ticket)
    }
}

/// A request that is under way.
package struct Pass: Sendable {
    package let ticket: UInt64
    let account: Int
    let path: Substring
    let resource: ResourceMap.ID
    let isWrite: Bool
    /// Counts the passes.
    let number: Int
    let sentAt: Duration
    /// Whether it tells if the server is back.
    let isProbe: Bool

    var lane: Account.Lane { Account.Lane(resource: resource, isWrite: isWrite) }
}

/// Why a request does not go out at all; times are those of the clock that never goes back.
package enum Refusal: Sendable, Hashable {
    /// `isOwn` where it is the API's own limits that hold it back for so long.
    case limited(until: Duration, isOwn: Bool)
    case circuitOpen(until: Duration, failures: Int, last: String)

    init(_ refusal: Circuit.Refusal) {
        self = .circuitOpen(until: refusal.until, failures: refusal.failures, last: refusal.last)
    }
}

/// What becomes of a request.
package enum Verdict: Sendable {
    case goes(Pass)
    case waits
    case refused(Refusal)
}

/// What all accounts of an API have in common.
///
/// A class, so that to look at it copies nothing; it belongs to one ``Governance``, within its lock, and is checked for
/// overlapping accesses as little as an ``Account``.
final class Governed {
    let limits: RequestLimits
    @safe @exclusivity(unchecked) var map: ResourceMap

    init(_ limits: RequestLimits) {
        self.limits = limits
        map = ResourceMap(limits.resources)
    }
}

/// Decides which requests of an API go out, and when. It has no clock and waits for nothing: what time it is, it is
/// told.
///
/// ```
/// Governance
///  ├─ Circuit             the server, whoever asks
///  ├─ ResourceMap         which limits count for which paths
///  └─ Account             one for each credential
///      ├─ Quota           what the server says is left, by limit
///      ├─ WriteTimes      what the API's own limits say of writes
///      └─ WaitingLine     by resource, reading or writing, and priority
/// ```
package final class Governance {
    /// Accounts that have nothing under way are forgotten when there are more.
    private static let mostAccounts = 256

    private let governed: Governed
    // As of an account, no overlapping accesses are looked for: within the lock there is one caller, and none is called
    // back.
    @safe @exclusivity(unchecked) private var circuit: Circuit
    @safe @exclusivity(unchecked) private var accounts: [Int: Account] = [:]
    @safe @exclusivity(unchecked) private var accountsSoFar = 0
    @safe @exclusivity(unchecked) private var passes = 0
    @safe @exclusivity(unchecked) private var tickets: UInt64 = 0
    private let chance: () -> Double

    /// - Parameter chance: gives random numbers from 0 up to 1.
    package init(_ limits: RequestLimits, chance: @escaping () -> Double) {
        let limits = limits.bounded
        governed = Governed(limits)
        circuit = Circuit(limits.circuit)
        self.chance = chance
    }

    /// A place behind all that there are.
    package func newTicket() -> UInt64 {
        tickets += 1
        return tickets
    }

    // MARK: Going out

    /// Decides on a request.
    ///
    /// - Parameter mayWait: whether it is put in line where it can't go at once.
    package func admit(_ demand: Demand, mayWait: Bool, at now: Duration) -> Verdict {
        if let refusal = circuit.refusal(at: now) { return .refused(Refusal(refusal)) }
        let account = account(demand.account, at: now)
        account.advance(to: now, number: passes)
        let lane = Account.Lane(resource: governed.map.resource(of: demand.path), isWrite: demand.isWrite)
        if !account.hasWaiting(in: lane), account.isOpen(lane, governed, at: now) {
            return .goes(begin(demand, in: lane, of: account, at: now))
        }
        let turn = account.earliest(lane, governed, behind: account.place(of: demand, in: lane), at: now)
        guard turn.time <= demand.deadline else {
            return .refused(account.refusal(lane, governed, until: turn, at: now))
        }
        if mayWait { account.enqueue(demand, in: lane) }
        return .waits
    }

    private func begin(_ demand: Demand, in lane: Account.Lane, of account: Account, at now: Duration) -> Pass {
        passes += 1
        account.begin(lane, governed, at: now)
        return Pass(
            ticket: demand.ticket, account: demand.account, path: demand.path, resource: lane.resource,
            isWrite: lane.isWrite, number: passes, sentAt: now, isProbe: circuit.begin())
    }

    private func account(_ key: Int, at now: Duration) -> Account {
        if let account = accounts[key] {
            account.lastUse = now
            return account
        }
        if accounts.count >= Self.mostAccounts,
            let oldest = accounts.filter({ $0.value.isIdle }).min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            accounts[oldest.key] = nil
        }
        accountsSoFar += 1
        let account = Account(number: accountsSoFar)
        account.lastUse = now
        accounts[key] = account
        return account
    }

    // MARK: Coming back

    /// A request has ended.
    ///
    /// - Returns: what becomes of those that wait, by their tickets.
    package func end(_ pass: Pass, _ ending: Ending, at now: Duration) -> [(UInt64, Verdict)] {
        guard let account = accounts[pass.account] else { return [] }
        account.end(pass.lane, governed)
        if let said = ending.said, !said.quotas.isEmpty {
            governed.map.learn(pass.path, said.quotas, guess: pass.resource)
        }
        if ending.said != nil || ending.isRefused {
            account.take(
                ending.said ?? .nothing, isRefused: ending.isRefused, to: (pass.number, pass.sentAt), last: passes,
                at: now, chance: chance)
        }
        if ending.said?.quotas.isEmpty ?? true, ending.mayCount { account.assumeOne(pass.lane, governed, at: now) }
        if ending.refusal?.isSecondary == true { account.hold(pass, last: passes, at: now, chance: chance) }
        if ending.isAnswer, !ending.isRefused {
            account.widen(governed.limits, by: pass, isCounted: ending.mayCount)
        }
        let hasOpened = circuit.note(ending.sign(pass.path), isProbe: pass.isProbe, at: now)
        if hasOpened, let refusal = circuit.refusal(at: now) { return refuseAll(Refusal(refusal)) }
        return pass.isProbe ? release(at: now) : release(account, at: now)
    }

    private func refuseAll(_ refusal: Refusal) -> [(UInt64, Verdict)] {
        accounts.values.flatMap { $0.removeAll() }.map { ($0.ticket, .refused(refusal)) }
    }

    /// Lets those go that may by now.
    package func release(at now: Duration) -> [(UInt64, Verdict)] {
        accounts.values.filter { $0.waiting > 0 }.flatMap { release($0, at: now) }
    }

    private func release(_ account: Account, at now: Duration) -> [(UInt64, Verdict)] {
        guard account.waiting > 0 else { return [] }
        account.advance(to: now, number: passes)
        var released: [(UInt64, Verdict)] = []
        while circuit.refusal(at: now) == nil, let (demand, lane) = account.next(governed, at: now) {
            released.append((demand.ticket, .goes(begin(demand, in: lane, of: account, at: now))))
        }
        return released
            + account.sweep(governed, at: now).map { ($0.ticket, .refused($1)) }
    }

    /// Somebody waits no longer.
    ///
    /// - Returns: whether it waited.
    package func leave(_ ticket: UInt64, of account: Int) -> Bool { accounts[account]?.remove(ticket) != nil }

    /// When to call ``release(at:)``; nil when only the end of a request changes anything.
    package func nextOpening(after now: Duration) -> Duration? {
        accounts.values.filter { $0.waiting > 0 }.compactMap { $0.nextOpening(governed, after: now) }.min()
    }
}

extension Governance {
    /// What is known, with the moments as dates.
    package func shown(at now: Duration, _ date: (Duration) -> Date) -> APILimits {
        var limits = APILimits()
        limits.circuit = circuit.shown(date, at: now)
        for account in accounts.values.sorted(by: { $0.number < $1.number }) {
            account.advance(to: now, number: passes)
            limits.underway += account.underway
            limits.waiting += account.waiting
            limits.waitingInBackground += account.waitingInBackground
            if let held = account.held { limits.heldUntil = max(limits.heldUntil ?? .distantPast, date(held.said)) }
            for (name, quota) in zip(account.names, account.quotas) {
                guard let left = quota.remaining else { continue }
                limits.quotas.append(
                    APILimits.Quota(
                        account: account.number, resource: name, limit: quota.limit,
                        remaining: max(0, left - quota.underway), reset: quota.reset.map(date),
                        since: date(quota.saidAt)))
            }
        }
        return limits
    }
}
