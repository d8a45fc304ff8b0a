/// Finds the property of an incoming JSON key.
///
/// The table is plain data, which other code compiles into the form that it needs.
///
/// A key that equals a property's name belongs to that property. Any other key belongs to the property whose name
/// differs from it only in word breaks and letter case, if there is exactly one: `addressLine1` and `address_line_1`
/// are read as `address_line1`. This applies to derived names only; explicit names match exactly.
package struct InboundNames: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// The keys, from the outermost object inwards.
        package let path: [String]

        /// The property's index among the declared ones, unless `AttributeNames` got other numbers.
        package let property: Int
    }

    package struct Match: Hashable, Sendable {
        /// The property's index among the declared ones, unless `AttributeNames` got other numbers.
        package let property: Int

        /// Whether the key equals the property's name. If an object has an exact and a similar key for one property,
        /// the exact one counts.
        package let isExact: Bool
    }

    /// In the order of the declared properties.
    package let exact: [Entry]

    /// Properties by the ``looseKey(for:)`` of their names. Explicit names, and loose keys that several names share,
    /// are missing.
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

    /// The property of a key of the outermost object; nil if there is none.
    package func match(_ key: String) -> Match? {
        if let property = exactTable[[key]] { return Match(property: property, isExact: true) }
        return loose[Self.looseKey(for: key)].map { Match(property: $0, isExact: false) }
    }

    /// The property of the value at a path of keys; nil if there is none. Nested keys match exactly.
    package func match(path: [String]) -> Match? {
        if path.count == 1 { return match(path[0]) }
        return exactTable[path].map { Match(property: $0, isExact: true) }
    }

    /// The name in lower case, its word breaks removed.
    ///
    /// The word breaks `_`, `-` and space are removed between letters or digits. Other characters stay, so `_links` and
    /// `links` differ. `address_line_1`, `addressLine1` and `Address-Line1` are equal.
    package static func looseKey(for name: String) -> String {
        let characters = Array(name)
        guard let first = characters.firstIndex(where: \.isLetterOrDecimalDigit),
            let last = characters.lastIndex(where: \.isLetterOrDecimalDigit)
        else { return name }
        let core = characters[first...last].filter { $0 != "_" && $0 != "-" && $0 != " " }
        return String(characters[..<first]) + String(core).lowercased() + String(characters[(last + 1)...])
    }
}
