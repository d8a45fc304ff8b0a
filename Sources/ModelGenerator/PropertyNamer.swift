import Conventions
import GeneratedCode

/// Names that generated code can't have, or only with another meaning.
enum ReservedNames {
    /// Types in generated and macro code.
    static let types: Set<String> = [
        "API", "Any", "AnyObject", "Array", "Attribute", "Bool", "Character", "Codable", "Data", "Date", "Decimal",
        "Decodable", "Dictionary", "Double", "Encodable", "Equatable", "Error", "Float", "Foundation", "Hashable",
        "Identifiable", "Int", "JSONValue", "Model", "Never", "ObjectContext", "Observable", "Optional",
        "OwnProperties",
        "Properties", "Protocol", "Relationship", "ResponseBody", "RestfulData", "Result", "Self", "Sendable", "Set",
        "Store", "String", "Swift", "Task", "Transient", "Type", "URL", "UUID", "Void",
    ]

    /// Members of every model.
    static let properties: Set<String> = [
        "properties", "Properties", "ownProperties", "OwnProperties", "modelDescription", "_object", "context",
        "isDeleted", "isInserted", "hasChanges", "unsentProperties", "changedProperties", "identityPart", "fetchedAt",
        "create", "save", "fetch", "delete", "syncState", "snapshot", "Self", "Swift", "RestfulData", "self", "init",
        "Type", "Protocol", "customMirror", "debugDescription", "hashValue", "hash", "validate", "send", "rollback",
        "isKnownToServer", "super", "pages", "completeness", "outboxEntry", "discardQueued",
    ]
}

struct PropertyNamer {
    private let isIdentity: Set<String>
    /// Classes, which a nested enum would shadow.
    private let types: Set<String>
    private let mapping = AttributeMapping()
    private var taken: Set<String> = []
    private var takenTypes: Set<String> = []

    init(isIdentity: Set<String>, types: Set<String>) {
        self.isIdentity = isIdentity
        self.types = types
    }

    mutating func name(_ property: inout ModelProperty) {
        let conventional = mapping.swiftName(forJSONName: property.json).name
        var base = isUsable(conventional) ? conventional : SwiftName.variable(of: conventional) ?? "value"
        if !isUsable(base) { base += "Value" }
        // `description` is the debug text of every object.
        if base == "description" { base = "summary" }
        var (name, number) = (base, 2)
        // Column names ignore case and underscores.
        while !taken.insert(name.lowercased().replacing("_", with: "")).inserted {
            name = "\(base)\(number)"
            number += 1
        }
        property.name = name
        property.needsJSON = mapping.jsonName(forSwiftName: name).name != property.json
        if case .enumeration(_, let values) = property.kind {
            property.kind = .enumeration(name: typeName(of: name), values: values)
        }
    }

    private func isUsable(_ name: String) -> Bool {
        !ReservedNames.properties.contains(name) && (SwiftName.isIdentifier(name) || SwiftName.spelt(name) != name)
            && name.unicodeScalars.allSatisfy(\.isASCII)
    }

    private mutating func typeName(of name: String) -> String {
        var base = name.prefix(1).uppercased() + name.dropFirst()
        if types.contains(base) || ReservedNames.types.contains(base) { base += "Kind" }
        var (type, number) = (base, 2)
        while types.contains(type) || !takenTypes.insert(type).inserted {
            type = "\(base)\(number)"
            number += 1
        }
        return type
    }

    /// In the order of the values.
    static func cases(of values: [String]) -> [(name: String, value: String)] {
        var taken: Set<String> = []
        return values.map { value in
            let words = SwiftName.words(of: value)
            let isAllCaps = !words.isEmpty && words.allSatisfy { $0 == $0.uppercased() }
            let text = isAllCaps ? words.joined(separator: "_").lowercased() : value
            let signed = ["+": "plus", "-": "minus"][value.first ?? " "].map { $0 + "_" + text } ?? text
            var base = SwiftName.variable(of: signed) ?? (value.isEmpty ? "empty" : "value_\(text)")
            base = SwiftName.variable(of: base) ?? "value"
            if ["self", "init", "none", "some", "Type", "Protocol", "rawValue", "hashValue", "Self"].contains(base) {
                base += "Value"
            }
            var (name, number) = (base, 2)
            while !taken.insert(name).inserted {
                name = "\(base)\(number)"
                number += 1
            }
            return (name, value)
        }
    }
}
