import GRDBSQLite

/// The values of one row, copied from SQLite into a single allocation and decoded when read.
///
/// Each property has a slot of two words. The first has the SQLite storage class in its low byte, and the length of
/// text or bytes above it. The second has the number, or the offset of the bytes, which follow the slots.
///
/// The first 64 slots cache decoded values: a `String`, or a loose reference to a link's target with its row. Safe
/// because a snapshot belongs to one object, so these writes happen in its context's isolation.
@safe @usableFromInline final class Snapshot: ManagedBuffer<Snapshot.Header, UInt64> {
    /// 32 bytes, so that every slot stays within one cache line.
    @usableFromInline struct Header {
        let slotCount: Int
        /// Bit mask of the first 64 slots: those with a `String`.
        var texts: UInt64 = 0
        /// Bit mask of the first 64 slots: those with a link's target.
        var targets: UInt64 = 0
        private let padding: UInt64 = 0

        init(slotCount: Int) { self.slotCount = slotCount }
    }

    deinit {
        // `texts` marks exactly the initialized strings, and no other reference to them is left.
        unsafe withUnsafeMutablePointers { header, words in
            var texts = unsafe header.pointee.texts
            while texts != 0 {
                unsafe Self.string(in: words, texts.trailingZeroBitCount).deinitialize(count: 1)
                texts &= texts &- 1
            }
        }
        forgetTargets()
    }

    /// A `String` has the size of a slot: 16 bytes.
    @inlinable @inline(__always)
    static func string(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> UnsafeMutablePointer<String> {
        unsafe UnsafeMutableRawPointer(words + slot &* 2).assumingMemoryBound(to: String.self)
    }

    @inline(__always)
    private static func bit(_ slot: Int) -> UInt64 { slot < 64 ? 1 &<< UInt64(truncatingIfNeeded: slot) : 0 }

    @inline(__always)
    var knownSlots: UInt64 { header.slotCount < 64 ? 1 &<< UInt64(header.slotCount) &- 1 : .max }
    @inline(__always)
    var readSlots: UInt64 { header.texts | header.targets }

    /// Valid while the snapshot is retained.
    @unsafe @inline(__always)
    var slots: UnsafeMutablePointer<UInt64> { unsafe withUnsafeMutablePointerToElements { words in unsafe words } }

    /// Asks SQLite for type and length only once. The pointer is valid until the statement's next step.
    @unsafe private struct ColumnValue {
        let value: OpaquePointer?
        let head: UInt64

        /// Allowed if only the statement's thread uses the value (https://sqlite.org/c3ref/column_blob.html).
        @inline(__always)
        init(_ value: OpaquePointer?) {
            unsafe self.value = unsafe value
            let type = unsafe sqlite3_value_type(value)
            switch type {
            case SQLITE_TEXT, SQLITE_BLOB: unsafe head = UInt64(type) | UInt64(sqlite3_value_bytes(value)) << 8
            case SQLITE_NULL: unsafe head = 0
            default: unsafe head = UInt64(type)
            }
        }

        @inline(__always)
        var length: Int { unsafe Int(head >> 8) }
    }

    /// Column `first + n` fills slot `slots[n]`.
    static func row(of statement: RawStatement, from first: Int32, slots: [Int], count: Int) -> Snapshot {
        unsafe withUnsafeTemporaryAllocation(of: ColumnValue.self, capacity: slots.count) { values -> Snapshot in
            var size = 0
            for column in slots.indices {
                let value = unsafe ColumnValue(
                    sqlite3_column_value(statement.handle, first + Int32(truncatingIfNeeded: column)))
                unsafe values.initializeElement(at: column, to: value)
                unsafe size += value.length
            }
            statement.connection.room.take(count * 16 + size)
            return unsafe row(of: values, byteCount: size, slots: slots, count: count)
        }
    }

    @unsafe
    private static func row(
        of values: UnsafeMutableBufferPointer<ColumnValue>, byteCount: Int, slots: [Int], count: Int
    ) -> Snapshot {
        // Safe: the class is final, and `create` returns an instance of it.
        let snapshot = unsafe unsafeDowncast(
            Snapshot.create(minimumCapacity: count * 2 + (byteCount + 7) / 8) { _ in Header(slotCount: count) },
            to: Snapshot.self)
        unsafe snapshot.withUnsafeMutablePointerToElements { words in
            unsafe words.initialize(repeating: 0, count: count * 2)
            let bytes = UnsafeMutableRawPointer(words)
            var offset = count * 16
            for column in slots.indices {
                unsafe copy(values[column], to: words + slots[column] * 2, bytes: bytes, at: &offset)
            }
        }
        return snapshot
    }

    @unsafe @inline(__always)
    private static func copy(
        _ column: ColumnValue, to slot: UnsafeMutablePointer<UInt64>, bytes: UnsafeMutableRawPointer,
        at offset: inout Int
    ) {
        unsafe slot[0] = column.head
        switch unsafe Int32(truncatingIfNeeded: column.head & 0xff) {
        case SQLITE_INTEGER: unsafe slot[1] = UInt64(bitPattern: sqlite3_value_int64(column.value))
        case SQLITE_FLOAT: unsafe slot[1] = sqlite3_value_double(column.value).bitPattern
        case SQLITE_TEXT, SQLITE_BLOB:
            unsafe slot[1] = UInt64(offset)
            if let source = unsafe sqlite3_value_blob(column.value) {
                unsafe (bytes + offset).copyMemory(from: source, byteCount: column.length)
            }
            unsafe offset += column.length
        default: break
        }
    }

    /// For new objects. Safe to share between threads: without slots, `keepText` and `keepTarget` leave it unchanged.
    nonisolated(unsafe) static let empty: Snapshot = {
        // Safe: the class is final.
        unsafe unsafeDowncast(
            Snapshot.create(minimumCapacity: 0) { _ in Header(slotCount: 0) }, to: Snapshot.self)
    }()

    /// Missing slots have `null`. Texts are compared as bytes.
    func has(_ value: StoredValue, at slot: Int) -> Bool {
        switch value {
        case .integer(let number): integer(slot) == number
        case .text(let text): hasBytes(of: text, at: slot) ?? (self.value(slot) == value)
        default: self.value(slot) == value
        }
    }

    /// `nil` unless the slot has an undecoded text.
    private func hasBytes(of text: String, at slot: Int) -> Bool? {
        unsafe withUnsafeMutablePointers { header, words in
            guard slot >= 0, unsafe slot < header.pointee.slotCount, unsafe header.pointee.texts & Self.bit(slot) == 0,
                unsafe words[slot * 2] & 0xff == UInt64(SQLITE_TEXT)
            else { return nil }
            let length = unsafe Int(words[slot * 2] >> 8)
            guard text.utf8.count == length else { return false }
            let start = unsafe UnsafeRawPointer(words) + Int(words[slot * 2 + 1])
            return unsafe text.hasBytes(UnsafeRawBufferPointer(start: start, count: length))
        }
    }

    func value(_ slot: Int) -> StoredValue {
        unsafe withUnsafeMutablePointers { header, words in
            guard slot >= 0, unsafe slot < header.pointee.slotCount else { return .null }
            if unsafe header.pointee.texts & Self.bit(slot) != 0 {
                return .text(unsafe Self.string(in: words, slot).pointee)
            }
            let word = unsafe words[slot * 2 + 1]
            if unsafe header.pointee.targets & Self.bit(slot) != 0 {
                return unsafe words[slot * 2] == Self.noTarget ? .null : .integer(Int64(bitPattern: word))
            }
            let length = unsafe Int(words[slot * 2] >> 8)
            switch unsafe Int32(truncatingIfNeeded: words[slot * 2] & 0xff) {
            case SQLITE_INTEGER: return .integer(Int64(bitPattern: word))
            case SQLITE_FLOAT: return .real(Double(bitPattern: word))
            case SQLITE_TEXT:
                let start = unsafe UnsafeRawPointer(words) + Int(word)
                return .text(
                    unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self))
            case SQLITE_BLOB:
                let start = unsafe UnsafeRawPointer(words) + Int(word)
                return .blob(unsafe Array(UnsafeRawBufferPointer(start: start, count: length)))
            default: return .null
            }
        }
    }

    /// Caches the decoded text in its slot.
    ///
    /// - Returns: `false` for other types, and after the first 64 slots.
    func keepText(_ slot: Int) -> Bool {
        unsafe withUnsafeMutablePointers { header, words in
            guard slot >= 0, unsafe slot < min(64, header.pointee.slotCount) else { return false }
            if unsafe header.pointee.texts & Self.bit(slot) != 0 { return true }
            guard unsafe header.pointee.targets & Self.bit(slot) == 0,
                unsafe words[slot * 2] & 0xff == UInt64(SQLITE_TEXT)
            else { return false }
            let start = unsafe UnsafeRawPointer(words) + Int(words[slot * 2 + 1])
            let length = unsafe Int(words[slot * 2] >> 8)
            put(unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self), at: slot)
            return true
        }
    }

    /// The longest text to cache, in bytes. A cached text takes its memory twice, and long texts are rarely read.
    private static var longestWritten: Int { 1024 }

    /// Caches a text that was just written. Long texts stay undecoded.
    func keep(_ text: String, at slot: Int) {
        guard text.utf8.count <= Self.longestWritten, slot < 64, hasBytes(of: text, at: slot) == true else { return }
        put(text, at: slot)
    }

    private func put(_ text: String, at slot: Int) {
        unsafe withUnsafeMutablePointers { header, words in
            // From now on the slot's memory is a `String`, as the bit says.
            unsafe UnsafeMutableRawPointer(words + slot * 2).initializeMemory(as: String.self, to: text)
            unsafe header.pointee.texts |= Self.bit(slot)
        }
    }

    /// Copies cached values where the stored values are equal.
    func reuseReadValues(in former: Snapshot) {
        var (texts, targets) = (former.header.texts, former.header.targets)
        while texts != 0 {
            let slot = texts.trailingZeroBitCount
            texts &= texts &- 1
            let text = unsafe Self.string(in: former.slots, slot).pointee
            if hasBytes(of: text, at: slot) == true { put(text, at: slot) }
        }
        while targets != 0 {
            let slot = targets.trailingZeroBitCount
            targets &= targets &- 1
            guard value(slot) == former.value(slot) else { continue }
            let target = unsafe LooseReference(bits: former.slots[slot * 2])?.copy()
            if !keepTarget(target, at: slot) { target?.end() }
        }
    }

    /// `nil` for other types.
    func integer(_ slot: Int) -> Int64? {
        guard slot >= 0, slot < header.slotCount, header.texts & Self.bit(slot) == 0 else { return nil }
        if header.targets & Self.bit(slot) != 0 {
            return unsafe slots[slot * 2] == Self.noTarget ? nil : Int64(bitPattern: slots[slot * 2 + 1])
        }
        return unsafe Self.integer(in: slots, slot)
    }
}

// MARK: - Targets of links

extension Snapshot {
    /// A cached NULL. Objects have even addresses.
    @inlinable @inline(__always)
    static var noTarget: UInt64 { 1 }

    /// Caches a link's target, and releases one that was cached before. `nil` stands for NULL.
    ///
    /// - Returns: `false` for slots of another type, and after the first 64 slots.
    func keepTarget(_ target: LooseReference?, at slot: Int) -> Bool {
        unsafe withUnsafeMutablePointers { header, words in
            guard slot >= 0, unsafe slot < min(64, header.pointee.slotCount) else { return false }
            if unsafe header.pointee.targets & Self.bit(slot) != 0 {
                let isNull = unsafe words[slot * 2] == Self.noTarget
                guard isNull == (target == nil) else { return false }
                unsafe LooseReference(bits: words[slot * 2])?.end()
            } else {
                // A row, or NULL.
                let type = target == nil ? 0 : UInt64(SQLITE_INTEGER)
                guard unsafe header.pointee.texts & Self.bit(slot) == 0, unsafe words[slot * 2] == type else {
                    return false
                }
            }
            unsafe words[slot * 2] = target?.bits ?? Self.noTarget
            unsafe header.pointee.targets |= Self.bit(slot)
            return true
        }
    }

    /// The rows of the links stay.
    func forgetTargets() {
        unsafe withUnsafeMutablePointers { header, words in
            while unsafe header.pointee.targets != 0 {
                let slot = unsafe header.pointee.targets.trailingZeroBitCount
                let target = unsafe LooseReference(bits: words[slot * 2])
                unsafe words[slot * 2] = target == nil ? 0 : UInt64(SQLITE_INTEGER)
                unsafe header.pointee.targets &= ~Self.bit(slot)
                target?.end()
            }
        }
    }
}

// MARK: - Unchecked slots

// SQLite's storage classes: 1 is an integer, 2 a floating-point number (https://sqlite.org/c3ref/c_blob.html).

extension Snapshot {
    @unsafe @inlinable @inline(__always)
    static func integer(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> Int64? {
        guard unsafe words[slot &* 2] == 1 else { return nil }
        return unsafe Int64(bitPattern: words[slot &* 2 &+ 1])
    }

    @unsafe @inlinable @inline(__always)
    static func real(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> Double? {
        guard unsafe words[slot &* 2] == 2 else { return nil }
        return unsafe Double(bitPattern: words[slot &* 2 &+ 1])
    }

    @unsafe @inlinable @inline(__always)
    static func isNull(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> Bool { unsafe words[slot &* 2] == 0 }
}

extension ModelSchema {
    var rowColumns: String { (["_id"] + columns.map(\.sqlName)).joined(separator: ", ") }
}
