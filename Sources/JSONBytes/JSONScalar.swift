/// By the first byte.
@usableFromInline package enum JSONKind: UInt8, Sendable, BitwiseCopyable {
    case object, array, string, number, `true`, `false`, null
}

/// A range in the document. A string's range excludes its quotes and includes its escapes. It has twelve bytes and no
/// references; the reader that made it converts it.
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

    /// In bytes, without a string's quotes.
    @inlinable package var count: Int { Int(end &- start) }
    /// With escapes, the bytes differ from the value.
    @inlinable package var hasEscapes: Bool { flag && kind == .string }
    /// Without fraction and exponent. (`1.0` may still have an exact integer.)
    @inlinable package var isInteger: Bool { flag && kind == .number }
    /// Nil for other kinds.
    @inlinable package var bool: Bool? { kind == .true ? true : kind == .false ? false : nil }
}

/// A key or a string value.
@usableFromInline package typealias JSONString = JSONScalar

/// A whole value, with brackets or quotes.
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
