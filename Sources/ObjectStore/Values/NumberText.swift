enum NumberText {
    /// Compares numbers by value. Strings have to be identical, because only the server knows how it reads them.
    static func represents(_ written: String, _ text: UnsafeRawBufferPointer, isQuoted: Bool) -> Bool {
        if unsafe written.hasBytes(text) { return true }
        if isQuoted { return false }
        let came = unsafe DecimalText(String(decoding: text, as: UTF8.self))
        return came != nil && came == DecimalText(written)
    }
}
