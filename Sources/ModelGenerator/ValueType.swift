import GeneratedCode
import OpenAPIFiles

struct ValueType {
    let type: String
    /// For a value that every reply has; nil if each value of the type has a meaning.
    var `default`: String?
    var format: String?
    /// Of an enum of texts.
    var cases: [String]?

    init(_ meaning: JSONMeaning, in description: OpenAPIDescription) {
        guard meaning.types.count == 1, let type = meaning.types.first else {
            // A number that may be written as text.
            let isNumeric = Set(meaning.types) == ["integer", "string"] && meaning.enumeration.isEmpty
            self.init(type: isNumeric ? "String" : "JSONValue", default: nil)
            return
        }
        switch type {
        case "boolean": self.init(type: "Bool", default: "false")
        case "integer": self = Self.integer(meaning)
        case "number": self.init(type: "Double", default: "0")
        case "string": self = Self.text(meaning)
        case "array": self = Self.list(meaning, in: description)
        case "object": self = Self.map(meaning, in: description)
        default: self.init(type: "JSONValue", default: nil)
        }
    }

    private init(type: String, default: String?, format: String? = nil, cases: [String]? = nil) {
        (self.type, self.default, self.format, self.cases) = (type, `default`, format, cases)
    }

    /// Stripe's `unix-time` is a date.
    private static func integer(_ meaning: JSONMeaning) -> ValueType {
        switch meaning.format {
        case "unix-time", "unixtime", "timestamp": ValueType(type: "Date", default: nil, format: ".epochSeconds")
        default: ValueType(type: "Int", default: "0")
        }
    }

    private static func text(_ meaning: JSONMeaning) -> ValueType {
        let cases = meaning.enumeration.compactMap(\.string)
        if cases.count > 1, cases.count == meaning.enumeration.count, cases.count <= 60,
            Set(cases).count == cases.count
        {
            return ValueType(type: "String", default: nil, cases: cases)
        }
        switch meaning.format {
        case "date-time", "date": return ValueType(type: "Date", default: nil)
        case "uri", "url": return ValueType(type: "URL", default: nil)
        case "uuid": return ValueType(type: "UUID", default: nil)
        case "byte": return ValueType(type: "Data", default: nil)
        default: return ValueType(type: "String", default: "\"\"")
        }
    }

    private static func list(_ meaning: JSONMeaning, in description: OpenAPIDescription) -> ValueType {
        ValueType(type: "[\(scalar(meaning.items, in: description) ?? "JSONValue")]", default: "[]")
    }

    private static func map(_ meaning: JSONMeaning, in description: OpenAPIDescription) -> ValueType {
        guard meaning.properties.isEmpty, let value = scalar(meaning.others, in: description) else {
            return ValueType(type: "JSONValue", default: nil)
        }
        return ValueType(type: "[String: \(value)]", default: "[:]")
    }

    /// Nil for other or nullable values.
    private static func scalar(_ schema: JSONSchema?, in description: OpenAPIDescription) -> String? {
        guard let schema else { return nil }
        let meaning = description.meaning(of: schema)
        guard meaning.types.count == 1, !meaning.isNullable else { return nil }
        return switch meaning.types.first {
        case "boolean": "Bool"
        case "integer": "Int"
        case "number": "Double"
        case "string": "String"
        default: nil
        }
    }
}
