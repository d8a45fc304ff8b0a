import Synchronization

/// Limits the load on a failing server: within ten seconds, ten retries, plus one for every five first attempts.
///
/// After Finagle's `RetryBudget` and gRPC's retry throttling.
final class RetryBudget: Sendable {
    private static let seconds = 10
    private static let floor = 10
    private static let requestsPerRetry = 5

    private struct Slot {
        var second: Int64 = .min
        var requests = 0
        var retries = 0
    }

    private let slots = Mutex([Slot](repeating: Slot(), count: RetryBudget.seconds))

    func noteRequest(at now: Duration) {
        slots.withLock { $0[Self.index(of: now, in: &$0)].requests += 1 }
    }

    /// - Returns: whether the budget allows it.
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

    /// Clears the slot first if it holds an earlier second.
    private static func index(of now: Duration, in slots: inout [Slot]) -> Int {
        let second = now.components.seconds
        let index = Int(second.magnitude % UInt64(seconds))
        if slots[index].second != second { slots[index] = Slot(second: second) }
        return index
    }
}
