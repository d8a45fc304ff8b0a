/// Reads a header field's bytes from left to right.
protocol FieldReader {
    var bytes: [UInt8] { get }
    var position: Int { get set }
}

extension FieldReader {
    mutating func text(while belongs: (UInt8) -> Bool) -> String {
        let start = position
        skip(while: belongs)
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    mutating func skip(while belongs: (UInt8) -> Bool) {
        while position < bytes.count, belongs(bytes[position]) { position += 1 }
    }

    /// Skips the byte; false if another one, or none, follows.
    mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }
}

extension UInt8 {
    /// White space in header fields (RFC 9110 §5.6.3).
    var isFieldBlank: Bool { self == 0x20 || self == 0x09 }
}
