/// The models that share a table, before compilation.
struct ModelFamily {
    /// The root, with its properties, then its submodels'. A property of several models is there once.
    let description: ModelDescription
    let ownCount: Int
    let submodels: [ModelFamily.Submodel]
    /// The models that declare each property.
    let declarers: [[SubmodelIndex]]

    struct Submodel {
        let description: ModelDescription
        /// Indexes into the family's properties.
        let ownProperties: [PropertyIndex]
    }

    /// The models, by ``SubmodelIndex``.
    var classes: [ModelDescription] { [description] + submodels.map(\.description) }

    /// Empty for the root.
    func ownProperties(of submodel: SubmodelIndex) -> [PropertyIndex] {
        submodel.isRoot ? [] : submodels[submodel.rawValue - 1].ownProperties
    }

    /// Inherited properties come first.
    func properties(of submodel: SubmodelIndex) -> [PropertyDescription] {
        description.properties.prefix(ownCount)
            + ownProperties(of: submodel).map { description.properties[$0.rawValue] }
    }

    /// The model's own declaration, with its index in the family. Models may use different JSON names.
    func property(_ index: PropertyIndex, of submodel: SubmodelIndex) -> PropertyDescription {
        guard let own = ownProperties(of: submodel).firstIndex(of: index) else {
            return description.properties[index.rawValue]
        }
        return submodels[submodel.rawValue - 1].description.properties[own].moved(to: index.rawValue)
    }

    func declarer(of property: PropertyIndex) -> String {
        classes[declarers[property.rawValue].first?.rawValue ?? 0].name
    }
}

extension ModelFamily {
    static func families(of models: [ModelDescription], _ problems: inout [String]) -> [ModelFamily] {
        func model(_ type: any Model.Type) -> ModelDescription? {
            models.first { ObjectIdentifier($0.type) == ObjectIdentifier(type) }
        }
        problems += models.compactMap(\.superclassProblem)
        for submodel in models {
            guard let parent = submodel.options.parent else { continue }
            if let root = parent.modelDescription.options.parent {
                problems.append(
                    "\(submodel.name) inherits from \(parent), which inherits from \(root) itself; inheritance of models is "
                        + "one level deep, so inherit from \(root)")
            } else if model(parent) == nil {
                problems.append("\(submodel.name) inherits from \(parent), which is not among the store's models")
            }
        }
        return models.filter { $0.options.parent == nil }.map { root in
            let submodels = models.filter {
                $0.options.parent.map(ObjectIdentifier.init) == ObjectIdentifier(root.type)
            }
            return ModelFamily(root, with: submodels, &problems)
        }
    }

    /// - Parameter problems: receives contradictory declarations of one property.
    init(_ root: ModelDescription, with submodels: [ModelDescription], _ problems: inout [String]) {
        var properties = root.properties
        var declarers = properties.map { _ in [SubmodelIndex.root] }
        var found: [Submodel] = []
        for (number, submodel) in submodels.enumerated() {
            let index = SubmodelIndex(number + 1)
            var ownProperties: [PropertyIndex] = []
            for property in submodel.properties {
                if let known = properties.firstIndex(where: { $0.name == property.name }) {
                    if !properties[known].isStored(like: property) {
                        problems.append(
                            "\(submodel.name) and \((([root] + submodels)[declarers[known][0].rawValue]).name) would share the "
                                + "column of \"\(property.name)\", which they declare differently; rename one")
                    }
                    declarers[known].append(index)
                    ownProperties.append(PropertyIndex(known))
                } else {
                    ownProperties.append(PropertyIndex(properties.count))
                    declarers.append([index])
                    properties.append(property.moved(to: properties.count))
                }
            }
            found.append(Submodel(description: submodel, ownProperties: ownProperties))
        }
        self.init(
            description: ModelDescription(root, properties), ownCount: root.properties.count, submodels: found,
            declarers: declarers)
    }
}

extension ModelDescription {
    /// The properties of another superclass would be lost.
    fileprivate var superclassProblem: String? {
        guard let parent = _getSuperclass(type), !(parent is any Model.Type) else { return nil }
        return
            "\(name) inherits from \(parent), which is no model: what \(parent) declares is neither stored nor sent. Declare "
            + "its properties in \(name); or make \(parent) a @Model with a `discriminator:`, and say "
            + "@Model(inherits: \(parent).self)"
    }
}

extension PropertyDescription {
    /// Whether one column or list fits both.
    fileprivate func isStored(like other: PropertyDescription) -> Bool {
        switch (kind, other.kind) {
        case (.attribute(let kind, let value, let options), .attribute(let kind2, let value2, let options2)):
            kind.columnType == kind2.columnType && kind.expectation == kind2.expectation && value() == value2()
                && isOptional == other.isOptional && options.access == options2.access
                && options.searchable == options2.searchable
        case (.toOne(let type, let options), .toOne(let type2, let options2)),
            (.toMany(let type, let options), .toMany(let type2, let options2)):
            ObjectIdentifier(type) == ObjectIdentifier(type2) && options.inverse == options2.inverse
                && options.owns == options2.owns && options.merges == options2.merges
                && options.sentAs == options2.sentAs && options.onDelete == options2.onDelete
        default: false
        }
    }
}
