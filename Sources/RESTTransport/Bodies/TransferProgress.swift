/// The progress of a body that is sent or received.
public struct TransferProgress: Sendable, Hashable {
    /// The body that is transferred.
    public enum Direction: Sendable, Hashable {
        /// The request's body.
        case sending
        /// The reply's body.
        case receiving
    }

    /// The body that is transferred.
    public let direction: Direction

    /// The bytes so far. They restart at 0 if a request is repeated, and continue if a download is resumed.
    public let completed: Int

    /// The bytes of the whole body; nil if unknown.
    public let total: Int?

    /// The completed part, from 0 to 1; nil if the whole length is unknown.
    public var fraction: Double? {
        total.map { $0 > 0 ? min(Double(completed) / Double($0), 1) : 1 }
    }

    /// Creates a report, in a transport.
    public init(_ direction: Direction, completed: Int, of total: Int?) {
        (self.direction, self.completed, self.total) = (direction, completed, total)
    }
}
