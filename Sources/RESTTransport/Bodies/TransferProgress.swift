/// How much of a body was sent or received.
public struct TransferProgress: Sendable, Hashable {
    /// Which body moves.
    public enum Direction: Sendable, Hashable {
        /// The request's.
        case sending
        /// The reply's.
        case receiving
    }

    /// Which body moves.
    public let direction: Direction

    /// The number of bytes so far. It begins at 0 again when a request is repeated, and where it was when a download
    /// is resumed.
    public let completed: Int

    /// The number of bytes of the whole body; nil while it is unknown.
    public let total: Int?

    /// The part that is done, from 0 to 1; nil while the whole is unknown.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(Double(completed) / Double($0), 1) : 1 }
    }

    /// Makes a report; for transports.
    public init(_ direction: Direction, completed: Int, of total: Int?) {
        (self.direction, self.completed, self.total) = (direction, completed, total)
    }
}
