/// A part of an identity: a value, or an object if the part is a relationship.
///
/// ```swift
/// let ticket = try context.find(Ticket.self, project, 5)          // @Model(identity: "project", "number")
/// ```
public protocol IdentityPart {
    /// The value of the part's column.
    var identityPart: StoredValue { get }
}

extension AttributeValue {
    /// The value in its stored form.
    @inlinable
    public var identityPart: StoredValue { stored }
}

extension IdentityPart where Self: RawRepresentable, RawValue: AttributeValue {
    /// The raw value in its stored form.
    public var identityPart: StoredValue { rawValue.stored }
}

extension Array: IdentityPart where Element: AttributeValue {}
extension Set: IdentityPart where Element: AttributeValue {}
extension Dictionary: IdentityPart where Key == String, Value: AttributeValue {}
