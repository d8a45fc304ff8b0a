/// A value of a description. Members of objects keep the order of the file, so generated code has it too.
package enum DescriptionNode: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number, as written in the file.
    case number(String)
    case string(String)
    case array([DescriptionNode])
    case object(DescriptionMembers)

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array; empty for other values.
    package var elements: [DescriptionNode] { if case .array(let elements) = self { elements } else { [] } }
    package var members: DescriptionMembers? { if case .object(let members) = self { members } else { nil } }

    /// The member of an object; `nil` if it is missing, and for other values.
    package subscript(_ name: String) -> DescriptionNode? { members?[name] }

    /// The text of an enumeration's value; `nil` for arrays, objects and null.
    package var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// The maximum nesting depth, because reading is recursive. Real descriptions have fewer than 60 levels.
    package static let maximumDepth = 200
}

/// The members of an object, in the order of the file.
package struct DescriptionMembers: Sendable, Hashable {
    /// The unique names, in order.
    package private(set) var names: [String] = []
    private var values: [String: DescriptionNode] = [:]

    package init() {}

    package subscript(_ name: String) -> DescriptionNode? { values[name] }

    /// Sets a member. If a name is repeated, the last value wins, at the position of the first.
    mutating func set(_ name: String, to value: DescriptionNode) {
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }

    package var pairs: [(name: String, value: DescriptionNode)] {
        names.compactMap { name in values[name].map { (name, $0) } }
    }
}
