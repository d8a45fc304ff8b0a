/// Which property an incoming JSON key belongs to: a plain table, for others to compile into the form they need.
///
/// A key that is a property's name belongs to that property. Any other key belongs to the property from whose name it
/// differs only in word breaks and letter case, if there is exactly one: `address_line_1` and `addressLine1`
/// are read as `address_line1`. Only names that the mapping made are matched so; an explicit one is meant literally.
package struct InboundNames: Hashable, Sendable {
    /// The exact name of one property.
    package struct Entry: Hashable, Sendable {
        /// The keys, from the outermost object inwards.
        package let path: [String]

        /// The index of the property: among the declared ones, unless others were specified.
        package let property: Int
    }

    /// A property that a key belongs to.
    package struct Match: Hashable, Sendable {
        /// The index of the property: among the declared ones, unless others were specified.
        package let property: Int

        /// Whether the key is the property's very name. If an object has both kinds of key for one property, this
        /// one counts.
        package let isExact: Bool
    }

    /// The exact names, in the order of the declared properties.
    package let exact: [Entry]

    /// The properties that ``looseKey(for:)`` matches as well, by the loose key of each one's name, if no other
    /// property's name has the same.
    package let loose: [String: Int]

    private let exactTable: [[String]: Int]

    init(_ names: [AttributeNames.Name], _ properties: [Int]) {
        exact = zip(names, properties).map { Entry(path: $0.path, property: $1) }
        exactTable = Dictionary(exact.map { ($0.path, $0.property) }, uniquingKeysWith: { first, _ in first })
        let candidates = names.indices.filter { names[$0].path.count == 1 }
        let groups = Dictionary(grouping: candidates) { Self.looseKey(for: names[$0].path[0]) }
        loose = groups.compactMapValues { group in
            group.count == 1 && !names[group[0]].isExplicit ? properties[group[0]] : nil
        }
    }

    /// The property to which a key of the outermost object belongs, or nil.
    package func match(_ key: String) -> Match? {
        if let property = exactTable[[key]] { return Match(property: property, isExact: true) }
        return loose[Self.looseKey(for: key)].map { Match(property: $0, isExact: false) }
    }

    /// The property to which the value at a path of keys belongs, or nil. Nested keys are matched exactly.
    package func match(path: [String]) -> Match? {
        if path.count == 1 { return match(path[0]) }
        return exactTable[path].map { Match(property: $0, isExact: true) }
    }

    /// The name without its word breaks and letter case.
    ///
    /// The word breaks `_`, `-` and space are left out between letters or digits; other characters stay, so that
    /// `_links` and `links` are two names. `address_line_1`, `addressLine1` and `Address-Line1` are one.
    package static func looseKey(for name: String) -> String {
        let characters = Array(name)
        guard let first = characters.firstIndex(where: \.isLetterOrDecimalDigit),
            let last = characters.lastIndex(where: \.isLetterOrDecimalDigit)
        else { return name }
        let core = characters[first...last].filter { $0 != "_" && $0 != "-" && $0 != " " }
        return String(characters[..<first]) + String(core).lowercased() + String(characters[(last + 1)...])
    }
}
