extension JSONReader {
    /// The scalar's bytes in the document: a string's without quotes and with its escapes, valid UTF-8.
    ///
    /// Empty for a scalar of another, longer document. Alive as long as the document.
    @unsafe @inlinable package func bytes(of scalar: JSONScalar) -> UnsafeRawBufferPointer {
        unsafe bytes(from: scalar.start, to: scalar.end)
    }

    /// The value's bytes in the document, brackets and quotes included.
    @unsafe @inlinable package func bytes(of fragment: JSONFragment) -> UnsafeRawBufferPointer {
        unsafe bytes(from: fragment.start, to: fragment.end)
    }

    /// The string's value; for other kinds, the bytes as written.
    package func string(_ scalar: JSONScalar) -> String {
        guard scalar.hasEscapes else { return unsafe String(decoding: bytes(of: scalar), as: UTF8.self) }
        return unsafe String(unsafeUninitializedCapacity: scalar.count) { output in
            // A value is never longer than its escaped form, so the capacity asked for suffices.
            unsafe unescape(scalar, to: UnsafeMutableRawBufferPointer(output))
        }
    }

    /// The number, ready to be converted.
    @inlinable package func number(_ scalar: JSONScalar) -> JSONNumber {
        // The scalar's grammar was checked when it was read; its bytes live as long as the document.
        unsafe JSONNumber(unsafe: bytes(of: scalar), isInteger: scalar.isInteger)
    }

    @unsafe @inlinable func bytes(from lower: UInt32, to upper: UInt32) -> UnsafeRawBufferPointer {
        guard lower <= upper, Int(upper) <= (unsafe end - start) else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeRawBufferPointer(start: start + Int(lower), count: Int(upper &- lower))
    }
}
