/// The violations of an object's own rules, by property. ``Model/validate()`` throws it.
///
/// A server's 422 has the same structure (`ReplyError`).
public struct ValidationError: Error, Sendable, Hashable {
    /// The model's name, set by a save.
    public package(set) var model = ""
    /// The object's identity by property name, set by a save. Parts that are nil are left out.
    public package(set) var identity: [String: String] = [:]
    /// The object's name for users, set by a save: `Issue 102 "Crash"`, `new Issue "Crash"`.
    public package(set) var object = ""
    /// The messages about properties, by Swift name.
    public var fields: [String: [String]]
    /// The messages about the object as a whole.
    public var objectErrors: [String]

    /// Creates an error, as ``Model/check(_:_:_:)`` and ``Model/checkAll(_:)`` do for you.
    public init(fields: [String: [String]] = [:], objectErrors: [String] = []) {
        self.fields = fields
        self.objectErrors = objectErrors
    }

    var isEmpty: Bool { fields.isEmpty && objectErrors.isEmpty }
}

extension ValidationError: CustomStringConvertible {
    /// The object and all messages.
    public var description: String {
        let errors =
            objectErrors + fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.joined(separator: ", "))" }
        return (object.isEmpty ? "" : "\(object): ") + errors.joined(separator: "; ")
    }
}
