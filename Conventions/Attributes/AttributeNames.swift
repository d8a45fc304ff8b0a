/// The JSON names of all properties of one model, both ways.
///
/// ```swift
/// let names = try AttributeNames(
///     of: "Issue", [DeclaredName("createdAt"), DeclaredName("headSHA", keyPath: "head.sha")], mapping: mapping)
/// names[0].path                        // ["created_at"]
/// names[1].path                        // ["head", "sha"]
/// names.inbound.match("createdAt")     // property 0, though its letter case is another
/// names.explanation(for: 0)            // "created_at": words joined with "_"
/// ```
///
/// It is made once, when a store opens, and never changes.
package struct AttributeNames: Sendable {
    /// The JSON name of one property.
    package struct Name: Hashable, Sendable {
        /// The property's name in Swift.
        package let swiftName: String

        /// The keys that lead to the value, from the outermost object inwards; never empty.
        package let path: [String]

        /// Whether the declaration says the name, rather than the mapping.
        package let isExplicit: Bool

        /// The rule that made the name.
        package let explanation: String

        /// The key path as text, with dots between the keys.
        package var keyPath: String {
            path.joined(separator: ".")
        }
    }

    /// The names, in the order of the declared properties.
    package let names: [Name]

    /// Which property an incoming key belongs to.
    package let inbound: InboundNames

    /// The property that each name belongs to.
    private let properties: [Int]

    /// Finds the names of a model's properties.
    ///
    /// - Parameters:
    ///   - model: The model's name, for errors.
    ///   - declared: The properties.
    ///   - properties: What each of them is called by number, here and in the answers of ``InboundNames``: its position
    ///     where nothing is said.
    ///   - mapping: What makes the names that are not explicit.
    /// - Throws: ``AttributeNamesError`` with every name that two or more properties claim and every malformed key
    ///   path, all together.
    package init(
        of model: String, _ declared: [DeclaredName], numbered properties: [Int]? = nil, mapping: AttributeMapping
    ) throws(AttributeNamesError) {
        let properties = properties ?? Array(declared.indices)
        let names = declared.map { Self.name(of: $0, mapping: mapping) }
        let malformed = declared.filter { $0.keyPath != nil && $0.explicitPath == nil }
        let collisions = Self.collisions(among: names)
        guard malformed.isEmpty, collisions.isEmpty else {
            throw AttributeNamesError(model: model, malformed: malformed, collisions: collisions)
        }
        self.names = names
        self.properties = properties
        self.inbound = InboundNames(names, properties)
    }

    /// The name of the property of that number.
    package subscript(property: Int) -> Name {
        names[properties.firstIndex(of: property) ?? property]
    }

    /// The JSON name of a property and the rule that made it, such as
    /// `"id": "id" ↔ "identifier" (default convention)`.
    package func explanation(for property: Int) -> String {
        "\"\(self[property].keyPath)\": \(self[property].explanation)"
    }

    /// Why an incoming key belongs to the property that it was matched with.
    ///
    /// - Parameter key: A key of the outermost object.
    /// - Returns: nil if the key belongs to no property.
    package func explanation(forIncomingKey key: String) -> String? {
        guard let match = inbound.match(key) else { return nil }
        let name = self[match.property]
        guard !match.isExact else { return explanation(for: match.property) }
        return """
            "\(key)": read into "\(name.swiftName)", for it differs from "\(name.keyPath)" only in word breaks or letter \
            case; to send it so, declare the property with @Attribute("\(key)")
            """
    }

    private static func name(of declared: DeclaredName, mapping: AttributeMapping) -> Name {
        if let path = declared.explicitPath {
            return Name(
                swiftName: declared.swiftName, path: path, isExplicit: true, explanation: "explicit in the declaration")
        }
        let derived = mapping.jsonName(forSwiftName: declared.swiftName)
        return Name(
            swiftName: declared.swiftName, path: [derived.name], isExplicit: false, explanation: derived.explanation)
    }

    /// The names that several properties have, in the order of the first property of each.
    private static func collisions(among names: [Name]) -> [AttributeNamesError.Collision] {
        let groups = Dictionary(grouping: names.indices) { names[$0].path }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }.map { positions in
            AttributeNamesError.Collision(
                keyPath: names[positions[0]].keyPath, properties: positions.map { names[$0] })
        }
    }
}
