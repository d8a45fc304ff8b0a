/// A compiled relationship to one of several models.
///
/// The property itself is an attribute, the model's name as the server writes it. Each model has a hidden link, and at
/// most one leads to a target. All are edited, sent and dropped as one fact, so that edits of two contexts never mix.
package struct Choice: Sendable {
    package let property: PropertyIndex
    /// The hidden links, in the order of the enum's cases.
    package let links: [PropertyIndex]
    package let members: [PropertyIndex]
    package let choices: ModelChoices
    /// Resolved by the API's conventions.
    package let options: RelationshipOptions
    /// The model's name: `["subject_type"]`.
    package let typePath: [String]
    /// The identity: `["subject_id"]`.
    package let identityPath: [String]

    init(
        _ property: PropertyIndex, links: [PropertyIndex], to choices: ModelChoices, with options: RelationshipOptions,
        typePath: [String], identityPath: [String]
    ) {
        (self.property, self.links, self.choices, self.options) = (property, links, choices, options)
        (self.typePath, self.identityPath) = (typePath, identityPath)
        members = [property] + links
    }

    /// Names count only if all links are nil, since servers may write a name in several ways.
    ///
    /// - Parameter values: of the property, then of the links.
    func isSame(_ values: [StoredValue], as others: [StoredValue]) -> Bool {
        guard values.count == members.count, others.count == members.count else { return false }
        return values.dropFirst() == others.dropFirst()
            && (values[0] == others[0] || values.dropFirst().contains { !$0.isNull })
    }

    enum Role: Equatable {
        /// An object or identity.
        case object
        case identity
        case type
    }
}

extension ModelSchema {
    /// Also for a choice's hidden links.
    @inline(__always)
    package func choice(with property: PropertyIndex) -> Choice? {
        choices.isEmpty ? nil : choiceNumbers[property.rawValue].map { choices[$0] }
    }

    /// The model's own or inherited choices.
    var declaredChoices: [Choice] { choices.filter { has($0.property) } }

    /// Properties sent and acknowledged together: this one, and hidden links.
    package func facts(of property: Property) -> [Property] {
        property.choice.map { $0.members.map { self[$0] } } ?? [property]
    }

    /// Adds the other members of named choices.
    func factNames(of names: Set<String>) -> Set<String> {
        choices.reduce(into: names) { names, choice in
            let members = choice.members.map { self[$0].name }
            if !names.isDisjoint(with: members) { names.formUnion(members) }
        }
    }

    /// The model's name in requests, unless the server has used another.
    package var sentTypeName: String { options.resourceType ?? modelName }
}
