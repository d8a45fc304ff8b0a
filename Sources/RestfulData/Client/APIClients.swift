import Conventions
import ObjectStore

/// In the order given. A request goes to the API of its objects' model, also for members whose owner belongs to another
/// API.
struct APIClients: Sendable {
    /// By ``APIIndex``; at least one.
    let all: [APIClient]
    let outbox: OutboxEngine

    init(_ apis: StoreAPIs, _ schema: Schema) throws(StoreError) {
        var problems: [String] = []
        all = apis.all.enumerated().map { APIClient($1, at: APIIndex($0), schema, problems: &problems) }
        guard problems.isEmpty else { throw .models(problems) }
        outbox = OutboxEngine(time: all[0].api.time)
    }

    /// The API of models that choose none.
    var main: APIClient { all[0] }

    subscript(api: APIIndex) -> APIClient { all[api.rawValue] }
}

/// All but the first must have a name.
struct StoreAPIs {
    let all: [API]

    /// - Throws: ``StoreError/api(_:)`` if an API is unusable, or lacks a distinct name.
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

    var styles: SchemaStyles {
        let styles = all.map { (name: $0.name, style: $0.conventions.schemaStyle) }
        return SchemaStyles(main: styles[0], others: Array(styles.dropFirst()))
    }
}
