/// How a server takes changes of an object.
public enum SaveMethod: Sendable, Hashable {
    /// `PATCH` with the changed properties (RFC 5789).
    case patch
    /// `PUT` with all properties that are sent (RFC 9110 §9.3.4).
    case put
}
