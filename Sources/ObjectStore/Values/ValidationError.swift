/// What is wrong with an object by its own rules, by property: what ``Model/validate()`` throws.
///
/// It says the same as a server's 422 does (`ReplyError`), so a form shows both alike.
public struct ValidationError: Error, Sendable, Hashable {
    /// The model's name, once a save has met the object.
    public package(set) var model = ""
    /// The values of the object's identity by property name, likewise; without the parts that are nil, so empty for an
    /// object that has none yet.
    public package(set) var identity: [String: String] = [:]
    /// What the object is called in words, likewise: `Issue 102 "Crash"`, `new Issue "Crash"`.
    public package(set) var object = ""
    /// What is wrong with which property, by its Swift name.
    public var fields: [String: [String]]
    /// What is wrong with the object as a whole, rather than with one property.
    public var objectErrors: [String]

    /// Most are thrown by ``Model/check(_:_:_:)`` and ``Model/checkAll(_:)``.
    public init(fields: [String: [String]] = [:], objectErrors: [String] = []) {
        self.fields = fields
        self.objectErrors = objectErrors
    }

    /// Whether nothing is wrong.
    var isEmpty: Bool { fields.isEmpty && objectErrors.isEmpty }
}

extension ValidationError: CustomStringConvertible {
    /// The object and what is wrong.
    public var description: String {
        let errors =
            objectErrors + fields.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.joined(separator: ", "))" }
        return (object.isEmpty ? "" : "\(object): ") + errors.joined(separator: "; ")
    }
}
