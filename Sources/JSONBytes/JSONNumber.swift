/// A number as it is written, convertible without loss or not at all.
///
/// Holds the document's bytes by address, and is valid as long as they are.
@safe @usableFromInline package struct JSONNumber {
    /// The text, in the grammar of RFC 8259 §6.
    @usableFromInline let text: UnsafeRawBufferPointer
    /// Written without fraction and exponent.
    @usableFromInline package let isInteger: Bool

    /// `text` is a valid JSON number and stays alive and unchanged as long as the number is used.
    @unsafe @inlinable init(unsafe text: UnsafeRawBufferPointer, isInteger: Bool) {
        unsafe self.text = text
        self.isInteger = isInteger
    }

    /// The number that a string's content spells (`"42"`), or nil where `text` is not exactly one JSON number.
    ///
    /// `text` stays alive and unchanged as long as the number is used.
    @unsafe package init?(parsing text: UnsafeRawBufferPointer) {
        guard let first = unsafe text.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10,
            var reader = unsafe try? JSONReader(unsafe: text), let scalar = try? reader.readScalar(),
            scalar.count == text.count
        else { return nil }
        unsafe self.init(unsafe: text, isInteger: scalar.isInteger)
    }

    /// The exact value; nil where it is no integer (`1.5`) or out of range. `1.0`, `1e3` and `-0` are integers.
    @inlinable package var int64: Int64? {
        let isNegative = unsafe text.first == UInt8(ascii: "-")
        guard let magnitude = magnitude(from: isNegative ? 1 : 0) else { return nil }
        if isNegative { return magnitude <= 1 &<< 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
        return Int64(exactly: magnitude)
    }

    /// The exact value; nil where it is no integer, negative (`-0` is 0) or out of range.
    @inlinable package var uint64: UInt64? {
        let isNegative = unsafe text.first == UInt8(ascii: "-")
        guard let magnitude = magnitude(from: isNegative ? 1 : 0) else { return nil }
        return isNegative && magnitude != 0 ? nil : magnitude
    }

    @inlinable func magnitude(from first: Int) -> UInt64? {
        isInteger ? unsafe text.decimalMagnitude(from: first) : decimal.flatMap(\.integer)
    }
}
