import JSONBytes

/// Holds unescaped strings and converted bytes until an import has bound its rows.
@safe struct ImportMemory: ~Copyable {
    var scratch: JSONScratch
    private var owned: [UnsafeMutableRawBufferPointer] = unsafe []

    /// - Parameter capacity: for unescaped strings, in bytes.
    init(capacity: Int = 16 * 1024) { scratch = JSONScratch(capacity: capacity) }

    /// Valid until `removeAll`.
    mutating func slot(_ value: StoredValue, _ shape: WireShape = .standard) -> ImportSlot {
        switch value {
        case .null: .null
        case .integer(let value): .integer(value, shape)
        case .real(let value): .real(value, shape)
        case .text(let text): unsafe .text(keep(text.utf8), shape)
        case .blob(let bytes): unsafe .blob(keep(bytes), shape)
        }
    }

    /// Copies to a fixed address until `removeAll`.
    mutating func keep(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        unsafe copy.copyBytes(from: bytes)
        unsafe owned.append(copy)
        return unsafe UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
    }

    /// Call it after an element's rows are written, so that all slots are unused.
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
