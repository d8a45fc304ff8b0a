import GRDBSQLite

/// The values of one row, copied out of SQLite as they are: one allocation, decoded when someone reads a property.
///
/// There is a slot for each property of the model. A slot is two words: the storage class in the low byte of the first
/// and the length of text or bytes above it; the number itself, or the offset of the bytes, in the second. The bytes
/// follow the slots. Nothing of it changes once it is made, but for what was read of the first 64 slots, so that it is
/// made or found once: a text is in its slot from then on, as a `String`; a link has its target in the first word, as a
/// loose reference, and its row in the second. A row is one object's, so all of that happens where its context is.
@safe @usableFromInline final class Snapshot: ManagedBuffer<Snapshot.Header, UInt64> {
    /// As long as two slots, so that none lies across two cache lines.
    @usableFromInline struct Header {
        let slotCount: Int
        /// A bit for each of the first 64 slots: whether it has a `String`.
        var texts: UInt64 = 0
        /// Likewise: whether it has a link's target.
        var targets: UInt64 = 0
        private let padding: UInt64 = 0

        init(slotCount: Int) { self.slotCount = slotCount }
    }

    deinit {
        // Where a bit says so, there is a string, which nobody reads any more.
        unsafe withUnsafeMutablePointers { header, words in
            var texts = unsafe header.pointee.texts
            while texts != 0 {
                unsafe Self.string(in: words, texts.trailingZeroBitCount).deinitialize(count: 1)
                texts &= texts &- 1
            }
        }
        forgetTargets()
    }

    /// The string in a slot, which is as long as one.
    @inlinable @inline(__always)
    static func string(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> UnsafeMutablePointer<String> {
        unsafe UnsafeMutableRawPointer(words + slot &* 2).assumingMemoryBound(to: String.self)
    }

    @inline(__always)
    private static func bit(_ slot: Int) -> UInt64 { slot < 64 ? 1 &<< UInt64(truncatingIfNeeded: slot) : 0 }

    /// A bit for each slot, of the first 64.
    @inline(__always)
    var knownSlots: UInt64 { header.slotCount < 64 ? 1 &<< UInt64(header.slotCount) &- 1 : .max }
    /// Those that have what was read before.
    @inline(__always)
    var readSlots: UInt64 { header.texts | header.targets }

    /// Where the slots are, as long as this is held.
    @unsafe @inline(__always)
    var slots: UnsafeMutablePointer<UInt64> { unsafe withUnsafeMutablePointerToElements { words in unsafe words } }

    /// A value of the row that a statement stands on, which stays where it is until the statement's next step, and the
    /// first word of its slot: what is asked of SQLite about it is asked once.
    @unsafe private struct ColumnValue {
        let value: OpaquePointer?
        let head: UInt64

        /// Only the statement's thread has the value, and such a one may be read by the `sqlite3_value` functions
        /// (https://sqlite.org/c3ref/column_blob.html).
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

        /// How many bytes follow the slots.
        @inline(__always)
        var length: Int { unsafe Int(head >> 8) }
    }

    /// Copies the current row of `statement`, whose column n (from `first`) fills the slot `slots[n]`.
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

    /// - Parameter byteCount: how long texts and bytes are together.
    @unsafe
    private static func row(
        of values: UnsafeMutableBufferPointer<ColumnValue>, byteCount: Int, slots: [Int], count: Int
    ) -> Snapshot {
        // The class is final and `create` makes an instance of it, so the cast holds.
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

    /// A row with nothing in it and without slots, for an object that is in no file yet.
    ///
    /// It is one for all: nothing of it is ever written, so all threads may read it.
    nonisolated(unsafe) static let empty: Snapshot = {
        // As above: the class is final.
        unsafe unsafeDowncast(
            Snapshot.create(minimumCapacity: 0) { _ in Header(slotCount: 0) }, to: Snapshot.self)
    }()

    /// Whether a slot has the value; one that is not there has `null`. Of a text the bytes are compared where they lie.
    func has(_ value: StoredValue, at slot: Int) -> Bool {
        switch value {
        case .integer(let number): integer(slot) == number
        case .text(let text): hasBytes(of: text, at: slot) ?? (self.value(slot) == value)
        default: self.value(slot) == value
        }
    }

    /// `nil` where the slot has no bytes of a text.
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

    /// The value in a slot; `null` for a slot that is not there.
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

    /// Puts the text of a slot there as a `String`.
    ///
    /// - Returns: whether there is one; not for anything else than text, and not beyond the first 64 slots.
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

    /// The longest text that is kept as it was written, in bytes: it takes its memory twice, which long ones would be
    /// read too seldom for.
    private static var longestWritten: Int { 1024 }

    /// Puts a text into a slot where just that was copied to, so that it needn't be made of its bytes; of a long one
    /// they are enough.
    func keep(_ text: String, at slot: Int) {
        guard text.utf8.count <= Self.longestWritten, slot < 64, hasBytes(of: text, at: slot) == true else { return }
        put(text, at: slot)
    }

    private func put(_ text: String, at slot: Int) {
        unsafe withUnsafeMutablePointers { header, words in
            // The slot is a string's memory from now on: the bit says so to whoever looks.
            unsafe UnsafeMutableRawPointer(words + slot * 2).initializeMemory(as: String.self, to: text)
            unsafe header.pointee.texts |= Self.bit(slot)
        }
    }

    /// Puts there what was read in an earlier state of the row, where the values are the same.
    func keepWhatWasRead(in former: Snapshot) {
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

    /// The whole number in a slot, such as a link's local key; `nil` for anything else.
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
    /// In a target's place: the link leads nowhere. No object has such an address.
    @inlinable @inline(__always)
    static var noTarget: UInt64 { 1 }

    /// Puts the target of a link into its slot, in place of one that was there; `nil` for none.
    ///
    /// - Returns: whether it is there, and ended in time; not for what is no link, and not beyond the first 64 slots.
    func keepTarget(_ target: LooseReference?, at slot: Int) -> Bool {
        unsafe withUnsafeMutablePointers { header, words in
            guard slot >= 0, unsafe slot < min(64, header.pointee.slotCount) else { return false }
            if unsafe header.pointee.targets & Self.bit(slot) != 0 {
                let isNull = unsafe words[slot * 2] == Self.noTarget
                guard isNull == (target == nil) else { return false }
                unsafe LooseReference(bits: words[slot * 2])?.end()
            } else {
                // A number is a row; what has nothing leads nowhere.
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

    /// Leaves the rows of links alone in their slots.
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

// MARK: - Slots that the caller knows to be there

// The storage classes are SQLite's, 1 for a whole number and 2 for another (https://sqlite.org/c3ref/c_blob.html).

extension Snapshot {
    /// The whole number in a slot that is as it came from the file; `nil` for anything else.
    @unsafe @inlinable @inline(__always)
    static func integer(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> Int64? {
        guard unsafe words[slot &* 2] == 1 else { return nil }
        return unsafe Int64(bitPattern: words[slot &* 2 &+ 1])
    }

    /// The number that isn't whole, likewise.
    @unsafe @inlinable @inline(__always)
    static func real(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> Double? {
        guard unsafe words[slot &* 2] == 2 else { return nil }
        return unsafe Double(bitPattern: words[slot &* 2 &+ 1])
    }

    /// Whether a slot that is as it came from the file has nothing.
    @unsafe @inlinable @inline(__always)
    static func isNull(in words: UnsafeMutablePointer<UInt64>, _ slot: Int) -> Bool { unsafe words[slot &* 2] == 0 }
}

extension ModelSchema {
    /// What a snapshot is made of: the key, and each column.
    var rowColumns: String { (["_id"] + columns.map(\.sqlName)).joined(separator: ", ") }
}
