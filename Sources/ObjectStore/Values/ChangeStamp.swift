import Foundation
public import Synchronization

/// The time of an edit or request, in the order that users see. Stamps are unique. Those of several processes are in
/// the order of the processes' start times, to the second.
package struct ChangeStamp: IntegerIdentifier {
    package let rawValue: Int64
    @inline(__always)
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Also the stamp of a change that lacks one.
    package static let earliest = ChangeStamp(0)

    fileprivate static let clock = StampClock()

    package static func now() -> ChangeStamp {
        // An overflow would take more than 2^61 stamps.
        ChangeStamp(clock.last.wrappingAdd(1, ordering: .relaxed).newValue)
    }

    /// Greater stamps don't move the clock, which keeps more stamps than are ever needed.
    private static let latest = Int64.max - 1 << 40

    /// Makes later stamps greater than a file's (rule IR2 in Lamport, "Time, Clocks, and the Ordering of Events in a
    /// Distributed System"). The clock may have been set back, or another process started later.
    static func seen(_ number: Int64) -> ChangeStamp {
        if number > clock.last.load(ordering: .relaxed), number <= latest { clock.last.max(number, ordering: .relaxed) }
        return ChangeStamp(number)
    }
}

/// Upper half: the process's start in seconds since 2001 (31 bits, until 2069). The lower half counts up from a random
/// number.
@usableFromInline final class StampClock: Sendable {
    @usableFromInline let last = Atomic<Int64>(
        (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32 + Int64.random(in: 0..<1 << 31))
}

/// One context's stamps. Several are reserved at once, since an atomic addition takes half as long as an edit, and
/// dropped once another context reserves any. So each stamp is greater than all earlier ones.
@safe @usableFromInline final class ChangeStamps {
    /// Small enough for 2^26 edits a second, even if contexts alternate.
    private static var count: Int64 { 32 }

    /// Accessing a lazy global takes a call.
    @safe @usableFromInline let clock = unsafe Unmanaged.passUnretained(ChangeStamp.clock)
    // `@exclusivity(unchecked)` is safe: each access is a load or a store.
    @safe @exclusivity(unchecked) @usableFromInline
    var next: Int64 = 1
    @safe @exclusivity(unchecked) @usableFromInline
    var last: Int64 = 0

    @inline(__always)
    func now() -> ChangeStamp {
        if let stamp = nextTaken() { return ChangeStamp(stamp) }
        take()
        defer { next &+= 1 }
        return ChangeStamp(next)
    }

    /// `nil` if new stamps have to be reserved first.
    @inlinable @inline(__always)
    func nextTaken() -> Int64? {
        // Unless another context has reserved stamps since. Safe: the clock is a global and is never released.
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
