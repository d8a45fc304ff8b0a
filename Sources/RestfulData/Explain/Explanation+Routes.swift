import Conventions
import ObjectStore

extension Explanation {
    var routes: [[String]] {
        guard let bridge else { return [] }
        return modelRoutes(bridge) + table.properties.flatMap { relationshipRoutes($0, bridge) }
    }

    private func modelRoutes(_ bridge: Bridge) -> [[String]] {
        guard let model = bridge.routes.models[table.index] else { return [] }
        let collection = [("index", "GET"), ("create", "POST")].map { name, method in
            [name, "\(method) \(model.base)", "the base URL"]
        }
        guard let object = model.object else { return collection }
        let save = bridge.api.saveMethod == .put ? "PUT" : "PATCH"
        return collection
            + [("fetch", "GET"), ("save", save), ("delete", "DELETE")].map { name, method in
                [name, "\(method) \(object)", "the base URL and the key \"\(model.keyName ?? "")\""]
            }
    }

    private func relationshipRoutes(_ property: Property, _ bridge: Bridge) -> [[String]] {
        guard let route = bridge.routes.route(of: property.index, in: table) else { return [] }
        let rule = route.isDerived ? derivation(of: property) : "registered"
        let fetch = ["$\(property.name).fetch", "GET \(route.template)", rule]
        guard let list = property.list else { return [fetch] }
        let target = schema.tables[list.target]
        let key = target.key.map { target.properties[$0].jsonPath.joined(separator: ".") }
        return [fetch, ["$\(property.name).add", "POST \(route.template)", rule]]
            + (key.map { [["$\(property.name).delete", "DELETE \(route.template.appending(key: $0))", rule]] } ?? [])
    }

    private func derivation(of property: Property) -> String {
        guard let target = property.list?.target else { return "derived" }
        return "derived from \(schema.tables[target].modelName)'s base URL"
    }
}
