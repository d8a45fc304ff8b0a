/// The violations of an object's own rules, by property. ``Model/validate()`` throws it.
///
/// It has the same structure as a server's 422 (`ReplyError`), so a form can show both alike.
public struct ValidationError: Error, Sendable, Hashable {
    /// The model's name, set when a save validates the object.
    public package(set) var model = ""
    /// The object's identity by property name, set when a save validates the object. Parts that are nil are left out.
    public package(set) var identity: [String: String] = [:]
    /// The object's name for users, set when a save validates the object: `Issue 102 "Crash"`, `new Issue "Crash"`.
    public package(set) var object = ""
    /// The messages about properties, by Swift name.
    public var fields: [String: [String]]
    /// The messages about the object as a whole.
    public var objectErrors: [String]

    /// Creates an error. Usually ``Model/check(_:_:_:)`` and ``Model/checkAll(_:)`` do that for you.
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
