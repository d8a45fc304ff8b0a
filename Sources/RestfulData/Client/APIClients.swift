import Conventions
import ObjectStore

/// The ways to a store's APIs, in the order in which they were given.
///
/// A request about a model's objects goes to that model's API, by that API's conventions: also one about the members of
/// a relationship, whichever API the owner comes from.
struct APIClients: Sendable {
    /// By ``APIIndex``; never empty.
    let all: [APIClient]
    /// Sends what is queued.
    let outbox = OutboxEngine()

    /// - Throws: ``StoreError/api(_:)`` for an API that is of no use, ``StoreError/models(_:)`` with all that is wrong
    ///   with routes and envelopes.
    init(_ apis: StoreAPIs, _ schema: Schema) throws(StoreError) {
        var problems: [String] = []
        all = apis.all.enumerated().map { APIClient($1, at: APIIndex($0), schema, problems: &problems) }
        guard problems.isEmpty else { throw .models(problems) }
    }

    /// The API of the models that name none.
    var main: APIClient { all[0] }

    subscript(api: APIIndex) -> APIClient { all[api.rawValue] }
}

/// The APIs of a store, of which each but the first has a name of its own.
struct StoreAPIs {
    let all: [API]

    /// - Throws: ``StoreError/api(_:)`` for one that is of no use, or that no model could belong to.
    init(_ apis: [API]) throws(StoreError) {
        guard !apis.isEmpty else { throw .api("a store needs one at least, or none by Store(_:models:conventions:)") }
        var seen: Set<String> = []
        for (number, api) in apis.enumerated() {
            if let problem = api.problem { throw .api(problem) }
            guard let name = api.name else {
                guard number > 0 else { continue }
                throw .api("\(api) has no name by which models say that they are its own: API(…, name: \"…\")")
            }
            guard !name.isEmpty else { throw .api("\(api) has an empty name") }
            guard seen.insert(name).inserted else { throw .api("two of the store's are named \"\(name)\"") }
        }
        all = apis
    }

    /// How each writes its objects.
    var styles: SchemaStyles {
        let styles = all.map { (name: $0.name, style: $0.conventions.schemaStyle) }
        return SchemaStyles(main: styles[0], others: Array(styles.dropFirst()))
    }
}
