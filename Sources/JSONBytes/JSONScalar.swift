/// The kind of a JSON value, which its first byte determines.
@usableFromInline package enum JSONKind: UInt8, Sendable, BitwiseCopyable {
    case object, array, string, number, `true`, `false`, null
}

/// The range of a string, number, `true`, `false` or `null` in the document, and what is already known about it.
///
/// Twelve bytes, no references. A string's range leaves out its quotes and keeps its escapes; the reader that made the
/// scalar turns it into bytes, numbers and strings.
@usableFromInline package struct JSONScalar: Sendable, Equatable {
    /// The first byte's offset.
    @usableFromInline package let start: UInt32
    /// The offset past the last byte.
    @usableFromInline package let end: UInt32
    @usableFromInline package let kind: JSONKind
    @usableFromInline let flag: Bool

    @inlinable init(start: UInt32, end: UInt32, kind: JSONKind, flag: Bool = false) {
        self.start = start
        self.end = end
        self.kind = kind
        self.flag = flag
    }

    /// How many bytes the scalar takes, a string's quotes not counted.
    @inlinable package var count: Int { Int(end &- start) }
    /// The string holds at least one `\` escape, so that its bytes are not its value.
    @inlinable package var hasEscapes: Bool { flag && kind == .string }
    /// The number is written without fraction and exponent. (`1.0` may still have an exact integer.)
    @inlinable package var isInteger: Bool { flag && kind == .number }
    /// The value of `true` and `false`; nil for the other kinds.
    @inlinable package var bool: Bool? { kind == .true ? true : kind == .false ? false : nil }
}

/// A scalar of kind `.string`: a key or a string value.
@usableFromInline package typealias JSONString = JSONScalar

/// The range of a whole value of any kind in the document, with its brackets and quotes, without white space around it.
@usableFromInline package struct JSONFragment: Sendable, Equatable, BitwiseCopyable {
    /// The first byte's offset.
    @usableFromInline package let start: UInt32
    /// The offset past the last byte.
    @usableFromInline package let end: UInt32
    @usableFromInline package let kind: JSONKind

    @inlinable init(start: UInt32, end: UInt32, kind: JSONKind) {
        self.start = start
        self.end = end
        self.kind = kind
    }

    @inlinable package var count: Int { Int(end &- start) }
    /// Whether it is `""`.
    @inlinable package var isEmptyText: Bool { kind == .string && count == 2 }
}
