/// The JSON names of a model's properties, in both directions.
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
/// It is created once, when a store opens, and is immutable.
package struct AttributeNames: Sendable {
    package struct Name: Hashable, Sendable {
        package let swiftName: String

        /// The keys of the value, from the outermost object inwards; at least one.
        package let path: [String]

        package let isExplicit: Bool

        package let explanation: String

        package var keyPath: String {
            path.joined(separator: ".")
        }
    }

    /// In the order of the declared properties.
    package let names: [Name]

    package let inbound: InboundNames

    /// The property's index for each name.
    private let properties: [Int]

    /// Derives the names of a model's properties.
    ///
    /// - Parameters:
    ///   - model: The model's name, for errors.
    ///   - declared: The properties.
    ///   - properties: The index of each property, here and in matches of ``InboundNames``; nil to use its index in
    ///     `declared`.
    ///   - mapping: Derives the names that have no explicit one.
    /// - Throws: ``AttributeNamesError`` with all names that several properties claim, and all malformed key paths.
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

    package subscript(property: Int) -> Name {
        names[properties.firstIndex(of: property) ?? property]
    }

    /// The JSON name of a property and its rule, such as `"id": "id" ↔ "identifier" (default convention)`.
    package func explanation(for property: Int) -> String {
        "\"\(self[property].keyPath)\": \(self[property].explanation)"
    }

    /// Explains why an incoming key belongs to its property.
    ///
    /// - Parameter key: A key of the outermost object.
    /// - Returns: nil if the key belongs to no property.
    package func explanation(forIncomingKey key: String) -> String? {
        guard let match = inbound.match(key) else { return nil }
        let name = self[match.property]
        guard !match.isExact else { return explanation(for: match.property) }
        return """
            "\(key)": read into "\(name.swiftName)", for it differs from "\(name.keyPath)" only in word breaks or letter \
            case; it goes out so once it has come, and before that where the property is declared @Attribute("\(key)")
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

    /// Sorted by their first property.
    private static func collisions(among names: [Name]) -> [AttributeNamesError.Collision] {
        let groups = Dictionary(grouping: names.indices) { names[$0].path }
        return groups.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }.map { positions in
            AttributeNamesError.Collision(
                keyPath: names[positions[0]].keyPath, properties: positions.map { names[$0] })
        }
    }
}

package struct DeclaredName: Hashable, Sendable {
    package let swiftName: String

    /// The explicit JSON name or key path, such as `description` or `head.sha`; nil if the declaration has none.
    ///
    /// Dots separate the keys of nested objects. A dot inside a key is written `\.`, a backslash `\\`.
    package let keyPath: String?

    package init(_ swiftName: String, keyPath: String? = nil) {
        self.swiftName = swiftName
        self.keyPath = keyPath
    }

    /// The keys of the explicit key path, if it has one and all keys are nonempty.
    var explicitPath: [String]? {
        guard let keys = keyPath?.keyPathKeys, !keys.contains("") else { return nil }
        return keys
    }
}

extension String {
    /// The keys of a key path; `nil` if it ends in an unfinished escape.
    ///
    /// Dots separate the keys of nested objects. A dot inside a key is written `\.`, a backslash `\\`.
    package var keyPathKeys: [String]? {
        var keys = [""]
        var isEscaped = false
        for character in self {
            switch character {
            case _ where isEscaped:
                isEscaped = false
                keys[keys.count - 1].append(character)
            case "\\": isEscaped = true
            case ".": keys.append("")
            default: keys[keys.count - 1].append(character)
            }
        }
        return isEscaped ? nil : keys
    }
}

/// All errors in the names of a model's properties, so that you can fix them together.
package struct AttributeNamesError: Error, Hashable, Sendable {
    package struct Collision: Hashable, Sendable {
        package let keyPath: String

        /// The properties in the order of their declarations, each with the rule that made its name.
        package let properties: [AttributeNames.Name]
    }

    package let model: String

    /// The properties with an explicit key path that has an empty key or ends in a backslash.
    package let malformed: [DeclaredName]

    package let collisions: [Collision]
}

extension AttributeNamesError: CustomStringConvertible {
    package var description: String {
        let malformedLines = malformed.map { declared in
            """
            \(model).\(declared.swiftName): the JSON name "\(declared.keyPath ?? "")" has an empty key; write keys with \
            dots between them, as in "owner.login", and a dot within a key as "\\."
            """
        }
        let collisionLines = collisions.map { collision in
            let claims = collision.properties.map { "\($0.swiftName) (\($0.explanation))" }
            return """
                \(model): the JSON name "\(collision.keyPath)" is claimed by \(claims.joined(separator: " and ")); give \
                all but one of them another name with @Attribute("…")
                """
        }
        return (malformedLines + collisionLines).joined(separator: "\n")
    }
}
