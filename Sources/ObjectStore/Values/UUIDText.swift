import Foundation

/// Reads the 36 characters in place. Foundation needs a string and takes several times as long.
enum UUIDText {
    private static let count = 36

    /// True without small letters. Nil unless it is a UUID.
    static func isCapital(_ bytes: UnsafeRawBufferPointer) -> Bool? {
        var isCapital = true
        return unsafe read(bytes) { digit, byte in if digit > 9, byte > 0x5A { isCapital = false } } ? isCapital : nil
    }

    static func value(of text: String) -> UUID? {
        var number: UInt128 = 0
        var text = text
        // Safe: the bytes live as long as this closure.
        let isRead = text.withUTF8 { bytes in
            unsafe read(UnsafeRawBufferPointer(bytes)) { digit, _ in number = number << 4 | UInt128(digit) }
        }
        guard isRead else { return nil }
        // Safe: both types have 16 bytes, and any 16 bytes are a UUID.
        return unsafe withUnsafeBytes(of: number.bigEndian) { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// - Parameter take: gets the value and the character of each digit.
    private static func read(_ bytes: UnsafeRawBufferPointer, _ take: (UInt8, UInt8) -> Void) -> Bool {
        guard bytes.count == count else { return false }
        for index in 0..<count {
            let byte = unsafe bytes[index]
            switch (index, byte) {
            case (8, _), (13, _), (18, _), (23, _): if byte != UInt8(ascii: "-") { return false }
            case (_, 0x30...0x39): take(byte - 0x30, byte)
            case (_, 0x41...0x46): take(byte - 0x37, byte)
            case (_, 0x61...0x66): take(byte - 0x57, byte)
            default: return false
            }
        }
        return true
    }
}
