/// A model with those that inherit from it, before they are compiled: all that share a table.
struct ModelFamily {
    /// The model that the others inherit from, with what they declare after what it declares itself. What two of them
    /// declare alike is there once.
    let description: ModelDescription
    /// How many of the properties are the model's own.
    let ownCount: Int
    let submodels: [ModelFamily.Submodel]
    /// By property: the numbers of the models that declare it; 0 is the first.
    let declarers: [[Int]]

    struct Submodel {
        let description: ModelDescription
        /// By the submodel's own properties: where each stands among those of the family.
        let places: [Int]
    }

    /// The classes, by number.
    var classes: [ModelDescription] { [description] + submodels.map(\.description) }

    /// The properties of the model of a number, inherited ones first.
    func properties(of number: Int) -> [PropertyDescription] {
        let own = number == 0 ? [] : submodels[number - 1].places
        return description.properties.prefix(ownCount) + own.map { description.properties[$0] }
    }

    /// A property as the model of a number declares it, at its place in the family; the names may differ from one to the
    /// other.
    func property(_ index: Int, of number: Int) -> PropertyDescription {
        guard number > 0, let own = submodels[number - 1].places.firstIndex(of: index) else {
            return description.properties[index]
        }
        return submodels[number - 1].description.properties[own].moved(to: index)
    }

    /// The name of the model that declares a property.
    func declarer(of property: Int) -> String { classes[declarers[property].first ?? 0].name }
}

extension ModelFamily {
    /// - Parameter problems: gets what is wrong with who inherits from whom.
    static func families(of models: [ModelDescription], _ problems: inout [String]) -> [ModelFamily] {
        func model(_ type: any Model.Type) -> ModelDescription? {
            models.first { ObjectIdentifier($0.type) == ObjectIdentifier(type) }
        }
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
            return ModelFamily(root, submodels, &problems)
        }
    }

    /// - Parameter problems: gets what two submodels declare that one column can't be.
    init(_ root: ModelDescription, _ submodels: [ModelDescription], _ problems: inout [String]) {
        var properties = root.properties
        var declarers = properties.map { _ in [0] }
        var found: [Submodel] = []
        for (number, submodel) in submodels.enumerated() {
            var places: [Int] = []
            for property in submodel.properties {
                if let twin = properties.firstIndex(where: { $0.name == property.name }) {
                    if !properties[twin].isStored(like: property) {
                        problems.append(
                            "\(submodel.name) and \((([root] + submodels)[declarers[twin][0]]).name) would share the "
                                + "column of \"\(property.name)\", which they declare differently; rename one")
                    }
                    declarers[twin].append(number + 1)
                    places.append(twin)
                } else {
                    places.append(properties.count)
                    declarers.append([number + 1])
                    properties.append(property.moved(to: properties.count))
                }
            }
            found.append(Submodel(description: submodel, places: places))
        }
        self.init(
            description: ModelDescription(root, properties), ownCount: root.properties.count, submodels: found,
            declarers: declarers)
    }
}

extension PropertyDescription {
    /// Whether one column, or one list, can be both.
    fileprivate func isStored(like other: PropertyDescription) -> Bool {
        switch (kind, other.kind) {
        case (.attribute(let kind, let value, let options), .attribute(let kind2, let value2, let options2)):
            kind.columnType == kind2.columnType && kind.expectation == kind2.expectation && value() == value2()
                && isOptional == other.isOptional && options.access == options2.access
        case (.toOne(let type, let options), .toOne(let type2, let options2)),
            (.toMany(let type, let options), .toMany(let type2, let options2)):
            ObjectIdentifier(type) == ObjectIdentifier(type2) && options.inverse == options2.inverse
                && options.owns == options2.owns && options.merges == options2.merges
                && options.sentAs == options2.sentAs && options.onDelete == options2.onDelete
        default: false
        }
    }
}
