import Foundation
import ObjectStore

/// The Swift names of what a server calls by its own: JSON keys, key paths, `author_id`, JSON pointers, the words of a full
/// message.
struct FieldNames: Sendable {
    /// One step on the way to a field.
    enum Component: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    private let table: ModelSchema?
    private let schema: Schema

    /// - Parameter table: the model that a reply speaks of; `nil` where it is none's.
    init(_ table: ModelSchema?, _ schema: Schema) {
        self.table = table
        self.schema = schema
    }

    /// Keys under which servers say what concerns the whole object: Rails' `base`, `non_field_errors` of Django REST Framework,
    /// `__all__` of Django's forms, marshmallow's `_schema`, and the empty ones of ASP.NET.
    static func isWholeObject(_ key: String) -> Bool {
        ["base", "non_field_errors", "nonFieldErrors", "__all__", "_schema", "", "$"].contains(key)
    }

    /// Whether the path leads to a property.
    func isKnown(_ path: [Component]) -> Bool { property(path[...], table) != nil }

    /// `author.name`, `comments[1].text`; `nil` where the path leads to the object itself.
    func swiftName(of path: [Component]) -> String? {
        var table = table
        var rest = path[...]
        var name = ""
        while let component = rest.first {
            switch component {
            case .index(let index):
                name += "[\(index)]"
                rest = rest.dropFirst()
            case .key(let key):
                let found = property(rest, table)
                if found == nil, Self.isWholeObject(key) {
                    rest = rest.dropFirst()
                    continue
                }
                name += (name.isEmpty ? "" : ".") + (found?.property.name ?? key)
                rest = rest.dropFirst(found?.count ?? 1)
                table = found?.property.target.map { schema[$0] }
            }
        }
        return name.isEmpty ? nil : name
    }

    /// The property at the beginning of a path, by the most keys.
    private func property(_ path: ArraySlice<Component>, _ table: ModelSchema?) -> (property: Property, count: Int)? {
        guard let table else { return nil }
        let keys = path.prefix { if case .key = $0 { true } else { false } }.compactMap { component in
            if case .key(let key) = component { key } else { nil }
        }
        for count in stride(from: keys.count, to: 0, by: -1) {
            if let match = table.names?.inbound.match(path: Array(keys[..<count])) {
                return (table.properties[match.property], count)
            }
        }
        guard let key = keys.first else { return nil }
        let suffix = "_attributes"
        let plain = key.hasSuffix(suffix) ? String(key.dropLast(suffix.count)) : key
        if let index = table.identityKeys[key] ?? table.names?.inbound.match(plain).map({ PropertyIndex($0.property) }) {
            return (table[index], 1)
        }
        return table.property(named: key).map { ($0, 1) }
    }

    // MARK: Full messages

    /// The property whose name a message begins with, and the rest of the message.
    func split(fullMessage text: String) -> (name: String, rest: String)? {
        guard let table else { return nil }
        var best: (name: String, count: Int)?
        for property in table.properties {
            for words in Self.spellings(of: property, table) where words.count > best?.count ?? 0 {
                guard text.count > words.count + 1, text.lowercased().hasPrefix(words.lowercased() + " ") else {
                    continue
                }
                best = (property.name, words.count)
            }
        }
        guard let best else { return nil }
        return (best.name, String(text.dropFirst(best.count + 1)))
    }

    /// As Rails writes an attribute for people (`published_at` is "Published at", `author_id` is "Author"), and as it is.
    private static func spellings(of property: Property, _ table: ModelSchema) -> [String] {
        let keys = [property.jsonPath.joined(separator: "."), property.jsonPath.last ?? property.name, property.name]
        return keys + keys.map { $0.replacing("_", with: " ").replacing("-", with: " ") }
    }

    // MARK: Ways to write a path

    /// Of `meta.source`, `comments[1].text`, `items[0][price]`.
    static func components(of name: String) -> [Component] {
        guard name.count <= 1000 else { return [.key(String(name.prefix(1000)))] }
        let parts = name.replacing("[", with: ".").replacing("]", with: "")
            .split(separator: ".", omittingEmptySubsequences: !name.isEmpty)
        return parts.map { component(of: String($0)) }
    }

    /// Of a JSON pointer (RFC 6901), also as a fragment (`#/title`), and within a JSON:API document.
    static func components(ofPointer pointer: String) -> [Component] {
        let isFragment = pointer.hasPrefix("#")
        let plain = isFragment ? pointer.dropFirst().removingPercentEncoding ?? pointer : pointer
        var parts: [String] = plain.split(separator: "/").map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        if parts.first == "data" { parts = document(Array(parts.dropFirst())) }
        return parts.map { component(of: $0) }
    }

    /// `attributes/title` is the attribute, `relationships/author/data/id` the relationship.
    private static func document(_ parts: [String]) -> [String] {
        guard let index = parts.firstIndex(where: { $0 == "attributes" || $0 == "relationships" }), index <= 1 else {
            return parts
        }
        let rest = Array(parts[(index + 1)...])
        return Array(parts[..<index]) + (parts[index] == "attributes" ? rest : Array(rest.prefix(1)))
    }

    static func component(_ part: Any) -> Component? {
        if let index = part as? Int { return .index(index) }
        return (part as? String).map(Component.key)
    }

    private static func component(of text: String) -> Component {
        if let index = Int(text), index >= 0 { return .index(index) }
        return .key(text)
    }
}
