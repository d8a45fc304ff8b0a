import Conventions
import ObjectStore

extension Bridge {
    /// The routes of a model.
    ///
    /// - Throws: ``RouteProblem/noRoute(of:needs:)`` for a model without a base URL.
    func modelRoutes(_ table: Table) throws(APIError) -> RouteTable.ModelRoutes {
        guard routes.models.indices.contains(table.index), let routes = routes.models[table.index] else {
            throw .route(.noRoute(of: table.modelName, needs: "a base URL, as in @Model(\"/\(table.name)s\")"))
        }
        return routes
    }

    /// The object's own URL, with the name of its key.
    func objectTemplate(_ table: Table) throws(APIError) -> (template: RouteTemplate, key: Property) {
        guard let template = try modelRoutes(table).object, let key = table.key else {
            let base = table.baseURL.map { "\"\($0)\", " } ?? ""
            throw .route(.noRoute(of: table.modelName, needs: "a key, as in @Model(\(base)key: \"number\")"))
        }
        return (template, table.properties[key])
    }

    func objectURL(_ object: ObjectState, _ schema: Schema) throws(APIError) -> String {
        try objectTemplate(object.table).template.url(for: object, schema)
    }
}
