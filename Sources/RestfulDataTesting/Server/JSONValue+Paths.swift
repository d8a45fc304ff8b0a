import RestfulData

extension JSONValue {
    /// The members of an object; empty for any other value.
    var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

    /// The text of a scalar in a URL; nil for null, arrays and objects.
    var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    var isNull: Bool { self == .null }

    /// Whether a required property rejects the value: null, only whitespace, or an empty list or object.
    var isBlank: Bool {
        switch self {
        case .null: true
        case .string(let text): text.allSatisfy(\.isWhitespace)
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        case .bool, .number: false
        }
    }

    func value(at path: ArraySlice<String>) -> JSONValue? {
        guard let key = path.first else { return self }
        return self[key]?.value(at: path.dropFirst())
    }
}

extension [String: JSONValue] {
    func value(at path: [String]) -> JSONValue? { JSONValue.object(self).value(at: path[...]) }

    /// Sets the value at a path of keys. Objects replace all other values on the path.
    mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let key = path.first else { return }
        let rest = path.dropFirst()
        guard !rest.isEmpty else {
            self[key] = value
            return
        }
        var inner = self[key]?.members ?? [:]
        inner.set(value, at: rest)
        self[key] = .object(inner)
    }

    /// Removes the value at a path of keys, and objects on the path that become empty.
    ///
    /// - Returns: The removed value.
    @discardableResult
    mutating func take(at path: ArraySlice<String>) -> JSONValue? {
        guard let key = path.first, let value = self[key] else { return nil }
        let rest = path.dropFirst()
        guard !rest.isEmpty else {
            self[key] = nil
            return value
        }
        guard case .object(var inner) = value, let taken = inner.take(at: rest) else { return nil }
        self[key] = inner.isEmpty ? nil : .object(inner)
        return taken
    }

    /// Merges objects at any depth. All other values are replaced.
    func merging(deeply others: [String: JSONValue]) -> [String: JSONValue] {
        merging(others) { old, new in
            guard case .object(let inner) = old, case .object(let added) = new else { return new }
            return .object(inner.merging(deeply: added))
        }
    }
}
