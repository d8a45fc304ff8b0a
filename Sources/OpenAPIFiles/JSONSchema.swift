/// The allowed values in JSON. The targets of `$ref`s are in ``OpenAPIDescription/schemas``, so schemas can form
/// cycles.
package final class JSONSchema: Sendable {
    package struct Property: Sendable {
        package let name: String
        package let schema: JSONSchema
    }

    /// Beside a `$ref`, only ``about``, ``isNullable`` and the access are the schema's own.
    package let reference: JSONPointer?
    package let about: String?
    package let title: String?
    /// Except `null`; empty for any type.
    package let types: [String]
    package let isNullable: Bool
    package let format: String?
    package let properties: [Property]
    package let required: Set<String>
    package let items: JSONSchema?
    /// `additionalProperties`.
    package let others: JSONSchema?
    package let isClosed: Bool
    package let allOf: [JSONSchema]
    /// `oneOf` and `anyOf`.
    package let alternatives: [JSONSchema]
    /// Of an `enum`, or a `const`.
    package let enumeration: [DescriptionNode]
    package let isReadOnly: Bool
    package let isWriteOnly: Bool

    /// Allows any value.
    init() {
        (reference, about, title, format, items, others) = (nil, nil, nil, nil, nil, nil)
        (types, properties, required, allOf, alternatives, enumeration) = ([], [], [], [], [], [])
        (isNullable, isClosed, isReadOnly, isWriteOnly) = (false, false, false, false)
    }

    init(_ node: DescriptionNode, parsing child: (DescriptionNode, [String]) -> JSONSchema) {
        let reference = node["$ref"]?.string.flatMap { JSONPointer(reference: $0) }
        let types = node["type"].map { $0.string.map { [$0] } ?? $0.elements.compactMap(\.string) } ?? []
        let alternatives = ["oneOf", "anyOf"].flatMap { key in
            (node[key]?.elements ?? []).enumerated().map { ($1, [key, "\($0)"]) }
        }
        let others = alternatives.filter { !$0.0.isNullSchema }
        let values = node["enum"]?.elements ?? node["const"].map { [$0] } ?? []
        self.reference = reference
        about = node["description"]?.string
        title = node["title"]?.string
        self.types = types.filter { $0 != "null" }
        isNullable =
            types.contains("null") || node["nullable"]?.bool == true || others.count < alternatives.count
            || values.contains(.null)
        format = node["format"]?.string
        properties = (node["properties"]?.members?.pairs ?? []).map {
            Property(name: $0.name, schema: child($0.value, ["properties", $0.name]))
        }
        required = Set((node["required"]?.elements ?? []).compactMap(\.string))
        items = node["items"].flatMap { $0.members == nil ? nil : child($0, ["items"]) }
        let additional = node["additionalProperties"]
        self.others = additional.flatMap { $0.members == nil ? nil : child($0, ["additionalProperties"]) }
        isClosed = additional?.bool == false
        allOf = (node["allOf"]?.elements ?? []).enumerated().map { child($1, ["allOf", "\($0)"]) }
        self.alternatives = others.map { child($0.0, $0.1) }
        enumeration = values.filter { $0 != .null }
        isReadOnly = node["readOnly"]?.bool == true
        isWriteOnly = node["writeOnly"]?.bool == true
    }
}

extension DescriptionNode {
    /// OpenAPI 3.1 writes nullable values with `{"type": "null"}`.
    fileprivate var isNullSchema: Bool {
        self["type"]?.string == "null" || self["enum"]?.elements == [.null]
    }
}
