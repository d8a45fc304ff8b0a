extension JSONReader {
    /// Validates as strictly as reading does.
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

    /// Enters an object with members, and skips any other value. Returns true before the first key.
    package mutating func enterObjectOrSkip() throws(JSONError) -> Bool {
        guard try peekKind() == .object else {
            _ = try skipValue()
            return false
        }
        return try enterObject()
    }

    /// A loop, which recurses only once for every 64 levels of nesting.
    @usableFromInline mutating func skipContainer() throws(JSONError) {
        var open = OpenContainers()
        repeat {
            if try enterForSkipping(&open) { continue }
            try closeForSkipping(&open)
        } while open.count > 0
    }

    /// Returns false after a scalar, an empty container, or 64 levels. Otherwise stands before the container's first
    /// value.
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

    /// Up to the next value, or the end of the outermost container.
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

    /// Skips an object, array or string with the bytes of `fragment`, which was validated. Costs several times less
    /// than reading.
    ///
    /// If false, only white space was skipped. The depth limit isn't checked again.
    @inlinable package mutating func skipRepeat(of fragment: JSONFragment) -> Bool {
        skipWhitespace()
        // These kinds have a closing byte; `12` would match the beginning of `123`.
        guard fragment.kind == .object || fragment.kind == .array || fragment.kind == .string else { return false }
        guard hasNext(bytesOf: fragment) else { return false }
        unsafe cursor += fragment.count
        return true
    }

    @inlinable package func hasNext(bytesOf fragment: JSONFragment) -> Bool {
        guard fragment.count <= remaining, Int(fragment.end) <= (unsafe end - start) else { return false }
        // Both runs are inside the document, as checked.
        return unsafe bytesAreEqual(cursor, start + Int(fragment.start), count: fragment.count)
    }

    /// Of `count` bytes, rounded down to 8. Collisions can be forged, so compare the bytes.
    @inlinable package func fingerprint(ofNext count: Int) -> UInt64 {
        let limit = min(count, remaining)
        var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
        var at = 0
        while at &+ 8 <= limit {
            // Eight bytes from here are before `end`.
            hash = mix(hash ^ (unsafe (cursor + at).loadUnaligned(as: UInt64.self)))
            at &+= 8
        }
        return hash
    }
}

/// One bit each, set for objects. The innermost is the lowest.
private struct OpenContainers {
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
