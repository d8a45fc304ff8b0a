/// The types that are values for certain.
enum ValueTypes {
    /// What a property of each starts with where its author has nothing better to say; `nil` where no value is neutral.
    static let defaults: [String: String?] = [
        "Bool": "false", "String": "\"\"",
        "Int": "0", "Int8": "0", "Int16": "0", "Int32": "0", "Int64": "0",
        "UInt": "0", "UInt8": "0", "UInt16": "0", "UInt32": "0", "UInt64": "0",
        "Double": "0", "Float": "0", "Decimal": "0",
        "Data": "Data()", "UUID": "UUID()", "Date": nil, "URL": nil,
    ]

    /// The modules whose names may stand before them.
    static let modules: Set<String> = ["Swift", "Foundation", "FoundationEssentials"]
}
