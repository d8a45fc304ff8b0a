import Conventions
import HTTPTypes
import ObjectStore

extension Explanation {
    var routes: [[String]] {
        guard let client else { return [] }
        return modelRoutes(client) + table.declared.flatMap { relationshipRoutes($0, client) }
    }

    private func modelRoutes(_ client: APIClient) -> [[String]] {
        guard let model = client.routes.routes(of: table) else { return [] }
        let collection = [("index", "GET"), ("create", "POST")].map { name, method in
            [name, "\(method) \(model.base)", "the base URL"]
        }
        guard let object = model.object else { return collection }
        let save = HTTPRequest.Method(client.saveMethod(of: table)).rawValue
        let declared = table.type.modelDescription.options.saveMethod == nil ? "" : "; the method is declared"
        let slashes = model.keyIsPath ? ", whose slashes stand as they are" : ""
        return collection
            + [("fetch", "GET", ""), ("save", save, declared), ("delete", "DELETE", "")].map { name, method, rule in
                [
                    name, "\(method) \(object)",
                    "the base URL and the key \"\(model.keyName ?? "")\"\(slashes)\(rule)",
                ]
            }
    }

    private func relationshipRoutes(_ property: Property, _ client: APIClient) -> [[String]] {
        guard let route = client.routes.route(of: property, in: table) else { return [] }
        let rule = route.isDerived ? derivation(of: property) : "registered"
        let fetch = ["$\(property.name).fetch", "GET \(route.template)", rule]
        guard property.list != nil, let target = schema.target(of: property) else { return [fetch] }
        let key = target.key.map { target.properties[$0].jsonPath.joined(separator: ".") }
        return [fetch, ["$\(property.name).add", "POST \(route.template)", rule]]
            + (key.map { [["$\(property.name).delete", "DELETE \(route.template.appending(key: $0))", rule]] } ?? [])
    }

    private func derivation(of property: Property) -> String {
        schema.target(of: property).map { "derived from \($0.modelName)'s base URL" } ?? "derived"
    }
}
