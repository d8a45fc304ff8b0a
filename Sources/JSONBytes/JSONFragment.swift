/// Where a whole value of any kind stands in the document: brackets and quotes included, white space around it not.
@usableFromInline package struct JSONFragment: Sendable, Equatable {
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
}

extension JSONReader {
    /// The object, array or string that began at offset `start` (as `offset` said after `peekKind()`) and was read up
    /// to the cursor. What lies between two other offsets is no fragment.
    @inlinable package func fragment(from start: UInt32, kind: JSONKind = .object) -> JSONFragment {
        unsafe JSONFragment(start: start, end: offset(of: cursor), kind: kind)
    }
}
