import ObjectStore

struct ListQuestion {
    /// nil for the list's own URL.
    var template: URLTemplate?
    var values: [String: any RouteValueConvertible] = [:]
    var query: RouteQuery
    /// nil if the conventions decide.
    var keyPath: JSONKeyPath?
    /// nil for the policy of the call, the model or the API.
    var policy: FetchPolicy?
    var pruning: Pruning
}
