import Foundation
import RestfulData

/// A form's body as JSON: `card[number]=42&tags[]=a`. All values are texts, which ``ServerState`` converts to the types
/// of the attributes.
struct ServerForm {
    private(set) var members: [String: JSONValue] = [:]

    init(_ text: String) {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? String($0)
            }
            let value = JSONValue.string(parts.count > 1 ? parts[1] : "")
            members = add(value, at: Self.keys(of: parts[0])[...], to: .object(members)).members
        }
        members = JSONValue.object(members).withLists.members
    }

    /// `["card", "number"]` for `card[number]`; `[]` gives an empty key.
    private static func keys(of name: String) -> [String] {
        guard let bracket = name.firstIndex(of: "["), name.hasSuffix("]") else { return [name] }
        let inner = name[bracket...].dropFirst().dropLast()
        return [String(name[..<bracket])]
            + inner.split(separator: "][", omittingEmptySubsequences: false).map(String.init)
    }

    private func add(_ value: JSONValue, at keys: ArraySlice<String>, to whole: JSONValue?) -> JSONValue {
        guard let key = keys.first else {
            // A repeated name makes a list.
            guard let whole else { return value }
            return .array((whole.array ?? [whole]) + [value])
        }
        let rest = keys.dropFirst()
        guard key.isEmpty else {
            var members = whole?.members ?? [:]
            members[key] = add(value, at: rest, to: members[key])
            return .object(members)
        }
        var elements = whole?.array ?? []
        // A name that the last object already has starts the next object, as in Rack.
        if let name = rest.first, let last = elements.last, case .object(let members) = last,
            members[name] == nil || rest.count > 1
        {
            elements[elements.count - 1] = add(value, at: rest, to: last)
        } else {
            elements.append(add(value, at: rest, to: nil))
        }
        return .array(elements)
    }
}

extension JSONValue {
    /// Converts objects with the keys 0, 1, 2 … to lists.
    fileprivate var withLists: JSONValue {
        switch self {
        case .object(let members):
            let converted = members.mapValues(\.withLists)
            let indexes = members.keys.compactMap { Int($0) }.sorted()
            guard !indexes.isEmpty, indexes == Array(0..<members.count) else { return .object(converted) }
            return .array(indexes.compactMap { converted["\($0)"] })
        case .array(let elements): return .array(elements.map(\.withLists))
        default: return self
        }
    }

    /// Converts a form's text to the type of an attribute. An empty text is null, except for texts and collections.
    func ofForm(_ kind: AttributeKind, joinedBy separator: String?) -> JSONValue {
        switch (self, kind) {
        case (.string(""), .list), (.string(""), .set): .array([])
        case (.string(""), .dictionary): .object([:])
        case (.string(""), .text): self
        case (.string(""), _): .null
        case (.string(let text), .list(let element)), (.string(let text), .set(let element)):
            .array(
                (separator.map { text.split(separator: $0).map(String.init) } ?? [text]).map {
                    JSONValue.string($0).ofForm(element, joinedBy: nil)
                })
        case (.array(let elements), .list(let element)), (.array(let elements), .set(let element)):
            .array(elements.map { $0.ofForm(element, joinedBy: nil) })
        case (.object(let members), .dictionary(let element)):
            .object(members.mapValues { $0.ofForm(element, joinedBy: nil) })
        case (.string(let text), .boolean): .bool(text == "true" || text == "1")
        case (.string(let text), .integer), (.string(let text), .unsigned), (.string(let text), .real),
            (.string(let text), .float), (.string(let text), .wideInteger), (.string(let text), .date):
            Double(text) == nil ? self : .number(text)
        default: self
        }
    }
}
