import Conventions
import GeneratedCode

/// Names that generated code can't have, or would mean something else by.
enum ReservedNames {
    /// Types of Swift, Foundation and the library that the code, or what the macros add, uses.
    static let types: Set<String> = [
        "API", "Any", "AnyObject", "Array", "Attribute", "Bool", "Character", "Codable", "Data", "Date", "Decimal",
        "Decodable", "Dictionary", "Double", "Encodable", "Equatable", "Error", "Float", "Foundation", "Hashable",
        "Identifiable", "Int", "JSONValue", "Model", "Never", "ObjectContext", "Observable", "Optional",
        "OwnProperties",
        "Properties", "Protocol", "Relationship", "ResponseBody", "RestfulData", "Result", "Self", "Sendable", "Set",
        "Store", "String", "Swift", "Task", "Transient", "Type", "URL", "UUID", "Void",
    ]

    /// What every model has, or `@Model` adds.
    static let properties: Set<String> = [
        "properties", "Properties", "ownProperties", "OwnProperties", "modelDescription", "_object", "context",
        "isDeleted", "isInserted", "hasChanges", "unsentProperties", "changedProperties", "identityPart", "fetchedAt",
        "create", "save", "fetch", "delete", "syncState", "snapshot", "Self", "Swift", "RestfulData", "self", "init",
        "Type", "Protocol", "customMirror", "debugDescription", "hashValue", "hash", "validate", "send", "rollback",
        "isKnownToServer", "super", "pages", "completeness",
    ]
}

/// Gives the properties of a class names in Swift, each its own.
struct PropertyNamer {
    private let isIdentity: Set<String>
    /// The names of classes: an enum within a class would hide one.
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
        // In the model of an address, `description` is one of its texts, and in the debugger that of the object.
        if base == "description" { base = "summary" }
        var (name, number) = (base, 2)
        // Columns know neither case nor underscores.
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

    /// The names of an enum's cases, with their values, in their order.
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
