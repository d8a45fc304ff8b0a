import JSONBytes

/// Memory that an import needs until its rows are bound: unescaped strings and converted bytes.
@safe struct ImportMemory: ~Copyable {
    var scratch: JSONScratch
    private var owned: [UnsafeMutableRawBufferPointer] = unsafe []

    /// - Parameter capacity: the initial room for unescaped strings, in bytes.
    init(capacity: Int = 16 * 1024) { scratch = JSONScratch(capacity: capacity) }

    /// A slot with a copy of the value, valid until `removeAll`.
    mutating func slot(_ value: StoredValue, _ shape: WireShape = .standard) -> ImportSlot {
        switch value {
        case .null: .null
        case .integer(let value): .integer(value, shape)
        case .real(let value): .real(value, shape)
        case .text(let text): unsafe .text(keep(text.utf8), shape)
        case .blob(let bytes): unsafe .blob(keep(bytes), shape)
        }
    }

    /// A copy of the bytes, at a fixed address until `removeAll`.
    mutating func keep(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        unsafe copy.copyBytes(from: bytes)
        unsafe owned.append(copy)
        return unsafe UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
    }

    /// Frees the memory. Call it after the rows of an element are written, so that all slots are unused.
    mutating func removeAll() {
        scratch.removeAll()
        guard !(unsafe owned.isEmpty) else { return }
        for index in unsafe owned.indices { unsafe owned[index].deallocate() }
        unsafe owned.removeAll()
    }

    deinit {
        for index in unsafe owned.indices { unsafe owned[index].deallocate() }
    }
}
