import JSONBytes

/// What one import holds on to until its rows are bound: unescaped strings, and bytes that a conversion made.
@safe struct ImportMemory: ~Copyable {
    var scratch: JSONScratch
    private var owned: [UnsafeMutableRawBufferPointer] = unsafe []

    /// - Parameter capacity: bytes of unescaped strings for which there is room from the beginning.
    init(capacity: Int = 16 * 1024) { scratch = JSONScratch(capacity: capacity) }

    /// A value of its own as a slot, alive as long as this memory is not emptied.
    mutating func slot(_ value: StoredValue, _ shape: WireShape = .standard) -> ImportSlot {
        switch value {
        case .null: .null
        case .integer(let value): .integer(value, shape)
        case .real(let value): .real(value, shape)
        case .text(let text): unsafe .text(keep(text.utf8), shape)
        case .blob(let bytes): unsafe .blob(keep(bytes), shape)
        }
    }

    /// A copy of the bytes that stays where it is until `removeAll`.
    mutating func keep(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 1)
        unsafe copy.copyBytes(from: bytes)
        unsafe owned.append(copy)
        return unsafe UnsafeRawBufferPointer(rebasing: copy[..<bytes.count])
    }

    /// After an element's rows are written, nothing points here any more.
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
