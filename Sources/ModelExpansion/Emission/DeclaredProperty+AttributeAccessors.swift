extension DeclaredProperty {
    /// These call functions with only one overload. `nil` if the property may be a relationship, or its type an alias
    /// of a common type.
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

    /// For types that are read directly from the row: `OptionalText`.
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
    /// Whether it certainly is neither a common type nor a model.
    fileprivate var isUncommon: Bool {
        switch self {
        case .value, .dictionary, .set: true
        case .optional(let inner), .array(let inner): inner.isUncommon
        case .named, .implicitlyUnwrapped, .other: false
        }
    }
}
