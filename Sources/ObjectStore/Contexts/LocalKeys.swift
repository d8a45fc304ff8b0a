import Foundation
import Synchronization

/// Local keys for objects that are made here: negative, so that they are none of the writer's, and each greater than the
/// one before, so that rows which say nothing else of their order come in the order in which they were made.
enum LocalKeys {
    /// The next key of this process. Processes that share a file begin at different places: the second in which they
    /// began stands in the upper half of the key (31 bits, up to the year 2069), chance in the lower.
    private static let last = Mutex<Int64>(
        Int64.min + (Int64(max(0, Date().timeIntervalSinceReferenceDate)) & 0x7FFF_FFFF) << 32
            + Int64.random(in: 0..<1 << 31))

    static func next() -> Int64 {
        last.withLock { last in
            // Wrapping is out of reach: 2^62 keys.
            last &+= 1
            return last
        }
    }
}
