import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

extension Bridge {
    /// The routes of a model.
    ///
    /// - Throws: ``RouteProblem/noRoute(of:needs:)`` for a model without a base URL.
    func modelRoutes(_ table: ModelSchema) throws(APIError) -> RouteTable.ModelRoutes {
        guard let routes = routes.routes(of: table) else {
            throw .route(.noRoute(of: table.modelName, needs: "a base URL, as in @Model(\"/\(table.name)s\")"))
        }
        return routes
    }

    /// How `save` sends objects of a model.
    func saveMethod(of table: ModelSchema) -> SaveMethod {
        table.type.modelDescription.options.saveMethod ?? api.saveMethod
    }

    /// The object's own URL, with the name of its key.
    func objectTemplate(_ table: ModelSchema) throws(APIError) -> (template: RouteTemplate, key: Property) {
        guard let template = try modelRoutes(table).object, let key = table.key else {
            let base = table.baseURL.map { "\"\($0)\", " } ?? ""
            throw .route(.noRoute(of: table.modelName, needs: "a key, as in @Model(\(base)key: \"number\")"))
        }
        return (template, table.properties[key])
    }

    /// An object that is named by its URL, as in hyperlinked APIs, has that one.
    func objectURL(_ object: ObjectState, _ schema: Schema) throws(APIError) -> String {
        let (template, key) = try objectTemplate(object.table)
        if let url = try absoluteURL(object.storedValue(key), key) { return url }
        return try template.url(for: object, schema)
    }

    /// - Returns: the URL that a key is; `nil` where it is none, or a relative one.
    /// - Throws: ``RouteProblem/invalidURL(_:)`` for one that leads to another server than the API's, which might be told what
    ///   is none of its business.
    func absoluteURL(_ value: StoredValue, _ key: Property) throws(APIError) -> String? {
        guard case .attribute(.url, _, _) = key.kind, case .text(let text) = value, let url = URL(string: text),
            let origin = Origin(url)
        else { return nil }
        guard origin == URL(string: api.baseURL).flatMap({ Origin($0) }) else { throw .route(.invalidURL(text)) }
        return text
    }
}

extension HTTPRequest.Method {
    init(_ method: SaveMethod) { self = method == .put ? .put : .patch }
}
