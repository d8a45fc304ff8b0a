/// A column's value, ready to be bound: 24 plain bytes. Its text is in the body or the scratch memory, which outlive
/// the row.
@safe struct ImportSlot {
    enum Tag: UInt8 {
        /// The key is missing, or its value has the wrong type.
        case absent
        case null
        case integer
        case real
        case text
        case blob
    }

    var tag: Tag
    var shape = WireShape.standard
    /// The integer, the floating-point number's bits, or the number of bytes.
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

    /// Copies the value.
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
