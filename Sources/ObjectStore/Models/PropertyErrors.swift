/// An error with messages about properties, which a form shows below its fields.
///
/// The messages come from your model's ``Model/validate()`` or from the server:
///
/// ```swift
/// do {
///     try await issue.save()
/// } catch {
///     titleMessages = error.messages(for: Issue.properties.title)
/// }
/// ```
public protocol PropertyErrors: Error {
    /// The messages by the properties' Swift names: `title`, `author.name`, `comments[1].text`. Empty if the error
    /// concerns no property.
    var fields: [String: [String]] { get }
}

extension PropertyErrors {
    /// Returns the messages about a property, such as `Issue.properties.comments`, and about the parts of its value,
    /// such as `comments[1].text`; empty if there are none.
    public func messages(for property: some PropertyToken) -> [String] {
        let name = property.description.name
        let parts = fields.filter { $0.key.hasPrefix("\(name).") || $0.key.hasPrefix("\(name)[") }
        return (fields[name] ?? []) + parts.sorted { $0.key < $1.key }.flatMap(\.value)
    }
}

extension StoreError: PropertyErrors {}
extension ValidationError: PropertyErrors {}
