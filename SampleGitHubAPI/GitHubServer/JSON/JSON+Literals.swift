extension JSON: ExpressibleByStringLiteral {
    init(stringLiteral value: String) { self = .string(value) }
}

extension JSON: ExpressibleByIntegerLiteral {
    init(integerLiteral value: Int) { self = .integer(value) }
}

extension JSON: ExpressibleByBooleanLiteral {
    init(booleanLiteral value: Bool) { self = .boolean(value) }
}
