#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The source of a server's time.
public enum ServerClock: Sendable {
    /// Stands still at so many seconds since 1970, and advances by one second with every write, so that the same
    /// requests always get the same replies.
    case ticking(from: Int)
    /// The machine's clock.
    case system

    /// Starts ticking at 2026-01-01T00:00:00Z.
    public static let reproducible = ServerClock.ticking(from: 1_767_225_600)

    var now: Timestamp {
        switch self {
        case .ticking(let seconds): Timestamp(seconds: seconds)
        case .system: Timestamp(seconds: Int(Date().timeIntervalSince1970))
        }
    }

    mutating func tick() -> Timestamp {
        if case .ticking(let seconds) = self { self = .ticking(from: seconds + 1) }
        return now
    }
}
