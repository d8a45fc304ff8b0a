extension JSONError {
    /// Line and column of a byte, both from 1. Lines end with LF, CR LF or CR.
    @unsafe static func place(of offset: Int, in bytes: UnsafeRawBufferPointer) -> (line: Int, column: Int) {
        var line = 1
        var column = 1
        for index in 0..<min(offset, bytes.count) {
            switch unsafe bytes[index] {
            case 0x0A:
                line += 1
                column = 1
            case 0x0D where unsafe index + 1 >= bytes.count || bytes[index + 1] != 0x0A:
                line += 1
                column = 1
            case 0x80...0xBF:
                // The rest of a character that was counted at its first byte.
                continue
            default:
                column += 1
            }
        }
        return (line, column)
    }

    /// At most 40 characters: up to 16 before the place, the others from it on.
    @unsafe static func excerpt(around offset: Int, in bytes: UnsafeRawBufferPointer) -> String {
        let place = min(offset, bytes.count)
        // Four bytes a character at most.
        let before = unsafe printable(bytes[max(0, place - 64)..<place])
        let after = unsafe printable(bytes[place..<min(bytes.count, place + 160)])
        let lead = before.suffix(16)
        return String(String.UnicodeScalarView(lead + after.prefix(40 - lead.count)))
    }

    /// The text as Unicode scalars, `·` for what shows nothing or changes how the rest is shown.
    private static func printable(_ bytes: Slice<UnsafeRawBufferPointer>) -> [Unicode.Scalar] {
        unsafe String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: "·"
            default: scalar
            }
        }
    }
}
