import Foundation
public import Synchronization

/// When something was edited or asked, in the order in which users can see it. Each is made once, and a later one is
/// greater: within a process always, between processes that share a file by the second in which they began.
package struct ChangeStamp: IntegerIdentifier {
    package let rawValue: Int64
    @inline(__always)
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Before all others: of a change of which no stamp was kept.
    package static let earliest = ChangeStamp(0)

    fileprivate static let clock = StampClock()

    /// A stamp for what happens now.
    package static func now() -> ChangeStamp {
        // Wrapping is out of reach: 2^61 stamps.
        ChangeStamp(clock.last.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// More than this no clock gives, and as many stamps are left after it as ever are made.
    private static let latest = Int64.max - 1 << 40

    /// A stamp that was read in a file. What happens from now on comes after it, though the machine's clock was set
    /// back since, or another process has made it that began later (Lamport, "Time, Clocks, and the Ordering of Events
    /// in a Distributed System", rule IR2).
    static func seen(_ number: Int64) -> ChangeStamp {
        if number > clock.last.load(ordering: .relaxed), number <= latest { clock.last.max(number, ordering: .relaxed) }
        return ChangeStamp(number)
    }
}

/// The last stamp that was made.
///
/// The seconds since 2001 in which this process began are the upper half (31 bits, up to the year 2069), chance the
/// lower, and the stamps count from there.
@usableFromInline final class StampClock: Sendable {
    @usableFromInline let last = Atomic<Int64>(
        (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32 + Int64.random(in: 0..<1 << 31))
}

/// The stamps of one context's edits, which takes some at once: an atomic addition takes as long as half an edit.
///
/// Those that are left are used only as long as nobody else has taken one since. So each is greater than all that were
/// taken before, by whomever: what happened before is seen in the last one, which only grows. Those that are left then
/// are nobody's.
@safe @usableFromInline final class ChangeStamps {
    /// So few that contexts which edit in turn still have enough, for 2^26 edits a second.
    private static var count: Int64 { 32 }

    /// Kept here, as to ask for what is made at its first use takes a call.
    @safe @usableFromInline let clock = unsafe Unmanaged.passUnretained(ChangeStamp.clock)
    // Not checked for overlapping accesses at run time: each is a load or a store.
    @safe @exclusivity(unchecked) @usableFromInline
    var next: Int64 = 1
    /// The last that was taken.
    @safe @exclusivity(unchecked) @usableFromInline
    var last: Int64 = 0

    @inline(__always)
    func now() -> ChangeStamp {
        if let stamp = nextTaken() { return ChangeStamp(stamp) }
        take()
        defer { next &+= 1 }
        return ChangeStamp(next)
    }

    /// The same, where one is left that was taken before; `nil` where some must be taken first.
    @inlinable @inline(__always)
    func nextTaken() -> Int64? {
        // Whether somebody has taken one since. The clock is never let go of.
        guard next <= last, unsafe clock._withUnsafeGuaranteedRef({ $0.last.load(ordering: .relaxed) }) == last else {
            return nil
        }
        defer { next &+= 1 }
        return next
    }

    @inline(never)
    private func take() {
        last = ChangeStamp.clock.last.wrappingAdd(Self.count, ordering: .relaxed).newValue
        next = last - Self.count + 1
    }
}
