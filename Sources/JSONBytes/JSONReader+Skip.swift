extension JSONReader {
    /// Passes a value of any kind, validating it as if it were read, and says where it stood.
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

    /// Passes the object or array under the cursor, in one loop: which of the open containers are objects is kept as a
    /// bit each. Beyond 64 levels it calls itself, so the stack grows by one small frame for 64 levels.
    @usableFromInline mutating func skipContainer() throws(JSONError) {
        var objects: UInt64 = 0
        var open = 0
        repeat {
            if try enterForSkipping(&objects, &open) { continue }
            try closeForSkipping(&objects, &open)
        } while open > 0
    }

    /// Passes a scalar, an empty container or one beyond 64 levels (false), or the beginning of a container (true: its
    /// first value is next).
    @inline(__always)
    private mutating func enterForSkipping(_ objects: inout UInt64, _ open: inout Int) throws(JSONError) -> Bool {
        skipWhitespace()
        guard !isAtEnd else { throw failure(.expectedValue) }
        let isObject = byte == UInt8(ascii: "{")
        guard isObject || byte == UInt8(ascii: "[") else {
            _ = try readScalar()
            return false
        }
        if open == 64 {
            try skipContainer()
            return false
        }
        guard isObject ? try enterObject() : try enterArray() else { return false }
        objects = objects &<< 1 | (isObject ? 1 : 0)
        open &+= 1
        if isObject { _ = try readKey() }
        return true
    }

    /// After a value: passes the closing brackets that follow, up to the next value or the outermost's end.
    @inline(__always)
    private mutating func closeForSkipping(_ objects: inout UInt64, _ open: inout Int) throws(JSONError) {
        while open > 0 {
            if objects & 1 == 1 {
                if try continueObject() {
                    _ = try readKey()
                    return
                }
            } else if try continueArray() {
                return
            }
            objects &>>= 1
            open &-= 1
        }
    }
}
