import Conventions

package final class ResponsePlan: Sendable {
    struct Part: Sendable {
        enum Kind: Sendable {
            case value(Property)
            case object(ExpectedModel)
            case list(ExpectedModel)
            /// Objects of several models.
            case mixed(MixedTypes, isList: Bool)
            /// Another response type, by index in ``ResponsePlan/bodies``.
            case body(Int)
            case bodies(Int)
        }

        let name: String
        let kind: Kind
    }

    /// A value in the JSON, with the parts that take it.
    struct Node: Sendable {
        var parts: [Int] = []
        var children: [String: Node] = [:]

        fileprivate mutating func add(_ part: Int, at path: ArraySlice<String>) {
            guard let key = path.first else {
                parts.append(part)
                return
            }
            children[key, default: Node()].add(part, at: path.dropFirst())
        }
    }

    /// A response type. The first one is the whole body.
    struct Body: Sendable {
        var name = ""
        var parts: [Part] = []
        var root = Node()
        /// Finds parts by loosely spelled keys.
        var names: InboundNames?
        /// Parts in the order of `names`.
        var named: [Int] = []

        func part(loosely key: String) -> Int? { names?.match(key).map { named[$0.property] } }
    }

    let bodies: [Body]

    /// - Throws: ``StoreError/models(_:)`` with all problems of the declarations.
    package init(_ type: any ResponseBody.Type, _ schema: Schema) throws(StoreError) {
        let description = type.responseDescription
        let style: SchemaStyle
        switch schema.api(named: description.api) {
        case .success(let api): style = schema.styles[api.rawValue]
        case .failure(let mistake): throw .models([mistake.text(of: description.name)])
        }
        var compiler = ResponsePlanCompiler(schema, style)
        compiler.compile(type)
        guard compiler.problems.isEmpty else { throw .models(compiler.problems) }
        bodies = compiler.bodies
    }
}

private struct ResponsePlanCompiler {
    let schema: Schema
    let style: SchemaStyle
    let mapping: AttributeMapping
    var bodies: [ResponsePlan.Body] = []
    var problems: [String] = []
    private var indexes: [ObjectIdentifier: Int] = [:]

    init(_ schema: Schema, _ style: SchemaStyle) {
        (self.schema, self.style) = (schema, style)
        mapping = AttributeMapping(style.names)
    }

    /// - Returns: the index in ``bodies``. A type that contains itself gets its existing index.
    @discardableResult
    mutating func compile(_ type: any ResponseBody.Type) -> Int {
        if let index = indexes[ObjectIdentifier(type)] { return index }
        let index = bodies.count
        indexes[ObjectIdentifier(type)] = index
        bodies.append(ResponsePlan.Body())
        let description = type.responseDescription
        var body = ResponsePlan.Body(name: description.name)
        for part in description.parts {
            body.parts.append(ResponsePlan.Part(name: part.name, kind: kind(of: part, in: description.name)))
        }
        body.root.parts = description.parts.indices.filter { description.parts[$0].isRoot }
        body.named = description.parts.indices.filter { !description.parts[$0].isRoot }
        do {
            let declared = body.named.map {
                DeclaredName(description.parts[$0].name, keyPath: description.parts[$0].json)
            }
            let names = try AttributeNames(of: description.name, declared, mapping: mapping)
            for (n, part) in body.named.enumerated() { body.root.add(part, at: names[n].path[...]) }
            body.names = names.inbound
        } catch {
            problems.append("\(error)")
        }
        bodies[index] = body
        return index
    }

    private mutating func kind(of part: ResponsePartDescription, in name: String) -> ResponsePlan.Part.Kind {
        switch part.kind {
        case .value(let property): return .value(value(property, in: name))
        case .object(let model): return .object(expected(model, by: part, in: name))
        case .list(let model): return .list(expected(model, by: part, in: name))
        case .mixed(let choices, let isList):
            return mixed(choices, by: part, in: name).map { .mixed($0, isList: isList) }
                ?? .list(ExpectedModel(table: .unknown, submodel: .root))
        case .body(let type): return .body(compile(type))
        case .bodies(let type): return .bodies(compile(type))
        }
    }

    private mutating func value(_ property: PropertyDescription, in name: String) -> Property {
        let (format, found) = WireFormat.compile(property, for: style.values)
        problems += found.map { "\(name).\(property.name) \($0)" }
        return Property(
            index: PropertyIndex(property.index), name: property.name, jsonPath: [property.name],
            kind: property.attributeKind, isOptional: property.isOptional, format: format, column: nil)
    }

    /// Nil, and reported, if a model is unknown, or two look alike in JSON.
    private mutating func mixed(
        _ choices: ModelChoices, by part: ResponsePartDescription, in name: String
    ) -> MixedTypes? {
        let count = problems.count
        for (_, type) in choices.types { _ = expected(type, by: part, in: name) }
        guard problems.count == count else { return nil }
        do {
            let models = choices.types.compactMap { element in
                schema.model(for: element.type).map { (model: $0, names: [element.name]) }
            }
            return try MixedTypes(models, by: choices.key)
        } catch {
            problems.append("\(name).\(part.name): \(error.text)")
            return nil
        }
    }

    private mutating func expected(
        _ type: any Model.Type, by part: ResponsePartDescription, in name: String
    ) -> ExpectedModel {
        guard let model = schema.model(for: type) else {
            problems.append("\(name).\(part.name) takes \(type), which is not among the store's models")
            return ExpectedModel(table: .unknown, submodel: .root)
        }
        if model.isEmbedded {
            problems.append(
                "\(name).\(part.name) takes \(type), which is embedded: take the model that leads to it")
        }
        return ExpectedModel(table: model.table, submodel: model.submodel)
    }
}

extension PropertyDescription {
    var defaultValue: StoredValue { if case .attribute(_, let value, _) = kind { value() } else { .null } }

    /// Parts with values are declared as attributes.
    fileprivate var attributeKind: Property.Kind {
        guard case .attribute(let kind, let value, let options) = kind else {
            return .attribute(.json { _ in false }, default: { .null }, options: AttributeOptions())
        }
        return .attribute(kind, default: value, options: options)
    }
}

/// The read parts, by index. Missing parts have no value.
package struct ResponseRecord: Sendable {
    var values: [Int: StoredValue] = [:]
    /// One row, or a list's rows.
    var objects: [Int: [RowID]] = [:]
    var mixed: [Int: [RecordID]] = [:]
    var bodies: [Int: [ResponseRecord]] = [:]

    func has(_ part: Int) -> Bool {
        values[part] != nil || objects[part] != nil || mixed[part] != nil || bodies[part] != nil
    }
}
