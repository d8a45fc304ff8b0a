/// A key in the form of a compact document, with quotes and colon (`"login":`), prepared for comparison.
///
/// It has five words and no references. Its creator, a document or a `JSONNameTable`, must keep the bytes alive.
@safe @usableFromInline package struct JSONName {
    @usableFromInline package let bytes: UnsafeRawPointer
    /// The length in bytes, with quotes and colon.
    @usableFromInline package let count: Int
    /// The first eight bytes. A shorter key is padded with zeros.
    @usableFromInline let head: UInt64
    @usableFromInline let headMask: UInt64
    /// The last eight bytes; 0 for a shorter key.
    @usableFromInline let tail: UInt64

    /// `quoted` must be a valid JSON string and a colon, and must stay alive and unchanged while the name is used.
    @unsafe @usableFromInline init(unsafe quoted: UnsafeRawBufferPointer) {
        // A quoted name has at least three bytes, so the buffer has an address. The fallback would belong to an empty
        // name, whose bytes are never read.
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

    /// Copies the bytes to memory with room for `count` bytes, which must outlive the result.
    @unsafe package func copied(to place: UnsafeMutableRawPointer) -> JSONName {
        unsafe place.copyMemory(from: bytes, byteCount: count)
        return unsafe JSONName(unsafe: UnsafeRawBufferPointer(start: place, count: count))
    }

    /// Whether the bytes at `position` are this name. Reads no byte at or after `end`.
    @unsafe @inlinable @inline(__always)
    func begins(at position: UnsafeRawPointer, before end: UnsafeRawPointer) -> Bool {
        let available = unsafe end - position
        guard available >= 8 else {
            return unsafe available >= count && bytesAreEqual(position, bytes, count: count)
        }
        guard unsafe position.loadUnaligned(as: UInt64.self) & headMask == head else { return false }
        guard count > 8 else { return true }
        // `count` bytes are available, and the loads below stay inside them.
        guard available >= count else { return false }
        guard unsafe (position + (count &- 8)).loadUnaligned(as: UInt64.self) == tail else { return false }
        return unsafe count <= 16 || bytesAreEqual(position + 8, bytes + 8, count: count &- 16)
    }
}
