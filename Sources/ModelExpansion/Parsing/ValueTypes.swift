enum ValueTypes {
    /// Suggested defaults; `nil` if every value has a meaning.
    static let defaults: [String: String?] = [
        "Bool": "false", "String": "\"\"",
        "Int": "0", "Int8": "0", "Int16": "0", "Int32": "0", "Int64": "0",
        "UInt": "0", "UInt8": "0", "UInt16": "0", "UInt32": "0", "UInt64": "0",
        "Double": "0", "Float": "0", "Decimal": "0",
        "Data": "Data()", "UUID": "UUID()", "Date": nil, "URL": nil,
    ]

    /// These may qualify the names.
    static let modules: Set<String> = ["Swift", "Foundation", "FoundationEssentials"]
}
