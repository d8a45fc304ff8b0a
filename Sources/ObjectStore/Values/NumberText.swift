/// Numbers as JSON writes them, compared by what they say.
enum NumberText {
    /// Whether a number that is written says the same as the text that came: in a string, letter by letter, as what it
    /// means is the server's business.
    static func says(_ written: String, _ text: UnsafeRawBufferPointer, isQuoted: Bool) -> Bool {
        if unsafe written.hasBytes(text) { return true }
        if isQuoted { return false }
        let came = unsafe DecimalText(String(decoding: text, as: UTF8.self))
        return came != nil && came == DecimalText(written)
    }
}
