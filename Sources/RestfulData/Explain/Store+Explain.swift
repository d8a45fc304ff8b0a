import Conventions
public import ObjectStore

extension Store {
    /// What the conventions made of a model: its table, columns, JSON keys, relationships and routes, each with the rule that
    /// made it. For reading: its form may change.
    ///
    /// ```swift
    /// print(store.explain(Issue.self))
    /// ```
    ///
    /// - Returns: text; for a class that the store was not opened with, a line that says so.
    public func explain(_ model: any Model.Type) -> String {
        guard let table = schema.table(for: model) else {
            return "\(model) is not among the models that this store was opened with."
        }
        return Explanation(table: table, schema: schema, client: file.companion as? APIClient).text
    }

    /// The same for every model of the store, in the order in which they were given.
    public func explain() -> String { schema.models.map { explain($0.type) }.joined(separator: "\n") }
}
