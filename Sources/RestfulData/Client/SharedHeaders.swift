public import HTTPTypes
import Synchronization

/// Header fields of all requests of an API (``API/headers``), which you can change at any time, on any thread.
public final class SharedHeaders: Sendable {
    private let state = Mutex(HTTPFields())

    /// The value of a field; nil for none. Setting nil removes the field.
    public subscript(_ name: HTTPField.Name) -> String? {
        get { state.withLock { $0[name] } }
        set { state.withLock { $0[name] = newValue } }
    }

    /// All current fields.
    public var fields: HTTPFields { state.withLock { $0 } }

    /// Removes all fields.
    public func removeAll() { state.withLock { $0 = [:] } }
}

extension SharedHeaders: CustomStringConvertible, CustomReflectable {
    /// The fields' names, without values.
    public var description: String { "SharedHeaders(\(fields.map(\.name.rawName).joined(separator: ", ")))" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .class) }
}
