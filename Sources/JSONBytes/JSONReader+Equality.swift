extension JSONReader {
    /// The string, escapes resolved, is spelt by `name`'s bytes.
    package func isEqual(_ string: JSONString, to name: UnsafeRawBufferPointer) -> Bool {
        guard string.hasEscapes else { return unsafe equal(bytes(of: string), name) }
        var value = self.string(string)
        return value.withUTF8 { unsafe equal(UnsafeRawBufferPointer($0), name) }
    }

    /// The string, escapes resolved, has the UTF-8 of `name`. (Canonically equivalent spellings differ.)
    package func isEqual(_ string: JSONString, to name: String) -> Bool {
        var name = name
        return name.withUTF8 { unsafe isEqual(string, to: UnsafeRawBufferPointer($0)) }
    }
}

/// Both buffers hold the same bytes.
func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let a = left.baseAddress, let b = right.baseAddress else { return left.count == 0 }
    return unsafe bytesAreEqual(a, b, count: left.count)
}
