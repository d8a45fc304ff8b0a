/// Memory for unescaped strings. Addresses stay valid until `removeAll()`, so that many strings can be bound to one SQL
/// statement.
///
/// It grows by adding chunks. Removing everything keeps the newest chunk for the next row.
@safe @usableFromInline package struct JSONScratch: ~Copyable {
    /// The current chunk. This struct owns it and those in `full`.
    private var chunk: UnsafeMutableRawBufferPointer
    private var used = 0
    private var full: [UnsafeMutableRawBufferPointer]

    /// - Parameter capacity: the size of the first chunk, in bytes.
    package init(capacity: Int = 16 * 1024) {
        unsafe chunk = .allocate(byteCount: max(capacity, 64), alignment: 16)
        unsafe full = []
    }

    deinit {
        unsafe chunk.deallocate()
        for index in unsafe full.indices { unsafe full[index].deallocate() }
    }

    /// Discards all strings. Buffers that `unescaped` has returned become invalid.
    package mutating func removeAll() {
        used = 0
        guard !(unsafe full.isEmpty) else { return }
        for index in unsafe full.indices { unsafe full[index].deallocate() }
        unsafe full.removeAll()
    }

    /// Reserves `count` uninitialized bytes. Call `keep` with the number of bytes written.
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
