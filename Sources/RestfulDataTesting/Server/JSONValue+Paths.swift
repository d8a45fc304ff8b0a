import RestfulData

extension JSONValue {
    /// The members of an object; none of any other value.
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

    /// Whether a required property can't have this value: null, a text of spaces, an empty list or object.
    var isBlank: Bool {
        switch self {
        case .null: true
        case .string(let text): text.allSatisfy(\.isWhitespace)
        case .array(let elements): elements.isEmpty
        case .object(let members): members.isEmpty
        case .bool, .number: false
        }
    }

    /// The value at some keys, each within the one before.
    func value(at path: ArraySlice<String>) -> JSONValue? {
        guard let key = path.first else { return self }
        return self[key]?.value(at: path.dropFirst())
    }
}

extension [String: JSONValue] {
    /// The value at some keys, each within the one before.
    func value(at path: [String]) -> JSONValue? { JSONValue.object(self).value(at: path[...]) }

    /// Sets the value at some keys. What isn't an object on the way becomes one.
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

    /// Removes the value at some keys, and the objects on the way that are empty then.
    ///
    /// - Returns: the value that was there.
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

    /// With the members of objects put among those of objects that are there, at any depth; all else is replaced.
    func merging(deeply others: [String: JSONValue]) -> [String: JSONValue] {
        merging(others) { old, new in
            guard case .object(let inner) = old, case .object(let added) = new else { return new }
            return .object(inner.merging(deeply: added))
        }
    }
}
