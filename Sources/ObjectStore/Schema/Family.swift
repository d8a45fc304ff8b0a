/// The models that share a table, as one of them inherits from the other: which of them a row is says its discriminator.
///
/// The models are known by number: 0 is the one that the others inherit from, and what a row is whose discriminator says
/// nothing that any of them stands for.
package final class Family: Sendable {
    /// The property of the discriminator.
    package let discriminator: Int
    /// The place of the discriminator in ``ModelSchema/columns``.
    let column: Int
    /// By number: the values that stand for the model, the one that new objects have first.
    package let values: [[StoredValue]]
    private let numbers: [StoredValue: Int]
    /// By submodel: the indexes of the properties that it declares itself, in their order.
    private let places: [ObjectIdentifier: [Int]]

    init(discriminator: Int, column: Int, values: [[StoredValue]], places: [ObjectIdentifier: [Int]]) {
        self.discriminator = discriminator
        self.column = column
        self.values = values
        self.places = places
        numbers = Dictionary(
            values.enumerated().flatMap { number, values in values.map { ($0, number) } },
            uniquingKeysWith: { first, _ in first })
    }

    /// The number of the model that a discriminator stands for.
    func number(of value: StoredValue) -> Int { numbers[value] ?? 0 }

    /// Where the properties stand that a submodel declares itself.
    func places(of submodel: ObjectIdentifier) -> [Int] { places[submodel] ?? [] }
}

extension ModelSchema {
    /// The models of the family, by their numbers; this one alone where there is no family. To be asked of the first.
    package var models: [ModelSchema] { [self] + submodels }

    /// The model of that number; the first where there is none. To be asked of the first.
    package func model(_ number: Int) -> ModelSchema {
        number > 0 && number <= submodels.count ? submodels[number - 1] : self
    }

    /// What a row is. To be asked of the first model of the family.
    func model(of row: Snapshot) -> ModelSchema {
        guard let family else { return self }
        return model(family.number(of: row.value(family.discriminator)))
    }

    /// The index of a property that a class declares; -1 where the table does not have it.
    package func index(of property: PropertyDescription) -> Int {
        guard let submodel = property.submodel else { return property.index }
        let own = submodel == ObjectIdentifier(type) ? places : family?.places(of: submodel) ?? []
        return own.indices.contains(property.index) ? own[property.index] : -1
    }

    /// Whether the model has the property: it, or the one that it inherits from, declares it.
    func has(_ property: Int) -> Bool { family == nil || declared.contains { $0.index == property } }
}

extension Schema {
    /// A model by the index of its table and its number in the family.
    package func model(_ table: Int, _ number: Int) -> ModelSchema { tables[table].model(number) }

    /// The model that a relationship leads to; `nil` for an attribute.
    package func target(of property: Property) -> ModelSchema? {
        property.link.map { model($0.target, $0.submodel) } ?? property.list.map { model($0.target, $0.submodel) }
    }

    /// Every model with its submodels, in the order in which they were given but for these.
    package var models: [ModelSchema] { tables.flatMap(\.models) }
}
