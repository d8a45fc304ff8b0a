import Synchronization

/// How many requests may be sent again, so that a server in trouble is not sent several times as many as without: of
/// ten seconds, ten, and one for each five that were sent the first time.
///
/// As Finagle's `RetryBudget` and gRPC's retry throttling do it.
final class RetryBudget: Sendable {
    private static let seconds = 10
    private static let floor = 10
    private static let requestsPerRetry = 5

    /// What happened in one second.
    private struct Slot {
        var second: Int64 = .min
        var requests = 0
        var retries = 0
    }

    private let slots = Mutex([Slot](repeating: Slot(), count: RetryBudget.seconds))

    /// Counts a request that is sent the first time.
    func noteRequest(at now: Duration) {
        slots.withLock { $0[Self.index(of: now, in: &$0)].requests += 1 }
    }

    /// Takes one of the retries.
    ///
    /// - Returns: whether there was one.
    func takeRetry(at now: Duration) -> Bool {
        slots.withLock { slots in
            let oldest = now.components.seconds - Int64(Self.seconds)
            let recent = slots.filter { $0.second > oldest && $0.second <= now.components.seconds }
            let allowed = Self.floor + recent.reduce(0) { $0 + $1.requests } / Self.requestsPerRetry
            guard recent.reduce(0, { $0 + $1.retries }) < allowed else { return false }
            slots[Self.index(of: now, in: &slots)].retries += 1
            return true
        }
    }

    /// The slot of a second, emptied of what was there ten seconds before.
    private static func index(of now: Duration, in slots: inout [Slot]) -> Int {
        let second = now.components.seconds
        let index = Int(second.magnitude % UInt64(seconds))
        if slots[index].second != second { slots[index] = Slot(second: second) }
        return index
    }
}
