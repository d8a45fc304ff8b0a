extension JSONReader {
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

/// Spreads a word's bits by one full-width multiplication.
@inlinable func mix(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
    return product.high ^ product.low
}
