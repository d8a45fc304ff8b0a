/// Tickets in ascending order. Removing one takes amortized constant time.
package struct WaitingLine: Sendable {
    private var tickets: [UInt64] = []
    private var head = 0
    private var present: Set<UInt64> = []

    package init() {}

    var count: Int { present.count }
    var isEmpty: Bool { present.isEmpty }

    package mutating func first() -> UInt64? {
        while head < tickets.count, !present.contains(tickets[head]) { head += 1 }
        guard head < tickets.count else {
            (tickets, head) = ([], 0)
            return nil
        }
        if head > 64, head * 2 > tickets.count {
            tickets.removeFirst(head)
            head = 0
        }
        return tickets[head]
    }

    /// A repeated attempt's ticket goes before newer ones.
    package mutating func insert(_ ticket: UInt64) {
        guard present.insert(ticket).inserted else { return }
        var (low, high) = (head, tickets.count)
        if let last = tickets.last, last < ticket { low = high }
        while low < high {
            let middle = (low + high) / 2
            if tickets[middle] < ticket { low = middle + 1 } else { high = middle }
        }
        // A removed ticket may still be there.
        if low < tickets.count, tickets[low] == ticket { return }
        tickets.insert(ticket, at: low)
    }

    package mutating func remove(_ ticket: UInt64) { present.remove(ticket) }

    /// The number of tickets ahead; nil for an older ticket than the last.
    func ahead(of ticket: UInt64) -> Int? { tickets.last ?? 0 < ticket ? count : nil }

    var inOrder: [UInt64] { tickets[head...].filter(present.contains) }

    func contains(_ ticket: UInt64) -> Bool { present.contains(ticket) }
}
