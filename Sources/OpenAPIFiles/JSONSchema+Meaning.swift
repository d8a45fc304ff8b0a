extension OpenAPIDescription {
    /// The schema that a chain of `$ref`s ends at; an empty one where it leads nowhere or in a circle.
    package func resolved(_ schema: JSONSchema) -> JSONSchema {
        var (schema, visited) = (schema, Set<JSONPointer>())
        while let reference = schema.reference {
            guard visited.insert(reference).inserted, let next = schemas[reference] else { return .anything }
            schema = next
        }
        return schema
    }

    /// The name of the component that a schema is: by `$ref`s, as the only alternative beside null, or as the only
    /// part of an `allOf`. It is `nil` for a schema that stands where it is used.
    package func componentName(of schema: JSONSchema) -> String? {
        var (schema, visited) = (schema, Set<JSONPointer>())
        while true {
            if let reference = schema.reference {
                if let name = reference.componentName, let target = schemas[reference] {
                    // A component that only leads to another, as an alias does.
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

    /// What a value is, seen through references and compositions.
    package func meaning(of schema: JSONSchema) -> JSONMeaning {
        var collector = MeaningCollector(description: self)
        collector.add(schema, isCertain: true)
        return collector.meaning
    }
}

extension JSONSchema {
    /// The schema of which nothing is known.
    package static let anything = JSONSchema()

    /// The schema that this one only stands for: the only alternative beside null, the only part.
    fileprivate var soleReference: JSONSchema? {
        if reference != nil { return self }
        guard properties.isEmpty, items == nil else { return nil }
        if allOf.count == 1, alternatives.isEmpty, allOf[0].reference != nil { return allOf[0] }
        if alternatives.count == 1, allOf.isEmpty, alternatives[0].reference != nil { return alternatives[0] }
        return nil
    }
}

/// What a value may be, as far as a program that reads it is concerned.
package struct JSONMeaning: Sendable {
    package struct Property: Sendable {
        package let name: String
        package let schema: JSONSchema
        /// Whether the value is there in each object, and not null.
        package var isRequired: Bool
    }

    /// `string`, `integer`, `number`, `boolean`, `array`, `object`; none where it may be anything.
    package var types: [String] = []
    package var isNullable = false
    package var format: String?
    /// The properties of all parts and alternatives, each once, in their order.
    package var properties: [Property] = []
    /// What an array has; `nil` where the parts say different things.
    package var items: JSONSchema?
    /// What members of other names are.
    package var others: JSONSchema?
    /// Whether there are no members of other names.
    package var isClosed = false
    package var enumeration: [DescriptionNode] = []
    package var about: String?
    package var isReadOnly = false
    package var isWriteOnly = false

    /// Whether it is an object whose members are known.
    package var isObject: Bool { types == ["object"] && !properties.isEmpty }
}

/// Adds the parts of a schema to each other.
private struct MeaningCollector {
    let description: OpenAPIDescription
    var meaning = JSONMeaning()
    private var visited: Set<JSONPointer> = []
    private var indexes: [String: Int] = [:]
    /// The schemas that were looked at: a composition of compositions may be huge.
    private var budget = 5_000

    init(description: OpenAPIDescription) { self.description = description }

    /// - Parameter isCertain: whether the value has this part; not so for one of several alternatives.
    mutating func add(_ schema: JSONSchema, isCertain: Bool) {
        budget -= 1
        guard budget > 0 else { return }
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
        for property in schema.properties { add(property, of: schema, isCertain: isCertain) }
        for part in schema.allOf { add(part, isCertain: isCertain) }
        if isCertain {
            for name in schema.required { indexes[name].map { meaning.properties[$0].isRequired = true } }
        }
        let isOnly = schema.alternatives.count == 1
        for alternative in schema.alternatives { add(alternative, isCertain: isCertain && isOnly) }
    }

    private mutating func add(_ property: JSONSchema.Property, of schema: JSONSchema, isCertain: Bool) {
        let isRequired = isCertain && schema.required.contains(property.name)
        if let index = indexes[property.name] {
            meaning.properties[index].isRequired = meaning.properties[index].isRequired || isRequired
        } else {
            indexes[property.name] = meaning.properties.count
            meaning.properties.append(
                JSONMeaning.Property(name: property.name, schema: property.schema, isRequired: isRequired))
        }
    }
}

extension JSONSchema {
    /// The types, where they aren't written those that the keywords or the values have.
    fileprivate var impliedTypes: [String] {
        if !types.isEmpty { return types }
        if !properties.isEmpty || others != nil { return ["object"] }
        if items != nil { return ["array"] }
        let kinds = Set(enumeration.map(\.kind))
        return kinds.count == 1 ? kinds.compactMap(\.self) : []
    }
}

extension DescriptionNode {
    /// The type of a value of an enumeration.
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
