extension Array: AttributeValue where Element: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .list(of: Element.kind) }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored, let elements = Element.kind.storedElements(of: text) else { return nil }
        self = elements.compactMap(Element.init(stored:))
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { Element.kind.text(ofElements: map(\.stored)) }
}

/// Stored as a JSON array, sorted by the texts of the elements.
extension Set: AttributeValue where Element: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .set(of: Element.kind) }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard let elements = [Element](stored: stored) else { return nil }
        self.init(elements)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { Element.kind.text(ofElements: map(\.stored), isOrdered: false) }
}

extension Dictionary: AttributeValue where Key == String, Value: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .dictionary(of: Value.kind) }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored, let members = Value.kind.storedMembers(of: text) else { return nil }
        self = [:]
        for member in members { self[member.key] = Value(stored: member.value) }
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { Value.kind.text(ofMembers: map { ($0.key, $0.value.stored) }) }
}

/// Enums and structs with a raw value need only to declare the conformance.
extension AttributeValue where Self: RawRepresentable, RawValue: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { RawValue.kind }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard let value = RawValue(stored: stored) else { return nil }
        self.init(rawValue: value)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { rawValue.stored }
}

/// Arrays, sets and dictionaries of enums with a raw value; for the code that macros write.
public protocol RawValueCollection {
    static var rawKind: AttributeKind { get }
    init?(rawStored: StoredValue)
    var rawStored: StoredValue { get }
}

extension Array: RawValueCollection where Element: RawRepresentable, Element.RawValue: AttributeValue {
    /// See ``RawValueCollection/rawKind``.
    public static var rawKind: AttributeKind { .list(of: Element.RawValue.kind) }
    /// See ``RawValueCollection/init(rawStored:)``.
    public init?(rawStored: StoredValue) {
        guard let elements = [Element.RawValue](stored: rawStored) else { return nil }
        self = elements.compactMap(Element.init(rawValue:))
    }
    /// See ``RawValueCollection/rawStored``.
    public var rawStored: StoredValue { map(\.rawValue).stored }
}

extension Set: RawValueCollection where Element: RawRepresentable, Element.RawValue: AttributeValue {
    /// See ``RawValueCollection/rawKind``.
    public static var rawKind: AttributeKind { .set(of: Element.RawValue.kind) }
    /// See ``RawValueCollection/init(rawStored:)``.
    public init?(rawStored: StoredValue) {
        guard let elements = [Element](rawStored: rawStored) else { return nil }
        self.init(elements)
    }
    /// See ``RawValueCollection/rawStored``.
    public var rawStored: StoredValue {
        Element.RawValue.kind.text(ofElements: map(\.rawValue.stored), isOrdered: false)
    }
}

extension Dictionary: RawValueCollection
where Key == String, Value: RawRepresentable, Value.RawValue: AttributeValue {
    /// See ``RawValueCollection/rawKind``.
    public static var rawKind: AttributeKind { .dictionary(of: Value.RawValue.kind) }
    /// See ``RawValueCollection/init(rawStored:)``.
    public init?(rawStored: StoredValue) {
        guard let members = [String: Value.RawValue](stored: rawStored) else { return nil }
        self = members.compactMapValues(Value.init(rawValue:))
    }
    /// See ``RawValueCollection/rawStored``.
    public var rawStored: StoredValue { mapValues(\.rawValue).stored }
}
