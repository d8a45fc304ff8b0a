import ObjectStore

/// What a fetch of a list asks for.
struct ListQuestion {
    /// The URL; nil for the list's own.
    var template: URLTemplate?
    /// The values of the template's names.
    var values: [String: any RouteValueConvertible] = [:]
    /// What is added to the URL's query.
    var query: RouteQuery
    /// The keys that lead to the list in the reply; nil when the conventions decide.
    var keyPath: JSONKeyPath?
    /// Whether the server is asked; nil for what the call, the model or the API says.
    var policy: FetchPolicy?
    /// What becomes of objects that the whole list leaves out.
    var pruning: Pruning
}
