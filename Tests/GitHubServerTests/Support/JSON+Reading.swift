@testable import GitHubServer

extension JSON {
    /// A member of an object.
    subscript(name: String) -> JSON? {
        guard case .object(let object) = self else { return nil }
        return object[name]
    }

    subscript(index: Int) -> JSON? { elements.indices.contains(index) ? elements[index] : nil }

    var elements: [JSON] {
        guard case .array(let elements) = self else { return [] }
        return elements
    }

    var keys: Set<String> {
        guard case .object(let object) = self else { return [] }
        return Set(object.members.map(\.name))
    }

    /// One member of each element.
    func all(_ name: String) -> [JSON?] { elements.map { $0[name] } }

    var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    var integer: Int? {
        guard case .integer(let integer) = self else { return nil }
        return integer
    }

    /// The same, with the members of objects in alphabetical order.
    var sorted: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let object):
            .object { sorted in
                for member in object.members.sorted(by: { $0.name < $1.name }) {
                    sorted.put(member.name, member.value.sorted)
                }
            }
        default: self
        }
    }
}
