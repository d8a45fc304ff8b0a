import Conventions

struct ExpectedModel: Sendable {
    let table: TableID
    /// The root stands for any model of the table.
    let submodel: SubmodelIndex
}

/// The models of JSON objects that name their model, in a list or as a relationship's targets.
package struct MixedTypes: Sendable {
    package enum Problem: Error, Equatable {
        case ambiguous(name: String, String, String)
        case noKeyPath(String)

        package var text: String {
            switch self {
            case .ambiguous(let name, let one, let other):
                "\(one) and \(other) are both called \"\(name)\" where JSON mixes them; give one another resourceType"
            case .noKeyPath(let text): "\"\(text)\" is no key path, as in \"meta.type\""
            }
        }
    }

    /// The path of the model's name.
    let path: [String]
    /// By name, in lower case without word breaks.
    private let models: [String: ExpectedModel]

    /// - Parameters:
    ///   - types: models with further names.
    ///   - key: the key path of the name.
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
        // Names in URLs count, too, unless they are another model's.
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
    /// The discriminators, resource type, and singular and plural of the model's name.
    ///
    /// - Parameter submodels: have discriminators to themselves.
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
