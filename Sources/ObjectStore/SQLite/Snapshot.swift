import GRDBSQLite

/// The values of one row, copied out of SQLite as they are: one allocation, decoded when someone reads a property.
///
/// There is a slot for each property of the model. A slot is two words: the storage class in the low byte of the first
/// and the length of text or bytes above it; the number itself, or the offset of the bytes, in the second. The bytes
/// follow the slots. It is never changed once made.
@safe final class Snapshot: ManagedBuffer<Snapshot.Header, UInt64> {
    /// As long as a slot, so that none lies across two cache lines.
    struct Header {
        let slotCount: Int
        private let padding = 0

        init(slotCount: Int) { self.slotCount = slotCount }
    }

    var slotCount: Int { header.slotCount }

    /// Copies the current row of `statement`, whose column n (from `first`) fills the slot `slots[n]`.
    static func row(of statement: RawStatement, from first: Int32, slots: [Int], count: Int) -> Snapshot {
        let handle = unsafe statement.handle
        var size = 0
        for column in 0..<Int32(slots.count) {
            let value = unsafe sqlite3_column_value(handle, first + column)
            let type = unsafe sqlite3_value_type(value)
            if type == SQLITE_TEXT || type == SQLITE_BLOB { size += unsafe Int(sqlite3_value_bytes(value)) }
        }
        // The class is final and `create` makes an instance of it, so the cast holds.
        let snapshot = unsafe unsafeDowncast(
            Snapshot.create(minimumCapacity: count * 2 + (size + 7) / 8) { _ in Header(slotCount: count) },
            to: Snapshot.self)
        unsafe snapshot.withUnsafeMutablePointerToElements { words in
            unsafe words.initialize(repeating: 0, count: count * 2)
            let bytes = UnsafeMutableRawPointer(words)
            var offset = count * 16
            for column in slots.indices {
                let value = unsafe sqlite3_column_value(handle, first + Int32(column))
                unsafe copy(value, to: words + slots[column] * 2, bytes: bytes, at: &offset)
            }
        }
        return snapshot
    }

    /// Copies one value of the row that the statement stands on, which only this thread uses: such a value may be read by
    /// the `sqlite3_value` functions (https://sqlite.org/c3ref/column_blob.html).
    @inline(__always)
    private static func copy(
        _ value: OpaquePointer?, to slot: UnsafeMutablePointer<UInt64>, bytes: UnsafeMutableRawPointer,
        at offset: inout Int
    ) {
        let type = unsafe sqlite3_value_type(value)
        switch type {
        case SQLITE_INTEGER:
            unsafe slot[0] = UInt64(type)
            unsafe slot[1] = UInt64(bitPattern: sqlite3_value_int64(value))
        case SQLITE_FLOAT:
            unsafe slot[0] = UInt64(type)
            unsafe slot[1] = sqlite3_value_double(value).bitPattern
        case SQLITE_TEXT, SQLITE_BLOB:
            let source = unsafe sqlite3_value_blob(value)
            let length = unsafe Int(sqlite3_value_bytes(value))
            unsafe slot[0] = UInt64(type) | UInt64(length) << 8
            unsafe slot[1] = UInt64(offset)
            if let source = unsafe source { unsafe (bytes + offset).copyMemory(from: source, byteCount: length) }
            offset += length
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

    /// The value in a slot; `null` for a slot that is not there.
    func value(_ slot: Int) -> StoredValue {
        unsafe withUnsafeMutablePointers { header, words in
            guard slot >= 0, unsafe slot < header.pointee.slotCount else { return .null }
            let word = unsafe words[slot * 2 + 1]
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

    /// The text in a slot; `nil` for anything else.
    func text(_ slot: Int) -> String? { has(slot) ? unsafe text(unchecked: slot) : nil }

    /// The whole number in a slot, such as a link's local key; `nil` for anything else.
    func integer(_ slot: Int) -> Int64? { has(slot) ? unsafe integer(unchecked: slot) : nil }

    private func has(_ slot: Int) -> Bool { slot >= 0 && slot < slotCount }

    /// The same of a slot that the caller knows to be there.
    @unsafe @inline(__always)
    func text(unchecked slot: Int) -> String? {
        unsafe withUnsafeMutablePointerToElements { words in
            guard unsafe words[slot * 2] & 0xff == UInt64(SQLITE_TEXT) else { return nil }
            let start = unsafe UnsafeRawPointer(words) + Int(words[slot * 2 + 1])
            let length = unsafe Int(words[slot * 2] >> 8)
            return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
        }
    }

    /// The same of a slot that the caller knows to be there.
    @unsafe @inline(__always)
    func integer(unchecked slot: Int) -> Int64? {
        unsafe withUnsafeMutablePointerToElements { words in
            guard unsafe words[slot * 2] == UInt64(SQLITE_INTEGER) else { return nil }
            return unsafe Int64(bitPattern: words[slot * 2 + 1])
        }
    }
}
