/// Memory for unescaped strings, in chunks. Addresses stay valid until `removeAll()`, so that many strings can be bound
/// to one statement.
@safe @usableFromInline package struct JSONScratch: ~Copyable {
    /// Owned, like those in `full`.
    private var chunk: UnsafeMutableRawBufferPointer
    private var used = 0
    private var full: [UnsafeMutableRawBufferPointer]

    /// - Parameter capacity: of the first chunk, in bytes.
    package init(capacity: Int = 16 * 1024) {
        unsafe chunk = .allocate(byteCount: max(capacity, 64), alignment: 16)
        unsafe full = []
    }

    deinit {
        unsafe chunk.deallocate()
        for index in unsafe full.indices { unsafe full[index].deallocate() }
    }

    /// Invalidates all buffers of `unescaped`. Keeps the newest chunk.
    package mutating func removeAll() {
        used = 0
        guard !(unsafe full.isEmpty) else { return }
        for index in unsafe full.indices { unsafe full[index].deallocate() }
        unsafe full.removeAll()
    }

    /// Uninitialized. Call `keep` with the number of bytes written.
    @unsafe mutating func reserve(_ count: Int) -> UnsafeMutableRawBufferPointer {
        if unsafe chunk.count - used < count {
            unsafe full.append(chunk)
            unsafe chunk = .allocate(byteCount: max(count, chunk.count * 2), alignment: 16)
            used = 0
        }
        return unsafe UnsafeMutableRawBufferPointer(rebasing: chunk[used..<used + count])
    }

    mutating func keep(_ count: Int) { used += count }
}
