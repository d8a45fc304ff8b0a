import Conventions

/// Where each part of a response type stands, by the conventions of one schema.
package final class ResponsePlan: Sendable {
    struct Part: Sendable {
        enum Kind: Sendable {
            case value(Property)
            case object(ModelPlace)
            case list(ModelPlace)
            /// Plans by their place among ``ResponsePlan/plans``.
            case body(plan: Int)
            case bodies(plan: Int)
        }

        let name: String
        let kind: Kind
    }

    /// Which models a part takes: those of a table, or one of them only, by its number; 0 is any.
    struct ModelPlace: Sendable {
        let table: Int
        let model: Int
    }

    /// A place in the JSON: the parts that are taken from its value, and what is within it.
    struct Node: Sendable {
        var parts: [Int] = []
        var children: [String: Node] = [:]
        var isEmpty: Bool { parts.isEmpty && children.isEmpty }
    }

    /// One response type: the first is the body itself, the others are types within it.
    struct Body: Sendable {
        var name = ""
        var parts: [Part] = []
        var root = Node()
        /// Which part a key belongs to that differs from its name in word breaks or letter case only.
        var names: InboundNames?
        /// By the place among the declared names: the part.
        var named: [Int] = []

        func part(loosely key: String) -> Int? { names?.match(key).map { named[$0.property] } }
    }

    let bodies: [Body]

    /// - Throws: ``StoreError/models(_:)`` with all problems of the declarations.
    package init(_ type: any ResponseBody.Type, _ schema: Schema) throws(StoreError) {
        var compiler = ResponsePlanCompiler(schema)
        compiler.compile(type)
        guard compiler.problems.isEmpty else { throw .models(compiler.problems) }
        bodies = compiler.bodies
    }
}

/// Makes the plan of a response type and of those within it.
private struct ResponsePlanCompiler {
    let schema: Schema
    let mapping: AttributeMapping
    var bodies: [ResponsePlan.Body] = []
    var problems: [String] = []
    private var places: [ObjectIdentifier: Int] = [:]

    init(_ schema: Schema) {
        self.schema = schema
        mapping = AttributeMapping(schema.conventions)
    }

    /// - Returns: the plan's place; a type that contains itself finds the place that it has already.
    @discardableResult
    mutating func compile(_ type: any ResponseBody.Type) -> Int {
        if let place = places[ObjectIdentifier(type)] { return place }
        let place = bodies.count
        places[ObjectIdentifier(type)] = place
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
            for (place, part) in body.named.enumerated() { body.root.add(part, at: names[place].path[...]) }
            body.names = names.inbound
        } catch {
            problems.append("\(error)")
        }
        bodies[place] = body
        return place
    }

    private mutating func kind(of part: ResponsePartDescription, in name: String) -> ResponsePlan.Part.Kind {
        switch part.kind {
        case .value(let property): return .value(value(property, in: name))
        case .object(let model): return .object(place(of: model, part, name))
        case .list(let model): return .list(place(of: model, part, name))
        case .body(let type): return .body(plan: compile(type))
        case .bodies(let type): return .bodies(plan: compile(type))
        }
    }

    private mutating func value(_ property: PropertyDescription, in name: String) -> Property {
        var format = WireFormat()
        if case .attribute(let kind, _, let options) = property.kind {
            let (compiled, found) = WireFormat.compile(property, kind, options, schema.values)
            format = compiled
            problems += found.map { "\(name).\(property.name) \($0)" }
        }
        return Property(
            index: property.index, name: property.name, jsonPath: [property.name], kind: property.attributeKind,
            isOptional: property.isOptional, format: format, column: nil)
    }

    private mutating func place(
        of model: any Model.Type, _ part: ResponsePartDescription, _ name: String
    ) -> ResponsePlan.ModelPlace {
        if let table = schema.table(for: model) {
            if table.isEmbedded {
                problems.append(
                    "\(name).\(part.name) takes \(model), which is embedded: take the model that leads to it")
            }
            return ResponsePlan.ModelPlace(table: table.index, model: table.number)
        }
        problems.append("\(name).\(part.name) takes \(model), which is not among the store's models")
        return ResponsePlan.ModelPlace(table: 0, model: 0)
    }
}

extension PropertyDescription {
    /// What an attribute has where no value is known; null for a relationship.
    var defaultValue: StoredValue { if case .attribute(_, let value, _) = kind { value() } else { .null } }

    /// The same for a schema. Parts that are values are declared as attributes.
    fileprivate var attributeKind: Property.Kind {
        guard case .attribute(let kind, let value, let options) = kind else {
            return .attribute(.json { _ in false }, default: { .null }, options: AttributeOptions())
        }
        return .attribute(kind, default: value, options: options)
    }
}

extension ResponsePlan.Node {
    fileprivate mutating func add(_ part: Int, at path: ArraySlice<String>) {
        guard let key = path.first else {
            parts.append(part)
            return
        }
        children[key, default: ResponsePlan.Node()].add(part, at: path.dropFirst())
    }
}
