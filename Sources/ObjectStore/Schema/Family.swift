/// The models that share a table. A row's discriminator selects its model; an unknown one means the root.
package final class Family: Sendable {
    package let discriminator: PropertyIndex
    let column: ColumnIndex
    /// Discriminators, by ``SubmodelIndex``. New objects have the first one.
    private let values: [[StoredValue]]
    private let submodels: [StoredValue: SubmodelIndex]
    /// Declared properties, by submodel's class.
    private let ownProperties: [ObjectIdentifier: [PropertyIndex]]

    init(
        discriminator: PropertyIndex, column: ColumnIndex, values: [[StoredValue]],
        ownProperties: [ObjectIdentifier: [PropertyIndex]]
    ) {
        self.discriminator = discriminator
        self.column = column
        self.values = values
        self.ownProperties = ownProperties
        submodels = Dictionary(
            values.enumerated().flatMap { index, values in values.map { ($0, SubmodelIndex(index)) } },
            uniquingKeysWith: { first, _ in first })
    }

    func submodel(of value: StoredValue) -> SubmodelIndex { submodels[value] ?? .root }

    package func values(of submodel: SubmodelIndex) -> [StoredValue] { values[submodel.rawValue] }

    package var allValues: [StoredValue] { values.flatMap(\.self) }

    func ownProperties(of submodel: ObjectIdentifier) -> [PropertyIndex] { ownProperties[submodel] ?? [] }
}

extension ModelSchema {
    /// The table's models, by ``SubmodelIndex``. Call it on the root.
    package var models: [ModelSchema] { [self] + submodels }

    /// Returns the root for an unknown index. Call it on the root.
    package func model(_ submodel: SubmodelIndex) -> ModelSchema {
        !submodel.isRoot && submodel.rawValue <= submodels.count ? submodels[submodel.rawValue - 1] : self
    }

    /// Nil if the table lacks the property.
    package func index(of property: PropertyDescription) -> PropertyIndex? {
        guard let submodel = property.submodel else { return PropertyIndex(property.index) }
        let own = submodel == ObjectIdentifier(type) ? ownProperties : family?.ownProperties(of: submodel) ?? []
        return own.indices.contains(property.index) ? own[property.index] : nil
    }

    func has(_ property: PropertyIndex) -> Bool {
        if family == nil { return true }
        let property = choice(with: property)?.property ?? property
        return declared.contains { $0.index == property }
    }
}
