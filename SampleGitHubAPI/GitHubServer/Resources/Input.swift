/// The members of a body. Unknown ones are ignored, and wrong types rejected with 422, as at GitHub.
struct Input: Sendable {
    let object: JSONObject

    /// Throws 400 unless the body is a JSON object.
    init(_ call: Call) throws(Refusal) {
        guard let json = JSON(parsing: call.request.body) else { throw .problemsParsingJSON }
        guard case .object(let object) = json else { throw .notAnObject }
        self.object = object
    }

    /// nil if absent.
    func string(_ name: String) throws(Refusal) -> String? {
        guard let value = object[name] else { return nil }
        guard case .string(let string) = value else {
            throw .wrongType("properties/\(name)", value, expected: "a string")
        }
        return string
    }

    func nullableString(_ name: String) throws(Refusal) -> Sent<String> {
        guard let value = object[name] else { return .nothing }
        switch value {
        case .null: return .null
        case .string(let string): return .value(string)
        default: throw .wrongType("properties/\(name)", value, expected: "a string or null")
        }
    }

    func boolean(_ name: String) throws(Refusal) -> Bool? {
        guard let value = object[name] else { return nil }
        guard case .boolean(let boolean) = value else {
            throw .wrongType("properties/\(name)", value, expected: "a boolean")
        }
        return boolean
    }

    /// Also as text.
    func nullableNumber(_ name: String) throws(Refusal) -> Sent<Int> {
        switch object[name] {
        case nil: return .nothing
        case .null?: return .null
        case .integer(let number)?: return .value(number)
        case .string(let string)?: return Int(string).map(Sent.value) ?? .null
        case let value?: throw .wrongType("properties/\(name)", value, expected: "a string or integer or null")
        }
    }

    func strings(_ name: String) throws(Refusal) -> [String]? {
        guard let value = object[name] else { return nil }
        guard case .array(let elements) = value else {
            throw .wrongType("properties/\(name)", value, expected: "an array")
        }
        var strings: [String] = []
        for element in elements {
            guard case .string(let string) = element else {
                throw .wrongType("properties/\(name)/items", element, expected: "a string")
            }
            strings.append(string)
        }
        return strings
    }
}

/// A member that may be null.
enum Sent<Value: Sendable>: Sendable {
    case nothing, null
    case value(Value)

    func assign(to target: inout Value?) {
        switch self {
        case .nothing: break
        case .null: target = nil
        case .value(let value): target = value
        }
    }
}
