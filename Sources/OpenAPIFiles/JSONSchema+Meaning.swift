extension OpenAPIDescription {
    /// Follows a chain of `$ref`s. A missing target or a cycle gives an empty schema.
    package func resolved(_ schema: JSONSchema) -> JSONSchema {
        var (schema, visited) = (schema, Set<JSONPointer>())
        while let reference = schema.reference {
            guard visited.insert(reference).inserted, let next = schemas[reference] else { return .anything }
            schema = next
        }
        return schema
    }

    /// The name of the component that a schema stands for: by `$ref`s, as the only alternative besides null, or as the
    /// only part of an `allOf`. nil for an inline schema.
    package func componentName(of schema: JSONSchema) -> String? {
        var (schema, visited) = (schema, Set<JSONPointer>())
        while true {
            if let reference = schema.reference {
                if let name = reference.componentName, let target = schemas[reference] {
                    // An alias of another component.
                    guard let next = target.soleReference, visited.insert(reference).inserted else { return name }
                    schema = next
                    continue
                }
                guard visited.insert(reference).inserted, let next = schemas[reference] else { return nil }
                schema = next
            } else {
                guard let next = schema.soleReference else { return nil }
                schema = next
            }
        }
    }

    /// Combines all references and compositions.
    package func meaning(of schema: JSONSchema) -> JSONMeaning {
        var collector = MeaningCollector(description: self)
        collector.add(schema, isCertain: true)
        return collector.result
    }
}

extension JSONSchema {
    package static let anything = JSONSchema()

    /// A `$ref`, the only alternative besides null, or the only part.
    fileprivate var soleReference: JSONSchema? {
        if reference != nil { return self }
        guard properties.isEmpty, items == nil else { return nil }
        if allOf.count == 1, alternatives.isEmpty, allOf[0].reference != nil { return allOf[0] }
        if alternatives.count == 1, allOf.isEmpty, alternatives[0].reference != nil { return alternatives[0] }
        return nil
    }
}

/// The possible values, for a program that reads them.
package struct JSONMeaning: Sendable {
    package struct Property: Sendable {
        package let name: String
        package let schema: JSONSchema
        package var isRequired: Bool
    }

    /// `string`, `integer`, `number`, `boolean`, `array`, `object`; empty for any type.
    package var types: [String] = []
    package var isNullable = false
    package var format: String?
    /// Of all parts and alternatives, each once, in order.
    package var properties: [Property] = []
    /// The first one, if parts differ.
    package var items: JSONSchema?
    package var others: JSONSchema?
    package var isClosed = false
    package var enumeration: [DescriptionNode] = []
    package var about: String?
    package var isReadOnly = false
    package var isWriteOnly = false

    package var isObject: Bool { types == ["object"] && !properties.isEmpty }
}

private struct MeaningCollector {
    let description: OpenAPIDescription
    var meaning = JSONMeaning()
    private var visited: Set<JSONPointer> = []
    private var names: Set<String> = []
    /// A part may require properties of another one.
    private var required: Set<String> = []
    /// The remaining number of schemas, since nested compositions can be huge.
    private var budget = 5_000
    /// Each level takes stack, so deeper schemas count as any value.
    private var depth = 0

    init(description: OpenAPIDescription) { self.description = description }

    var result: JSONMeaning {
        var result = meaning
        for index in result.properties.indices {
            result.properties[index].isRequired = required.contains(result.properties[index].name)
        }
        return result
    }

    /// - Parameter isCertain: false for one of several alternatives.
    mutating func add(_ schema: JSONSchema, isCertain: Bool) {
        budget -= 1
        guard budget > 0, depth < DescriptionNode.maximumDepth else { return }
        depth += 1
        defer { depth -= 1 }
        meaning.about = meaning.about ?? schema.about
        meaning.isNullable = meaning.isNullable || schema.isNullable
        meaning.isReadOnly = meaning.isReadOnly || schema.isReadOnly
        meaning.isWriteOnly = meaning.isWriteOnly || schema.isWriteOnly
        if let reference = schema.reference {
            guard visited.insert(reference).inserted, let target = description.schemas[reference] else { return }
            add(target, isCertain: isCertain)
            visited.remove(reference)
            return
        }
        for type in schema.impliedTypes where !meaning.types.contains(type) { meaning.types.append(type) }
        meaning.format = meaning.format ?? schema.format
        meaning.items = meaning.items ?? schema.items
        meaning.others = meaning.others ?? schema.others
        meaning.isClosed = meaning.isClosed || schema.isClosed
        if meaning.enumeration.isEmpty { meaning.enumeration = schema.enumeration }
        for property in schema.properties where names.insert(property.name).inserted {
            meaning.properties.append(
                JSONMeaning.Property(name: property.name, schema: property.schema, isRequired: false))
        }
        for part in schema.allOf { add(part, isCertain: isCertain) }
        if isCertain { required.formUnion(schema.required) }
        let isOnly = schema.alternatives.count == 1
        for alternative in schema.alternatives { add(alternative, isCertain: isCertain && isOnly) }
    }
}

extension JSONSchema {
    /// Keywords or values imply the types if they are undeclared.
    fileprivate var impliedTypes: [String] {
        if !types.isEmpty { return types }
        if !properties.isEmpty || others != nil { return ["object"] }
        if items != nil { return ["array"] }
        let kinds = Set(enumeration.map(\.kind))
        return kinds.count == 1 ? kinds.compactMap(\.self) : []
    }
}

extension DescriptionNode {
    fileprivate var kind: String? {
        switch self {
        case .string: "string"
        case .number(let text): text.contains { ".eE".contains($0) } ? "number" : "integer"
        case .bool: "boolean"
        case .array: "array"
        case .object: "object"
        case .null: nil
        }
    }
}
