/// Members of objects keep the order of the file, also in generated code.
package enum DescriptionNode: Sendable, Hashable {
    case null
    case bool(Bool)
    /// As written in the file.
    case number(String)
    case string(String)
    case array([DescriptionNode])
    case object(DescriptionMembers)

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// Empty for other values than arrays.
    package var elements: [DescriptionNode] { if case .array(let elements) = self { elements } else { [] } }
    package var members: DescriptionMembers? { if case .object(let members) = self { members } else { nil } }

    /// nil also for other values than objects.
    package subscript(_ name: String) -> DescriptionNode? { members?[name] }

    /// nil for arrays, objects and null.
    package var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .bool(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    /// Reading is recursive. Real descriptions have fewer than 60 levels.
    package static let maximumDepth = 200
}

package struct DescriptionMembers: Sendable, Hashable {
    package private(set) var names: [String] = []
    private var values: [String: DescriptionNode] = [:]

    package init() {}

    package subscript(_ name: String) -> DescriptionNode? { values[name] }

    /// The last value of a repeated name wins, at the position of the first.
    mutating func set(_ name: String, to value: DescriptionNode) {
        if values.updateValue(value, forKey: name) == nil { names.append(name) }
    }

    package var pairs: [(name: String, value: DescriptionNode)] {
        names.compactMap { name in values[name].map { (name, $0) } }
    }
}
