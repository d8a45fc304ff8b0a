import Foundation
import Synchronization

/// When something was edited or asked, in the order in which users can see it. Each is made once, and a later one is greater:
/// within a process always, between processes that share a file by the second in which they began.
package struct ChangeStamp: IntegerIdentifier {
    package let rawValue: Int64
    @inline(__always)
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Before all others: of a change of which no stamp was kept.
    package static let earliest = ChangeStamp(0)

    /// The seconds since 2001 in which this process began are the upper half (31 bits, up to the year 2069), chance the lower,
    /// and the stamps count from there.
    fileprivate final class Clock: Sendable {
        let last = Atomic<Int64>(
            (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32 + Int64.random(in: 0..<1 << 31))
    }

    fileprivate static let clock = Clock()

    /// A stamp for what happens now.
    package static func now() -> ChangeStamp {
        // Wrapping is out of reach: 2^61 stamps.
        ChangeStamp(clock.last.wrappingAdd(1, ordering: .relaxed).newValue)
    }
}

/// The stamps of one context's edits, which takes some at once: an atomic addition takes as long as half an edit.
///
/// Those that are left are used only as long as nobody else has taken one since. So each is greater than all that were taken before,
/// by whomever: what happened before is seen in the last one, which only grows. Those that are left then are nobody's.
struct ChangeStamps {
    /// So few that contexts which edit in turn still have enough, for 2^26 edits a second.
    private static var count: Int64 { 32 }

    /// Kept here, as to ask for what is made at its first use takes a call.
    private let clock = ChangeStamp.clock
    private var next: Int64 = 1
    /// The last that was taken.
    private var last: Int64 = 0

    @inline(__always)
    mutating func now() -> ChangeStamp {
        // Whether somebody has taken one since.
        if next > last || clock.last.load(ordering: .relaxed) != last { take() }
        defer { next &+= 1 }
        return ChangeStamp(next)
    }

    /// The same, where one is left that was taken before; `nil` where some must be taken first.
    @inline(__always)
    mutating func nextTaken() -> ChangeStamp? {
        guard next <= last, clock.last.load(ordering: .relaxed) == last else { return nil }
        defer { next &+= 1 }
        return ChangeStamp(next)
    }

    @inline(never)
    private mutating func take() {
        last = clock.last.wrappingAdd(Self.count, ordering: .relaxed).newValue
        next = last - Self.count + 1
    }
}
