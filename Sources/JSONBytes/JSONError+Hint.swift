extension JSONError {
    /// What is known to produce such a body. First what the whole body looks like, then what stands at the place.
    @unsafe static func hint(for reason: Reason, at offset: Int, in bytes: UnsafeRawBufferPointer) -> String? {
        switch reason {
        case .tooDeep, .tooLarge, .emptyDocument, .expectedObject, .expectedArray, .expectedScalar: nil
        default: unsafe hint(fromBeginningOf: bytes) ?? hint(at: offset, in: bytes)
        }
    }

    private static func hint(fromBeginningOf bytes: UnsafeRawBufferPointer) -> String? {
        for (signature, hint) in signatures where unsafe bytes.starts(with: signature) { return hint }
        let first = unsafe bytes.first { !isSpace($0) && $0 != 0xEF && $0 != 0xBB && $0 != 0xBF }
        return first == UInt8(ascii: "<") ? "this looks like an HTML or XML page" : nil
    }

    private static let signatures: [([UInt8], String)] = [
        ([0x1F, 0x8B], "this is compressed with gzip"),
        ([0x50, 0x4B, 0x03, 0x04], "this is a zip archive"),
        ([0xFF, 0xFE], "this is UTF-16; JSON is UTF-8"),
        ([0xFE, 0xFF], "this is UTF-16; JSON is UTF-8"),
        (Array(")]}'".utf8), "the body has a prefix against script inclusion"),
        (Array("data:".utf8), "this looks like a stream of server-sent events"),
    ]

    private static func hint(at offset: Int, in bytes: UnsafeRawBufferPointer) -> String? {
        guard offset < bytes.count else { return nil }
        let found = unsafe bytes[offset]
        let rest = unsafe bytes[offset...]
        let before = unsafe bytes[..<offset].last { !isSpace($0) }
        if unsafe rest.starts(with: "//".utf8) || rest.starts(with: "/*".utf8) { return "JSON has no comments" }
        if found == UInt8(ascii: "'") { return "JSON's quotes are double" }
        for word in ["NaN", "-Infinity", "Infinity", "undefined", "None", "True", "False"]
        where unsafe rest.starts(with: word.utf8) || (offset > 0 && bytes[(offset - 1)...].starts(with: word.utf8)) {
            return "JSON has no \(word)"
        }
        if before == UInt8(ascii: ","), found == UInt8(ascii: "}") || found == UInt8(ascii: "]") {
            return "JSON has no trailing comma"
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
