extension JSONNumber {
    /// The nearest double, ties to even; nil where it is beyond the largest finite one (`1e400`). Too small a number
    /// is zero with its sign.
    package var double: Double? {
        if let magnitude = decimal?.exactDouble {
            return unsafe text.first == UInt8(ascii: "-") ? -magnitude : magnitude
        }
        let value = unsafe Double(String(decoding: text, as: UTF8.self))
        return value.flatMap { $0.isFinite ? $0 : nil }
    }

    /// The number has a finite double.
    package var isFinite: Bool { double != nil }
}
