import Foundation

/// Base64 in the variants of services (RFC 4648 §4 and §5).
enum Base64 {
    /// Either alphabet; padding and line breaks are optional. `nil` for other texts.
    static func read(_ text: UnsafeRawBufferPointer) -> (data: Data, shape: WireShape)? {
        var shape = WireShape.standard
        var digits: [UInt8] = []
        digits.reserveCapacity(text.count + 3)
        var padding = 0
        for index in text.indices {
            switch unsafe text[index] {
            case 0x0A, 0x0D, 0x20, 0x09: continue
            case UInt8(ascii: "="): padding += 1
            case let byte where padding > 0 || !isDigit(byte): return nil
            case UInt8(ascii: "-"): (shape.isURLSafe, _) = (true, digits.append(UInt8(ascii: "+")))
            case UInt8(ascii: "_"): (shape.isURLSafe, _) = (true, digits.append(UInt8(ascii: "/")))
            case let byte: digits.append(byte)
            }
        }
        let missing = (4 - digits.count % 4) % 4
        guard missing < 3, padding == 0 || padding == missing else { return nil }
        shape.isUnpadded = padding < missing
        digits += Array(repeating: UInt8(ascii: "="), count: missing)
        return Data(base64Encoded: Data(digits)).map { ($0, shape) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }

    static func text(_ bytes: [UInt8], _ shape: WireShape) -> String {
        var text = Data(bytes).base64EncodedString()
        if shape.isUnpadded { text = String(text.prefix { $0 != "=" }) }
        guard shape.isURLSafe else { return text }
        return String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }
}
