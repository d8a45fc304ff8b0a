import Conventions
import JSONBytes

/// The models of a list whose elements say which model they are of.
package struct MixedTypes: Sendable {
    /// The reason why a list is unreadable.
    package enum Problem: Error, Equatable {
        /// Two models have the same name.
        case ambiguous(name: String, String, String)
        /// The key path is malformed.
        case noKeyPath(String)
    }

    /// The keys that lead to the name within an element.
    let path: [String]
    /// By name in lower case, its word breaks removed.
    private let models: [String: ExpectedModel]

    /// - Parameters:
    ///   - types: the models, each with names of its own beside those that follow from it.
    ///   - key: the key path of the name within an element.
    package init(_ types: [(model: ModelSchema, names: [String])], by key: String) throws(Problem) {
        guard let path = key.keyPathKeys, !path.contains("") else { throw .noKeyPath(key) }
        self.path = path
        var (models, owners): ([String: ExpectedModel], [String: String]) = ([:], [:])
        for (model, names) in types {
            let submodels = types.map(\.model).filter { $0.table == model.table && $0.submodel != model.submodel }
            for name in model.typeNames(besides: submodels) + names {
                let key = InboundNames.looseKey(for: name)
                if let other = owners.updateValue(model.modelName, forKey: key), other != model.modelName {
                    throw .ambiguous(name: name, other, model.modelName)
                }
                models[key] = ExpectedModel(table: model.table, submodel: model.submodel)
            }
        }
        // The name in a URL stands for a model, unless it is also another's name.
        for (model, _) in types {
            guard let key = model.baseURL?.collectionName.map(InboundNames.looseKey), models[key] == nil else {
                continue
            }
            models[key] = ExpectedModel(table: model.table, submodel: model.submodel)
        }
        self.models = models
    }

    func model(for name: String) -> ExpectedModel? { models[InboundNames.looseKey(for: name)] }
}

extension ModelSchema {
    /// The names by which a service may call the model: the values of its discriminator, its resource type, its own
    /// name in singular and plural.
    ///
    /// - Parameter submodels: models that inherit from it and have their values to themselves.
    fileprivate func typeNames(besides submodels: [ModelSchema]) -> [String] {
        var names = AttributeMapping.discriminatorValues(forModelNamed: modelName)
        if let type = options.resourceType { names.append(type) }
        guard let family else { return names }
        let others = submodels.filter { $0.submodel != .root }.flatMap { family.values(of: $0.submodel) }
        let values = submodel == .root ? family.allValues.filter { !others.contains($0) } : family.values(of: submodel)
        return names + values.compactMap(\.typeName)
    }
}

extension StoredValue {
    fileprivate var typeName: String? {
        switch self {
        case .text(let text): text
        case .integer(let number): "\(number)"
        default: nil
        }
    }
}

extension Importer {
    /// Reads an element of a list that mixes models. An element that names no model of the list is reported and left
    /// out.
    mutating func readMixed(_ reader: inout JSONReader, _ types: MixedTypes) throws {
        noteRootOfOtherModel()
        guard try reader.peekKind() == .object else {
            return reject(.notAnObject(found: try describeNext(&reader)), of: schema[request.table])
        }
        guard let name = try typeName(ofNext: reader, at: types.path[...]) else {
            let key = types.path.joined(separator: ".")
            reject(.noType(missing: key), of: schema[request.table])
            _ = try reader.skipValue()
            return
        }
        guard let expected = types.model(for: name) else {
            reject(.unknownType(found: name), of: schema[request.table])
            _ = try reader.skipValue()
            return
        }
        let plan = try plan(expected.table)
        if let row = try readObject(&reader, of: plan, expecting: expected.submodel),
            try isMember(row, of: plan, expecting: expected.submodel)
        {
            outcome.mixed.append(RecordID(table: expected.table, row: row))
        }
        memory.removeAll()
    }

    /// The text or number at a key path of the object that comes next; `nil` if there is none. `reader` is a copy.
    private func typeName(ofNext reader: JSONReader, at path: ArraySlice<String>) throws -> String? {
        var reader = reader
        guard let key = path.first else {
            switch try reader.peekKind() {
            case .string: return try reader.string(reader.readScalar())
            case .number:
                let fragment = try reader.skipValue()
                return describe(fragment, reader)
            default: return nil
            }
        }
        guard try reader.peekKind() == .object, try reader.enterObject() else { return nil }
        repeat {
            if try reader.isEqual(reader.readKey(), to: key) {
                return try typeName(ofNext: reader, at: path.dropFirst())
            }
            _ = try reader.skipValue()
        } while try reader.continueObject()
        return nil
    }
}
