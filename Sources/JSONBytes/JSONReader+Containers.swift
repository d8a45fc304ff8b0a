extension JSONReader {
    /// Passes `{`. True: the cursor stands before the first key. False: the object was empty and is passed whole.
    @inlinable package mutating func enterObject() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "{"), closing: UInt8(ascii: "}"), otherwise: .expectedObject)
    }

    /// After a member's value: passes `,` (true, a key is next) or `}` (false, the object is done).
    @inlinable package mutating func continueObject() throws(JSONError) -> Bool {
        try `continue`(closing: UInt8(ascii: "}"), otherwise: .expectedCommaOrBrace)
    }

    /// Passes `[`. True: the cursor stands before the first element. False: the array was empty and is passed whole.
    @inlinable package mutating func enterArray() throws(JSONError) -> Bool {
        try enter(UInt8(ascii: "["), closing: UInt8(ascii: "]"), otherwise: .expectedArray)
    }

    /// After an element: passes `,` (true, a value is next) or `]` (false, the array is done).
    @inlinable package mutating func continueArray() throws(JSONError) -> Bool {
        try `continue`(closing: UInt8(ascii: "]"), otherwise: .expectedCommaOrBracket)
    }

    @inlinable @inline(__always) mutating func enter(
        _ opening: UInt8, closing: UInt8, otherwise reason: JSONError.Reason
    ) throws(JSONError) -> Bool {
        skipWhitespace()
        guard !isAtEnd, byte == opening else { throw failure(reason) }
        guard depth < maximumDepth else { throw failure(.tooDeep(limit: maximumDepth)) }
        advance()
        skipWhitespace()
        if !isAtEnd, byte == closing {
            advance()
            return false
        }
        depth &+= 1
        return true
    }

    @inlinable @inline(__always) mutating func `continue`(
        closing: UInt8, otherwise reason: JSONError.Reason
    ) throws(JSONError) -> Bool {
        skipWhitespace()
        guard !isAtEnd else { throw failure(reason) }
        if byte == UInt8(ascii: ",") {
            advance()
            return true
        }
        guard byte == closing else { throw failure(reason) }
        advance()
        depth &-= 1
        return false
    }
}
