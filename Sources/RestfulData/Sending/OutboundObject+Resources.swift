import Conventions
import ObjectStore

// Resource objects and linkage of JSON:API 1.1 (https://jsonapi.org/format/1.1/#crud).

extension OutboundJSON {
    /// A resource object with nothing but its type and, where the server knows the object, its identity.
    static func resource(_ object: ObjectState, _ schema: Schema, hasID: Bool) -> OutboundJSON {
        var json = OutboundJSON.object([])
        json.set(.string(schema.resources.type(of: object.table)), at: ["type"])
        if hasID, let id = resourceID(of: object) { json.set(id, at: ["id"]) }
        return json
    }

    /// A resource identifier; null where the object has no identity.
    static func linkage(to object: ObjectState, _ schema: Schema) -> OutboundJSON {
        resourceID(of: object) == nil ? .null : resource(object, schema, hasID: true)
    }

    /// Identities are strings in JSON:API, whatever they are here.
    private static func resourceID(of object: ObjectState) -> OutboundJSON? {
        guard let property = object.table.identity.last.map({ object.table.properties[$0] }),
            let text = try? property.wireText(of: object.storedValue(property), .standard)
        else { return nil }
        return OutboundJSON(text).routeText.map { .string($0) }
    }

    /// The same as text, for an identity that goes out.
    var asResourceID: OutboundJSON { routeText.map { .string($0) } ?? .null }
}
