/// The value that an object being read has for one column, ready to be bound: twenty-four bytes, no references.
///
/// Text points into the body or into the import's scratch memory, both of which outlive the row.
@safe struct ImportSlot {
    enum Tag: UInt8 {
        /// The key was missing, or its value could not be taken: the column is left as it is.
        case absent
        case null
        case integer
        case real
        case text
        case blob
    }

    var tag: Tag
    /// How the value was written in JSON.
    var shape = WireShape.standard
    /// The integer, or the bits of the real number.
    var bits: Int64
    var start: UnsafeRawPointer?
    var count: Int32 { Int32(truncatingIfNeeded: bits) }

    static var absent: ImportSlot { unsafe ImportSlot(tag: .absent, bits: 0, start: nil) }
    static var null: ImportSlot { unsafe ImportSlot(tag: .null, bits: 0, start: nil) }

    @inline(__always)
    static func integer(_ value: Int64, _ shape: WireShape = .standard) -> ImportSlot {
        unsafe ImportSlot(tag: .integer, shape: shape, bits: value, start: nil)
    }

    @inline(__always)
    static func real(_ value: Double, _ shape: WireShape = .standard) -> ImportSlot {
        unsafe ImportSlot(tag: .real, shape: shape, bits: Int64(bitPattern: value.bitPattern), start: nil)
    }

    @inline(__always)
    static func text(_ bytes: UnsafeRawBufferPointer, _ shape: WireShape = .standard) -> ImportSlot {
        unsafe ImportSlot(tag: .text, shape: shape, bits: Int64(bytes.count), start: bytes.baseAddress)
    }

    static func blob(_ bytes: UnsafeRawBufferPointer, _ shape: WireShape = .standard) -> ImportSlot {
        unsafe ImportSlot(tag: .blob, shape: shape, bits: Int64(bytes.count), start: bytes.baseAddress)
    }

    @inline(__always)
    var isEmptyText: Bool { tag == .text && bits == 0 }

    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: Int(bits)) }

    /// The value on its own, for what is off the fast path.
    var stored: StoredValue {
        switch tag {
        case .absent, .null: .null
        case .integer: .integer(bits)
        case .real: .real(Double(bitPattern: UInt64(bitPattern: bits)))
        case .text: .text(unsafe String(decoding: bytes, as: UTF8.self))
        case .blob: .blob(unsafe Array(bytes))
        }
    }
}
