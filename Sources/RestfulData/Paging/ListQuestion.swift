import ObjectStore

struct ListQuestion {
    /// The URL; nil for the list's own.
    var template: URLTemplate?
    var values: [String: any RouteValueConvertible] = [:]
    /// Parameters to add to the URL's query.
    var query: RouteQuery
    /// The key path of the list in the reply; nil if the conventions decide.
    var keyPath: JSONKeyPath?
    /// Whether the server is asked; nil for the policy of the call, the model or the API.
    var policy: FetchPolicy?
    /// The treatment of objects that the complete list omits.
    var pruning: Pruning
}
