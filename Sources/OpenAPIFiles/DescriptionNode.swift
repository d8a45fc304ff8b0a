/// A value of a description, the members of objects in the order of the file: what is made of it keeps that order.
package enum DescriptionNode: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number as it is written.
    case number(String)
    case string(String)
    case array([DescriptionNode])
    case object(DescriptionMembers)

    /// The text of a string; `nil` for other values.
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    /// `true` or `false`; `nil` for other values.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The elements of an array; none for other values.
    package var elements: [DescriptionNode] { if case .array(let elements) = self { elements } else { [] } }
    /// The members of an object; `nil` for other values.
    package var members: DescriptionMembers? { if case .object(let members) = self { members } else { nil } }

    /// The member of an object; `nil` when there is none, and for other values.
    package subscript(_ name: String) -> DescriptionNode? { members?[name] }

    /// A value as an enumeration's case is written; `nil` for arrays, objects and null.
    package var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// How deep values may be within each other. Real descriptions have fewer than 60 levels; what reads them calls
    /// itself for each.
    package static let maximumDepth = 200
}

/// The members of an object, in the order of the file.
package struct DescriptionMembers: Sendable, Hashable {
    /// The names in their order, each once.
    package private(set) var names: [String] = []
    private var values: [String: DescriptionNode] = [:]

    package init() {}

    package subscript(_ name: String) -> DescriptionNode? { values[name] }

    /// Sets a member. Of two with one name the last one stays, at the place of the first.
    mutating func set(_ name: String, to value: DescriptionNode) {
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }

    /// The names with their values, in their order.
    package var pairs: [(name: String, value: DescriptionNode)] {
        names.compactMap { name in values[name].map { (name, $0) } }
    }
}
