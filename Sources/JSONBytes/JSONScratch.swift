/// Memory for unescaped strings that stays where it is until it is emptied, so that many of them can be bound to one
/// statement by address.
///
/// Grows by chunks and never moves one; emptying keeps the newest chunk for the next row.
@safe @usableFromInline package struct JSONScratch: ~Copyable {
    /// The chunk being filled; this struct owns it, and those in `full`.
    private var chunk: UnsafeMutableRawBufferPointer
    private var used = 0
    private var full: [UnsafeMutableRawBufferPointer]

    /// - Parameter capacity: the bytes of the first chunk.
    package init(capacity: Int = 16 * 1024) {
        unsafe chunk = .allocate(byteCount: max(capacity, 64), alignment: 16)
        unsafe full = []
    }

    deinit {
        unsafe chunk.deallocate()
        for index in unsafe full.indices { unsafe full[index].deallocate() }
    }

    /// Discards all that was written. What `unescaped` returned before is invalid from then on.
    package mutating func removeAll() {
        used = 0
        guard !(unsafe full.isEmpty) else { return }
        for index in unsafe full.indices { unsafe full[index].deallocate() }
        unsafe full.removeAll()
    }

    /// Room for `count` bytes, uninitialized; `keep` records how many of them were written.
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
