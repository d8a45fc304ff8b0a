extension JSONReader {
    /// The error for a second value of one property in one object, at the cursor.
    package func duplicateKey(at path: String) -> JSONError {
        var error = failure(.duplicateKey)
        error.path = path
        return error
    }

    /// Goes to an offset that this reader, or a copy of it, stood at before.
    package mutating func move(to offset: Int) throws(JSONError) {
        guard offset >= 0, offset <= (unsafe end - start) else { throw failure(.unexpectedEnd) }
        unsafe cursor = start + offset
    }
}
