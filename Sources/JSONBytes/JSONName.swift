/// A key of a compact document, with quotes and colon (`"login":`).
///
/// It has five words and no references. Its creator, a document or a `JSONNameTable`, must keep the bytes alive.
@safe @usableFromInline package struct JSONName {
    @usableFromInline package let bytes: UnsafeRawPointer
    /// In bytes, with quotes and colon.
    @usableFromInline package let count: Int
    /// Padded with zeros.
    @usableFromInline let head: UInt64
    @usableFromInline let headMask: UInt64
    /// 0 for a shorter key.
    @usableFromInline let tail: UInt64

    /// `quoted` must be a valid JSON string and a colon, alive and unchanged while the name is used.
    @unsafe @usableFromInline init(unsafe quoted: UnsafeRawBufferPointer) {
        // A quoted name has at least three bytes, and so an address. The bytes of an empty one are never read.
        unsafe bytes = quoted.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
        count = quoted.count
        if quoted.count >= 8 {
            headMask = .max
            unsafe (head, tail) = quoted.edges
        } else {
            headMask = UInt64(littleEndian: (1 &<< UInt64(quoted.count * 8)) - 1)
            unsafe head = UInt64(littleEndian: quoted.reversed().reduce(0) { $0 &<< 8 | UInt64($1) })
            tail = 0
        }
    }

    /// `place` must have room for `count` bytes, and outlive the result.
    @unsafe package func copied(to place: UnsafeMutableRawPointer) -> JSONName {
        unsafe place.copyMemory(from: bytes, byteCount: count)
        return unsafe JSONName(unsafe: UnsafeRawBufferPointer(start: place, count: count))
    }

    /// Reads no byte at or after `end`.
    @unsafe @inlinable @inline(__always)
    func begins(at position: UnsafeRawPointer, before end: UnsafeRawPointer) -> Bool {
        let available = unsafe end - position
        guard available >= 8 else {
            return unsafe available >= count && bytesAreEqual(position, bytes, count: count)
        }
        guard unsafe position.loadUnaligned(as: UInt64.self) & headMask == head else { return false }
        guard count > 8 else { return true }
        // The loads below stay inside `count` bytes.
        guard available >= count else { return false }
        guard unsafe (position + (count &- 8)).loadUnaligned(as: UInt64.self) == tail else { return false }
        return unsafe count <= 16 || bytesAreEqual(position + 8, bytes + 8, count: count &- 16)
    }
}
