extension JSONReader {
    /// Passes a value of any kind, validating it as if it were read, and returns its range.
    @inlinable package mutating func skipValue() throws(JSONError) -> JSONFragment {
        let kind = try peekKind()
        let from = unsafe offset(of: cursor)
        if kind == .object || kind == .array {
            try skipContainer()
        } else {
            _ = try readScalar()
        }
        return unsafe JSONFragment(start: from, end: offset(of: cursor), kind: kind)
    }

    /// Passes the object or array under the cursor, in one loop. Beyond 64 levels it calls itself, so the stack grows
    /// by one small frame for every 64 levels.
    @usableFromInline mutating func skipContainer() throws(JSONError) {
        var open = OpenContainers()
        repeat {
            if try enterForSkipping(&open) { continue }
            try closeForSkipping(&open)
        } while open.count > 0
    }

    /// Passes a scalar, an empty container or one beyond 64 levels (false), or the beginning of a container (true: its
    /// first value is next).
    @inline(__always)
    private mutating func enterForSkipping(_ open: inout OpenContainers) throws(JSONError) -> Bool {
        skipWhitespace()
        guard !isAtEnd else { throw failure(.expectedValue) }
        let isObject = byte == UInt8(ascii: "{")
        guard isObject || byte == UInt8(ascii: "[") else {
            _ = try readScalar()
            return false
        }
        if open.count == OpenContainers.maximum {
            try skipContainer()
            return false
        }
        guard isObject ? try enterObject() : try enterArray() else { return false }
        open.push(isObject: isObject)
        if isObject { _ = try readKey() }
        return true
    }

    /// After a value: passes the closing brackets that follow, up to the next value or the outermost's end.
    @inline(__always)
    private mutating func closeForSkipping(_ open: inout OpenContainers) throws(JSONError) {
        while open.count > 0 {
            if open.innermostIsObject {
                if try continueObject() {
                    _ = try readKey()
                    return
                }
            } else if try continueArray() {
                return
            }
            open.pop()
        }
    }

    /// Passes the next value if it is an object, array or string written byte for byte as `fragment` is, which was read
    /// from this document before and therefore needs no second validation.
    ///
    /// Costs one comparison of memory, several times faster than reading. False: nothing but white space was passed.
    /// (The depth limit is not applied again inside the repeated value.)
    @inlinable package mutating func skipRepeat(of fragment: JSONFragment) -> Bool {
        skipWhitespace()
        // These kinds end with their own last byte; `12` would also match the beginning of `123`.
        guard fragment.kind == .object || fragment.kind == .array || fragment.kind == .string else { return false }
        guard hasNext(bytesOf: fragment) else { return false }
        unsafe cursor += fragment.count
        return true
    }

    /// The bytes from the cursor on are those of `fragment`.
    @inlinable package func hasNext(bytesOf fragment: JSONFragment) -> Bool {
        guard fragment.count <= remaining, Int(fragment.end) <= (unsafe end - start) else { return false }
        // Both runs lie inside the document by the line above.
        return unsafe bytesAreEqual(cursor, start + Int(fragment.start), count: fragment.count)
    }

    /// A hash of the next `count` bytes (rounded down to whole words), or of as many as remain: a cheap way to look up
    /// the fragments that the next value may repeat. Not for adversaries: compare before trusting.
    @inlinable package func fingerprint(ofNext count: Int) -> UInt64 {
        let limit = min(count, remaining)
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        var at = 0
        while at &+ 8 <= limit {
            // Eight bytes from here lie before `end`.
            hash = mix(hash ^ (unsafe (cursor + at).loadUnaligned(as: UInt64.self)))
            at &+= 8
        }
        return hash
    }
}

/// The containers that are open while a value is skipped: a bit for each, the innermost in the lowest, set for objects.
private struct OpenContainers {
    /// As many as there are bits.
    static let maximum = 64

    private var objects: UInt64 = 0
    private(set) var count = 0

    @inline(__always) var innermostIsObject: Bool { objects & 1 == 1 }

    @inline(__always) mutating func push(isObject: Bool) {
        objects = objects &<< 1 | (isObject ? 1 : 0)
        count &+= 1
    }

    @inline(__always) mutating func pop() {
        objects &>>= 1
        count &-= 1
    }
}
