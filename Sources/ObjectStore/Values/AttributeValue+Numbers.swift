extension Bool: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .boolean }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self = value != 0
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .integer(self ? 1 : 0) }
}

extension AttributeValue where Self: FixedWidthInteger & SignedInteger {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .integer(Int64(Self.min)...Int64(Self.max)) }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self.init(exactly: value)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .integer(Int64(self)) }
}

extension AttributeValue where Self: FixedWidthInteger & UnsignedInteger {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind {
        Self.bitWidth == 64 ? .unsigned : .integer(0...Int64(Self.max))
    }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .integer(let value) = stored else { return nil }
        self.init(exactly: UInt64(bitPattern: value))
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .integer(Int64(bitPattern: UInt64(self))) }
}

extension Int: AttributeValue {}
extension Int8: AttributeValue {}
extension Int16: AttributeValue {}
extension Int32: AttributeValue {}
extension Int64: AttributeValue {}
extension UInt: AttributeValue {}
extension UInt8: AttributeValue {}
extension UInt16: AttributeValue {}
extension UInt32: AttributeValue {}
extension UInt64: AttributeValue {}

/// Stored as decimal text, and ordered by value in queries.
extension Int128: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .wideInteger(isSigned: true) }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(text)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .text(description) }
}

/// Stored as decimal text, and ordered by value in queries.
extension UInt128: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .wideInteger(isSigned: false) }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(text)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .text(description) }
}

extension Double: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .real }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        switch stored {
        case .real(let value): self = value
        case .integer(let value): self = Double(value)
        default: return nil
        }
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .real(self) }
}

extension Float: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .float }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard let value = Double(stored: stored), Float(value).isFinite || !value.isFinite else { return nil }
        self = Float(value)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { Double(self).stored }
}
