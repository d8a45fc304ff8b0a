extension DeclaredProperty {
    /// The accessors of what is certainly an attribute, by functions that aren't overloaded; `nil` for what may be a relationship,
    /// or have a common type under another name.
    var attributeAccessors: [String]? {
        guard let verbs = commonVerbs ?? plainVerbs else { return nil }
        return [
            """
            get {
                Self.properties.\(spelling).\(verbs.get)(in: _object)
            }
            """,
            """
            set {
                Self.properties.\(spelling).\(verbs.set)(newValue, in: _object)
            }
            """,
        ]
    }

    /// For the types that are read straight from the row.
    private var commonVerbs: (get: String, set: String)? {
        guard let type = SwiftType(of: self), !type.isArray, let name = Self.commonNames[type.name] else { return nil }
        let verb = type.isOptional ? "optional\(name)" : name.lowercased()
        return (verb, "set" + (type.isOptional ? "Optional" : "") + name)
    }

    private static let commonNames = ["Int": "Integer", "Bool": "Boolean", "String": "Text"]

    private var plainVerbs: (get: String, set: String)? {
        let isSpelt = annotation != nil || SwiftType(of: self) != nil
        return isSpelt && shape?.isUncommon ?? false ? ("value", "set") : nil
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
