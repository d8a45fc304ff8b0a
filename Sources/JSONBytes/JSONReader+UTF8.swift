extension JSONReader {
    /// Passes one character of two to four bytes, by the table of well-formed UTF-8 (Unicode 16, table 3-7): no
    /// overlong form, no surrogate, nothing above U+10FFFF.
    @inline(__always) mutating func passMultibyteCharacter() throws(JSONError) {
        let lead = byte
        let length: Int
        // The second byte's range carries the table's exceptions; the others are 80...BF.
        var lowest: UInt8 = 0x80
        var highest: UInt8 = 0xBF
        switch lead {
        case 0xC2...0xDF:
            length = 2
        case 0xE0...0xEF:
            length = 3
            if lead == 0xE0 { lowest = 0xA0 }
            if lead == 0xED { highest = 0x9F }
        case 0xF0...0xF4:
            length = 4
            if lead == 0xF0 { lowest = 0x90 }
            if lead == 0xF4 { highest = 0x8F }
        default:
            throw failure(.invalidUTF8)
        }
        var index = 1
        while index < length {
            guard remaining > index else { throw unsafe failure(.unexpectedEnd, at: end) }
            // In bounds by the line above.
            let next = unsafe cursor.load(fromByteOffset: index, as: UInt8.self)
            guard next >= lowest, next <= highest else { throw failure(.invalidUTF8) }
            lowest = 0x80
            highest = 0xBF
            index &+= 1
        }
        unsafe cursor += length
    }
}
