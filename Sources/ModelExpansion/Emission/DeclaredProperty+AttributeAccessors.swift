extension DeclaredProperty {
    /// The accessors of what is certainly an attribute, by functions that aren't overloaded; `nil` for what may be a
    /// relationship, or have a common type under another name.
    ///
    /// - Parameter index: the token's index.
    func attributeAccessors(at index: String) -> [String]? {
        let token = "Self.properties.\(spelling)"
        if let name = commonName {
            return accessors(
                get: "_object.\(name.prefix(1).lowercased() + name.dropFirst())(of: \(token), at: \(index))",
                set: "_object.set\(name)(newValue, of: \(token), at: \(index), in: self)")
        }
        guard isPlain else { return nil }
        return accessors(get: "\(token).value(in: _object)", set: "\(token).set(newValue, in: _object)")
    }

    private func accessors(get: String, set: String) -> [String] {
        [
            """
            get {
                \(get)
            }
            """,
            """
            set {
                \(set)
            }
            """,
        ]
    }

    /// What those types are called that are read straight from the row: `OptionalText`.
    private var commonName: String? {
        guard let type = SwiftType(of: self), !type.isArray, let name = Self.commonNames[type.name] else { return nil }
        return (type.isOptional ? "Optional" : "") + name
    }

    private static let commonNames = ["Int": "Integer", "Bool": "Boolean", "String": "Text", "Double": "Real"]

    private var isPlain: Bool {
        let isSpelt = annotation != nil || SwiftType(of: self) != nil
        return isSpelt && shape?.isUncommon ?? false
    }
}

extension TypeShape {
    /// Whether no name in it could stand for one of the common types, or for a model.
    fileprivate var isUncommon: Bool {
        switch self {
        case .value, .dictionary, .set: true
        case .optional(let inner), .array(let inner): inner.isUncommon
        case .named, .implicitlyUnwrapped, .other: false
        }
    }
}
