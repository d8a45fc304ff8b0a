/// A key as a compact document writes it, quotes and colon included (`"login":`), prepared for comparison.
///
/// Five words, no references. The name's creator keeps its bytes alive: the document, or a `JSONNameTable`.
@safe @usableFromInline package struct JSONName {
    @usableFromInline package let bytes: UnsafeRawPointer
    /// How many bytes the key takes in the document, quotes and colon included.
    @usableFromInline package let count: Int
    /// The first eight bytes, or all of them and zeros.
    @usableFromInline let head: UInt64
    /// Which bits of `head` count.
    @usableFromInline let headMask: UInt64
    /// The last eight bytes, if there are that many.
    @usableFromInline let tail: UInt64

    /// `quoted` holds a valid JSON string and a colon, and stays alive and unchanged as long as the name is used.
    @unsafe @usableFromInline init(unsafe quoted: UnsafeRawBufferPointer) {
        // A quoted name has three bytes at least, so the buffer has an address; were it empty, the name would be empty
        // too, and its bytes never read.
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

    /// The same name with its bytes at another place, where there is room for `count`; it is used as long as they are
    /// there.
    @unsafe package func copied(to place: UnsafeMutableRawPointer) -> JSONName {
        unsafe place.copyMemory(from: bytes, byteCount: count)
        return unsafe JSONName(unsafe: UnsafeRawBufferPointer(start: place, count: count))
    }

    /// The bytes from `position` on are this name's; those from `end` on aren't read.
    @unsafe @inlinable @inline(__always)
    func begins(at position: UnsafeRawPointer, before end: UnsafeRawPointer) -> Bool {
        let available = unsafe end - position
        guard available >= 8 else {
            return unsafe available >= count && bytesAreEqual(position, bytes, count: count)
        }
        guard unsafe position.loadUnaligned(as: UInt64.self) & headMask == head else { return false }
        guard count > 8 else { return true }
        // From here `count` bytes lie before `end`, and the loads below stay inside them.
        guard available >= count else { return false }
        guard unsafe (position + (count &- 8)).loadUnaligned(as: UInt64.self) == tail else { return false }
        return unsafe count <= 16 || bytesAreEqual(position + 8, bytes + 8, count: count &- 16)
    }
}
