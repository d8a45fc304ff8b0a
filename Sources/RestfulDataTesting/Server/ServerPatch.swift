import RestfulData

/// Applies the body of a save to an object's flat JSON.
enum ServerPatch {
    /// Applies a JSON merge patch (RFC 7396), in which null removes a member.
    ///
    /// - Parameter declared: The paths of attributes. They become null instead of being removed.
    static func merged(
        _ patch: [String: JSONValue], into object: [String: JSONValue], declared: Set<[String]>, at path: [String] = []
    ) -> [String: JSONValue] {
        var result = object
        for (key, value) in patch {
            let place = path + [key]
            switch value {
            case .null: result[key] = declared.contains(place) ? .null : nil
            case .object(let inner):
                let old = object[key]?.members ?? [:]
                result[key] = .object(merged(inner, into: old, declared: declared, at: place))
            default: result[key] = value
            }
        }
        return result
    }

    /// Applies a JSON Patch (RFC 6902).
    ///
    /// - Throws: 400, 409 or 422 for the first operation that fails. The object then stays as it was.
    static func patched(_ object: JSONValue, by operations: [JSONValue]) throws(Refusal) -> JSONValue {
        var result = object
        for operation in operations {
            guard let name = operation["op"]?.string, let path = operation["path"]?.string.flatMap(pointer) else {
                throw Refusal(status: 400, message: "An operation of the JSON Patch has no op or path")
            }
            switch name {
            case "add": result = try change(result, at: path[...], .add(try value(of: operation)))
            case "replace": result = try change(result, at: path[...], .replace(try value(of: operation)))
            case "remove": result = try change(result, at: path[...], .remove)
            case "test":
                let expected = try value(of: operation)
                guard let current = result.value(atPointer: path), current.isSame(as: expected) else {
                    throw Refusal(status: 409, message: "The JSON Patch's test of \(text(path)) fails")
                }
            case "move", "copy":
                guard let from = operation["from"]?.string.flatMap(pointer), let moved = result.value(atPointer: from)
                else { throw Refusal(status: 422, message: "There is nothing to \(name) for \(text(path))") }
                if name == "move" { result = try change(result, at: from[...], .remove) }
                result = try change(result, at: path[...], .add(moved))
            default: throw Refusal(status: 400, message: "\"\(name)\" is no operation of a JSON Patch")
            }
        }
        return result
    }

    private enum Change {
        case add(JSONValue)
        case replace(JSONValue)
        case remove
    }

    private static func value(of operation: JSONValue) throws(Refusal) -> JSONValue {
        guard let value = operation["value"] else {
            throw Refusal(status: 400, message: "An operation of the JSON Patch has no value")
        }
        return value
    }

    private static func change(
        _ value: JSONValue, at path: ArraySlice<String>, _ change: Change
    ) throws(Refusal) -> JSONValue {
        guard let key = path.first else {
            switch change {
            case .add(let new), .replace(let new): return new
            case .remove: return .null
            }
        }
        let rest = path.dropFirst()
        switch value {
        case .object(var members):
            guard rest.isEmpty else {
                guard let inner = members[key] else { throw missing(path) }
                members[key] = try self.change(inner, at: rest, change)
                return .object(members)
            }
            if case .add(let new) = change {
                members[key] = new
            } else {
                guard members[key] != nil else { throw missing(path) }
                if case .replace(let new) = change { members[key] = new } else { members[key] = nil }
            }
            return .object(members)
        case .array(var elements):
            let index = key == "-" ? elements.count : key.arrayIndex ?? -1
            guard rest.isEmpty else {
                guard elements.indices.contains(index) else { throw missing(path) }
                elements[index] = try self.change(elements[index], at: rest, change)
                return .array(elements)
            }
            if case .add(let new) = change {
                guard (0...elements.count).contains(index) else { throw missing(path) }
                elements.insert(new, at: index)
            } else {
                guard elements.indices.contains(index) else { throw missing(path) }
                if case .replace(let new) = change { elements[index] = new } else { elements.remove(at: index) }
            }
            return .array(elements)
        default: throw missing(path)
        }
    }

    private static func missing(_ path: ArraySlice<String>) -> Refusal {
        Refusal(status: 422, message: "The JSON Patch's path \(text(Array(path))) leads to nothing")
    }

    private static func text(_ path: [String]) -> String { path.map { "/" + $0 }.joined() }

    /// The keys of a JSON pointer (RFC 6901).
    private static func pointer(_ text: String) -> [String]? {
        guard !text.isEmpty else { return [] }
        guard text.hasPrefix("/") else { return nil }
        return text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }
}

extension JSONValue {
    fileprivate func value(atPointer path: [String]) -> JSONValue? {
        path.reduce(self as JSONValue?) { value, key in value?[key] ?? key.arrayIndex.flatMap { value?[$0] } }
    }

    /// Whether two values are equal for a JSON Patch, which compares numbers by their value (RFC 6902 §4.6).
    fileprivate func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.number, .number): self == other || double != nil && double == other.double
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { right[$0.key].map($0.value.isSame(as:)) ?? false }
        default: self == other
        }
    }
}

extension String {
    /// The index in a key of a JSON pointer: plain digits, whose first is 0 only for zero (RFC 6901 §4).
    fileprivate var arrayIndex: Int? { Int(self).flatMap { "\($0)" == self && $0 >= 0 ? $0 : nil } }
}
