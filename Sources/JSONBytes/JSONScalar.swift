/// The kind of a JSON value, which its first byte determines.
@usableFromInline package enum JSONKind: UInt8, Sendable, BitwiseCopyable {
    case object, array, string, number, `true`, `false`, null
}

/// The range of a string, number, `true`, `false` or `null` in the document.
///
/// It has twelve bytes and no references. A string's range excludes its quotes and includes its escapes. The reader
/// that made the scalar converts it to bytes, numbers and strings.
@usableFromInline package struct JSONScalar: Sendable, Equatable {
    @usableFromInline package let start: UInt32
    @usableFromInline package let end: UInt32
    @usableFromInline package let kind: JSONKind
    @usableFromInline let flag: Bool

    @inlinable init(start: UInt32, end: UInt32, kind: JSONKind, flag: Bool = false) {
        self.start = start
        self.end = end
        self.kind = kind
        self.flag = flag
    }

    /// The length in bytes, without a string's quotes.
    @inlinable package var count: Int { Int(end &- start) }
    /// Whether the string has a `\` escape, so that its bytes differ from its value.
    @inlinable package var hasEscapes: Bool { flag && kind == .string }
    /// Whether the number is written without fraction and exponent. (`1.0` may still have an exact integer.)
    @inlinable package var isInteger: Bool { flag && kind == .number }
    /// Nil for other kinds than `true` and `false`.
    @inlinable package var bool: Bool? { kind == .true ? true : kind == .false ? false : nil }
}

/// A scalar of kind `.string`: a key or a string value.
@usableFromInline package typealias JSONString = JSONScalar

/// The range of a whole value in the document, with its brackets or quotes.
@usableFromInline package struct JSONFragment: Sendable, Equatable, BitwiseCopyable {
    @usableFromInline package let start: UInt32
    @usableFromInline package let end: UInt32
    @usableFromInline package let kind: JSONKind

    @inlinable init(start: UInt32, end: UInt32, kind: JSONKind) {
        self.start = start
        self.end = end
        self.kind = kind
    }

    @inlinable package var count: Int { Int(end &- start) }
    @inlinable package var isEmptyText: Bool { kind == .string && count == 2 }
}
