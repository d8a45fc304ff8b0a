/// The models that share a table, as one of them inherits from the other: the discriminator of a row says which of
/// them it is.
///
/// A row whose discriminator stands for none of them is the root model's.
package final class Family: Sendable {
    /// The property of the discriminator.
    package let discriminator: PropertyIndex
    /// The column of the discriminator.
    let column: ColumnIndex
    /// By ``SubmodelIndex``: the values that stand for the model, the one that new objects have first.
    private let values: [[StoredValue]]
    private let submodels: [StoredValue: SubmodelIndex]
    /// By class: the properties that a submodel declares itself, in their order.
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

    /// The model that a discriminator stands for.
    func submodel(of value: StoredValue) -> SubmodelIndex { submodels[value] ?? .root }

    /// The values of the discriminator that stand for a model.
    package func values(of submodel: SubmodelIndex) -> [StoredValue] { values[submodel.rawValue] }

    /// The values that stand for any of the models.
    package var allValues: [StoredValue] { values.flatMap(\.self) }

    /// The properties that a submodel declares itself.
    func ownProperties(of submodel: ObjectIdentifier) -> [PropertyIndex] { ownProperties[submodel] ?? [] }
}

extension ModelSchema {
    /// The models of the family, by ``SubmodelIndex``; this one alone when there is no family. To be asked of the root.
    package var models: [ModelSchema] { [self] + submodels }

    /// The model of that index; the root when there is none. To be asked of the root.
    package func model(_ submodel: SubmodelIndex) -> ModelSchema {
        !submodel.isRoot && submodel.rawValue <= submodels.count ? submodels[submodel.rawValue - 1] : self
    }

    /// The index of a property that a class declares; `nil` when the table doesn't have it.
    package func index(of property: PropertyDescription) -> PropertyIndex? {
        guard let submodel = property.submodel else { return PropertyIndex(property.index) }
        let own = submodel == ObjectIdentifier(type) ? ownProperties : family?.ownProperties(of: submodel) ?? []
        return own.indices.contains(property.index) ? own[property.index] : nil
    }

    /// Whether the model has the property: it, or the one that it inherits from, declares it.
    func has(_ property: PropertyIndex) -> Bool { family == nil || declared.contains { $0.index == property } }
}
