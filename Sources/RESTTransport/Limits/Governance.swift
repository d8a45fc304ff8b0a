#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

package struct Demand: Sendable {
    /// The account's number; see ``Credential``.
    package var account: Int
    /// With the query, relative to the API's base URL.
    package var path: Substring
    package var isWrite: Bool
    package var priority: RequestPriority
    package var deadline: Duration
    /// Lower tickets go first.
    package var ticket: UInt64

    package init(
        account: Int, path: Substring, isWrite: Bool, priority: RequestPriority, deadline: Duration, ticket: UInt64
    ) {
        (self.account, self.path, self.isWrite, self.priority) = (account, path, isWrite, priority)
        (self.deadline, self.ticket) = (deadline, ticket)
    }
}

package struct Pass: Sendable {
    package let ticket: UInt64
    let account: Int
    let path: Substring
    let resource: ResourceMap.ID
    let isWrite: Bool
    /// In the order of sending, from 1.
    let number: Int
    let sentAt: Duration
    let isProbe: Bool

    var group: Account.LimitGroup { Account.LimitGroup(resource: resource, isWrite: isWrite) }
}

/// Times are on the monotonic clock.
package enum Refusal: Sendable, Hashable {
    /// `isOwn` is true for the API's own limits.
    case limited(until: Duration, isOwn: Bool)
    case circuitOpen(until: Duration, failures: Int, last: String)

    init(_ refusal: Circuit.Refusal) {
        self = .circuitOpen(until: refusal.until, failures: refusal.failures, last: refusal.last)
    }
}

package enum Verdict: Sendable {
    case goes(Pass)
    case waits
    case refused(Refusal)
}

/// Shared by all accounts of an API. A class, so that reading copies nothing. It is used within the governor's lock,
/// without exclusivity checks, as ``Account``.
final class Governed {
    let limits: RequestLimits
    @safe @exclusivity(unchecked) var map: ResourceMap

    init(_ limits: RequestLimits) {
        self.limits = limits
        map = ResourceMap(limits.resources)
    }
}

/// Decides which requests of an API are sent, and when. It has no clock and never waits: callers pass the time.
///
/// ```
/// Governance
///  ├─ Circuit             the server's health, for all accounts
///  ├─ ResourceMap         the limits that apply to each path
///  └─ Account             one for each credential
///      ├─ Quota           the remaining requests of one server limit
///      ├─ WriteTimes      times of writes, for the API's own limits
///      └─ WaitingLine     by resource, reading or writing, and priority
/// ```
package final class Governance {
    /// Beyond that, the idle account with the oldest use is dropped.
    private static let mostAccounts = 256

    private let governed: Governed
    // Exclusivity checks are off as in `Account`: the lock admits one caller at a time, and nothing here calls back.
    @safe @exclusivity(unchecked) private var circuit: Circuit
    @safe @exclusivity(unchecked) private var accounts: [Int: Account] = [:]
    @safe @exclusivity(unchecked) private var accountsSoFar = 0
    @safe @exclusivity(unchecked) private var passes = 0
    @safe @exclusivity(unchecked) private var tickets: UInt64 = 0
    private let chance: () -> Double

    /// - Parameter chance: returns a random number from 0 up to 1.
    package init(_ limits: RequestLimits, chance: @escaping () -> Double) {
        let limits = limits.bounded
        governed = Governed(limits)
        circuit = Circuit(limits.circuit)
        self.chance = chance
    }

    package func newTicket() -> UInt64 {
        tickets += 1
        return tickets
    }

    // MARK: Sending

    /// - Parameter mayWait: whether to put it in line if it has to wait.
    package func admit(_ demand: Demand, mayWait: Bool, at now: Duration) -> Verdict {
        if let refusal = circuit.refusal(at: now) { return .refused(Refusal(refusal)) }
        let account = account(demand.account, at: now)
        account.advance(to: now, number: passes)
        let group = Account.LimitGroup(resource: governed.map.resource(of: demand.path), isWrite: demand.isWrite)
        if !account.hasWaiting(in: group), account.hasCapacity(group, governed, at: now) {
            return .goes(begin(demand, in: group, of: account, at: now))
        }
        let turn = account.earliest(group, governed, behind: account.place(of: demand, in: group), at: now)
        guard turn.time <= demand.deadline else {
            return .refused(account.refusal(group, governed, until: turn, at: now))
        }
        if mayWait { account.enqueue(demand, in: group) }
        return .waits
    }

    private func begin(_ demand: Demand, in group: Account.LimitGroup, of account: Account, at now: Duration) -> Pass {
        passes += 1
        account.begin(group, governed, at: now)
        return Pass(
            ticket: demand.ticket, account: demand.account, path: demand.path, resource: group.resource,
            isWrite: group.isWrite, number: passes, sentAt: now, isProbe: circuit.begin())
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

    // MARK: Outcomes

    /// - Returns: verdicts about waiting requests, by ticket.
    package func end(_ pass: Pass, _ limitOutcome: LimitOutcome, at now: Duration) -> [(UInt64, Verdict)] {
        guard let account = accounts[pass.account] else { return [] }
        account.end(pass.group, governed)
        if let stated = limitOutcome.stated, !stated.quotas.isEmpty {
            governed.map.learn(pass.path, stated.quotas, guess: pass.resource)
        }
        if limitOutcome.stated != nil || limitOutcome.isRefused {
            account.take(
                limitOutcome.stated ?? .nothing, isRefused: limitOutcome.isRefused, to: (pass.number, pass.sentAt),
                last: passes,
                at: now, chance: chance)
        }
        if limitOutcome.stated?.quotas.isEmpty ?? true, limitOutcome.mayCount {
            account.assumeOne(pass.group, governed, at: now)
        }
        if limitOutcome.refusal?.isSecondary == true { account.hold(pass, last: passes, at: now, chance: chance) }
        if limitOutcome.isAnswer, !limitOutcome.isRefused {
            account.widen(governed.limits, by: pass, isCounted: limitOutcome.mayCount)
        }
        let hasOpened = circuit.note(limitOutcome.sign(pass.path), isProbe: pass.isProbe, at: now)
        if hasOpened, let refusal = circuit.refusal(at: now) { return refuseAll(Refusal(refusal)) }
        return pass.isProbe ? release(at: now) : release(account, at: now)
    }

    private func refuseAll(_ refusal: Refusal) -> [(UInt64, Verdict)] {
        accounts.values.flatMap { $0.removeAll() }.map { ($0.ticket, .refused(refusal)) }
    }

    /// Admits requests whose turn has come, and refuses those that would time out.
    package func release(at now: Duration) -> [(UInt64, Verdict)] {
        accounts.values.filter { $0.waiting > 0 }.flatMap { release($0, at: now) }
    }

    private func release(_ account: Account, at now: Duration) -> [(UInt64, Verdict)] {
        guard account.waiting > 0 else { return [] }
        account.advance(to: now, number: passes)
        var released: [(UInt64, Verdict)] = []
        while circuit.refusal(at: now) == nil, let (demand, group) = account.next(governed, at: now) {
            released.append((demand.ticket, .goes(begin(demand, in: group, of: account, at: now))))
        }
        return released
            + account.sweep(governed, at: now).map { ($0.ticket, .refused($1)) }
    }

    /// - Returns: whether it was waiting.
    package func leave(_ ticket: UInt64, of account: Int) -> Bool { accounts[account]?.remove(ticket) != nil }

    /// When to call ``release(at:)``; nil if that only depends on requests in flight.
    package func nextOpening(after now: Duration) -> Duration? {
        accounts.values.filter { $0.waiting > 0 }.compactMap { $0.nextOpening(governed, after: now) }.min()
    }
}

extension Governance {
    package func shown(at now: Duration, _ date: (Duration) -> Date) -> APILimits {
        var limits = APILimits()
        limits.circuit = circuit.shown(date, at: now)
        for account in accounts.values.sorted(by: { $0.number < $1.number }) {
            account.advance(to: now, number: passes)
            limits.underway += account.underway
            limits.waiting += account.waiting
            limits.waitingInBackground += account.waitingInBackground
            if let held = account.held { limits.heldUntil = max(limits.heldUntil ?? .distantPast, date(held.stated)) }
            for (name, quota) in zip(account.names, account.quotas) {
                guard let left = quota.remaining else { continue }
                limits.quotas.append(
                    APILimits.Quota(
                        account: account.number, resource: name, limit: quota.limit,
                        remaining: max(0, left - quota.underway), reset: quota.reset.map(date),
                        since: date(quota.statedAt)))
            }
        }
        return limits
    }
}
