/// A compiled relationship to one of several models.
///
/// The property itself is an attribute: the name of the model, as the server writes it. For each model there is a
/// hidden link. At most one of the links has a target. All of them are one fact: they are edited, sent, acknowledged
/// and dropped together, so that edits of two contexts never mix.
package struct Choice: Sendable {
    package let property: PropertyIndex
    /// In the order of the enum's cases.
    package let links: [PropertyIndex]
    /// The property and the links.
    package let members: [PropertyIndex]
    package let choices: ModelChoices
    /// Resolved by the API's conventions.
    package let options: RelationshipOptions
    /// Where the name of the model stands beside the identity: `["subject_type"]`.
    package let typePath: [String]
    /// Where the identity stands: `["subject_id"]`.
    package let identityPath: [String]

    init(
        _ property: PropertyIndex, links: [PropertyIndex], to choices: ModelChoices, with options: RelationshipOptions,
        typePath: [String], identityPath: [String]
    ) {
        (self.property, self.links, self.choices, self.options) = (property, links, choices, options)
        (self.typePath, self.identityPath) = (typePath, identityPath)
        members = [property] + links
    }

    /// Whether two values of the relationship are the same. The server may write a model's name in several ways.
    ///
    /// - Parameter values: of the property, then of the links.
    func isSame(_ values: [StoredValue], as others: [StoredValue]) -> Bool {
        guard values.count == members.count, others.count == members.count else { return false }
        return values.dropFirst() == others.dropFirst()
            && (values[0] == others[0] || values.dropFirst().contains { !$0.isNull })
    }

    /// The part of the relationship that a JSON key has.
    enum Role: Equatable {
        /// The object, or its identity.
        case object
        case identity
        case type
    }
}

extension ModelSchema {
    /// The relationship to one of several models that a property is, or that it is a hidden link of.
    @inline(__always)
    package func choice(with property: PropertyIndex) -> Choice? {
        choices.isEmpty ? nil : choiceNumbers[property.rawValue].map { choices[$0] }
    }

    /// Those of the model itself, rather than of another model in its table.
    var declaredChoices: [Choice] { choices.filter { has($0.property) } }

    /// The properties that are sent and acknowledged with a property: itself, and hidden links.
    package func facts(of property: Property) -> [Property] {
        property.choice.map { $0.members.map { self[$0] } } ?? [property]
    }

    /// The names of the properties that are one fact with the named ones, including these.
    func factNames(of names: Set<String>) -> Set<String> {
        choices.reduce(into: names) { names, choice in
            let members = choice.members.map { self[$0].name }
            if !names.isDisjoint(with: members) { names.formUnion(members) }
        }
    }

    /// The name by which a request calls the model, unless the server has used another one.
    package var sentTypeName: String { options.resourceType ?? modelName }
}
