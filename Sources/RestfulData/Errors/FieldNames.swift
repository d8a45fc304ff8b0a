import Foundation
import ObjectStore

/// Finds Swift names of properties from JSON keys, key paths and JSON pointers.
struct FieldNames: Sendable {
    enum Component: Hashable, Sendable {
        case key(String)
        case index(Int)
    }

    private let model: ModelSchema?
    private let schema: Schema

    init(_ model: ModelSchema?, _ schema: Schema) {
        self.model = model
        self.schema = schema
    }

    /// Rails' `base`, `non_field_errors` of Django REST Framework, `__all__` of Django's forms, marshmallow's
    /// `_schema`, and the empty keys of ASP.NET.
    static func isWholeObject(_ key: String) -> Bool {
        ["base", "non_field_errors", "nonFieldErrors", "__all__", "_schema", "", "$"].contains(key)
    }

    func isKnown(_ path: [Component]) -> Bool { property(path[...], of: model) != nil }

    /// nil for the object itself.
    func swiftName(of path: [Component]) -> String? {
        var model = model
        var rest = path[...]
        var name = ""
        while let component = rest.first {
            switch component {
            case .index(let index):
                name += "[\(index)]"
                rest = rest.dropFirst()
            case .key(let key):
                let found = property(rest, of: model)
                if found == nil, Self.isWholeObject(key) {
                    rest = rest.dropFirst()
                    continue
                }
                name += (name.isEmpty ? "" : ".") + (found?.property.name ?? key)
                rest = rest.dropFirst(found?.count ?? 1)
                model = found?.property.target.map { schema[$0] }
            }
        }
        return name.isEmpty ? nil : name
    }

    /// The keys may begin with an envelope.
    func swiftName(ofSent keys: [String]) -> String {
        let path = keys.map(Component.key)
        let inEnvelope = Array(path.dropFirst())
        return swiftName(of: !isKnown(path) && isKnown(inEnvelope) ? inEnvelope : path) ?? ""
    }

    /// The property with the most keys of the path's beginning.
    private func property(
        _ path: ArraySlice<Component>, of model: ModelSchema?
    ) -> (property: Property, count: Int)? {
        guard let model else { return nil }
        let keys = path.prefix { if case .key = $0 { true } else { false } }.compactMap { component in
            if case .key(let key) = component { key } else { nil }
        }
        for count in stride(from: keys.count, to: 0, by: -1) {
            if let property = model.declared.first(where: { $0.sentPath == Array(keys[..<count]) }) {
                return (property, count)
            }
            if let match = model.names?.inbound.match(path: Array(keys[..<count])) {
                return (model.properties[match.property], count)
            }
            if let property = model.declared.first(where: { $0.isChoice(withKey: Array(keys[..<count])) }) {
                return (property, count)
            }
        }
        guard let key = keys.first else { return nil }
        let suffix = "_attributes"
        let plain = key.hasSuffix(suffix) ? String(key.dropLast(suffix.count)) : key
        if let index = model.identityKeys[key] ?? model.names?.inbound.match(plain).map({ PropertyIndex($0.property) })
        {
            return (model[index], 1)
        }
        return model.property(named: key).map { ($0, 1) }
    }

    var fullMessages: FullMessages { FullMessages(model) }

    // MARK: Notations of paths

    /// Reads `meta.source`, `comments[1].text` and `items[0][price]`.
    static func components(of name: String) -> [Component] {
        guard name.count <= 1000 else { return [.key(String(name.prefix(1000)))] }
        let parts = name.replacing("[", with: ".").replacing("]", with: "")
            .split(separator: ".", omittingEmptySubsequences: !name.isEmpty)
        return parts.map { component(of: String($0)) }
    }

    /// RFC 6901, also as a fragment (`#/title`) or in a JSON:API document.
    static func components(ofPointer pointer: String) -> [Component] {
        let isFragment = pointer.hasPrefix("#")
        let plain = isFragment ? pointer.dropFirst().removingPercentEncoding ?? pointer : pointer
        var parts: [String] = plain.split(separator: "/").map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
        if parts.first == "data" { parts = document(Array(parts.dropFirst())) }
        return parts.map { component(of: $0) }
    }

    /// In JSON:API, `attributes/title` is the attribute, `relationships/author/data/id` the relationship.
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

extension Property {
    /// Such as `subject_id`.
    fileprivate func isChoice(withKey path: [String]) -> Bool {
        choice.map { $0.typePath == path || $0.identityPath == path } ?? false
    }
}
