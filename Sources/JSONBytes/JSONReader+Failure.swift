extension JSONReader {
    /// The error for what is wrong under the cursor. Out of line: throwing is the cold path.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason) -> JSONError {
        unsafe failure(reason, at: cursor)
    }

    /// The error for what is wrong at `position`; running out of bytes is told from wrong ones here.
    @usableFromInline @inline(never) func failure(_ reason: JSONError.Reason, at position: UnsafeRawPointer)
        -> JSONError
    {
        guard unsafe position >= end else { return unsafe JSONError(reason, at: position - start, in: bytes) }
        // The byte order mark counts as blank.
        let blank: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        let isBlank = unsafe bytes.allSatisfy(blank.contains)
        return unsafe JSONError(isBlank ? .emptyDocument : .unexpectedEnd, at: end - start, in: bytes)
    }
}
