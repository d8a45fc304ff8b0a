/// What can stand for a part of an identity: a value, or an object where a relationship is a part.
///
/// ```swift
/// let ticket = try context.find(Ticket.self, project, 5)          // @Model(identity: "project", "number")
/// ```
public protocol IdentityPart {
    /// What the column of the part holds for this value or object.
    var identityPart: StoredValue { get }
}

extension AttributeValue {
    /// The value as it is stored.
    @inlinable
    public var identityPart: StoredValue { stored }
}

extension IdentityPart where Self: RawRepresentable, RawValue: AttributeValue {
    /// The raw value as it is stored.
    public var identityPart: StoredValue { rawValue.stored }
}

extension Array: IdentityPart where Element: AttributeValue {}
extension Set: IdentityPart where Element: AttributeValue {}
extension Dictionary: IdentityPart where Key == String, Value: AttributeValue {}
