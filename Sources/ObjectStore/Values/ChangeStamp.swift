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
    private static let last = Atomic<Int64>(
        (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32 + Int64.random(in: 0..<1 << 31))

    /// A stamp for what happens now.
    package static func now() -> ChangeStamp {
        // Wrapping is out of reach: 2^61 stamps.
        ChangeStamp(last.wrappingAdd(1, ordering: .relaxed).newValue)
    }
}
