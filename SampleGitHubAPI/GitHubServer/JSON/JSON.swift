enum JSON: Hashable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSON])
    case object(JSONObject)
}

/// Members keep their order.
struct JSONObject: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        let name: String
        var value: JSON
    }

    private(set) var members: [Member] = []

    subscript(name: String) -> JSON? { members.last { $0.name == name }?.value }

    mutating func put(_ name: String, _ value: some JSONRepresentable) {
        members.append(Member(name: name, value: value.json))
    }

    mutating func putNull(_ names: String...) {
        for name in names { members.append(Member(name: name, value: .null)) }
    }
}

extension JSON {
    static func object(_ build: (inout JSONObject) -> Void) -> JSON {
        var object = JSONObject()
        build(&object)
        return .object(object)
    }
}

protocol JSONRepresentable {
    var json: JSON { get }
}

extension JSON: JSONRepresentable {
    var json: JSON { self }
}

extension Bool: JSONRepresentable {
    var json: JSON { .boolean(self) }
}

extension Int: JSONRepresentable {
    var json: JSON { .integer(self) }
}

extension String: JSONRepresentable {
    var json: JSON { .string(self) }
}

extension Optional: JSONRepresentable where Wrapped: JSONRepresentable {
    var json: JSON { self?.json ?? .null }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    var json: JSON { .array(map(\.json)) }
}
