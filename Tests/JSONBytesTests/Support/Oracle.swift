/// A validator of RFC 8259 as plain as its grammar: one function a rule, a byte at a time, independent of the reader.
/// UTF-8 is checked by the standard library; a lone surrogate in escapes is accepted.
struct Oracle {
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0

    static func accepts(_ bytes: [UInt8]) -> Bool {
        guard String(validating: bytes, as: UTF8.self) != nil else { return false }
        var oracle = Oracle(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { oracle.index = 3 }
        oracle.space()
        guard oracle.value() else { return false }
        oracle.space()
        return oracle.index == bytes.count
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: Character? { index < bytes.count ? Character(Unicode.Scalar(bytes[index])) : nil }

    private mutating func take(_ characters: String) -> Bool {
        guard let next, characters.unicodeScalars.contains(where: { Character($0) == next }) else { return false }
        index += 1
        return true
    }

    private mutating func space() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func value() -> Bool {
        switch next {
        case "{": list(closing: "}") { $0.member() }
        case "[": list(closing: "]") { $0.value() }
        case "\"": string()
        case "t": word("true")
        case "f": word("false")
        case "n": word("null")
        default: number()
        }
    }

    private mutating func list(closing: String, _ element: (inout Oracle) -> Bool) -> Bool {
        index += 1
        depth += 1
        guard depth <= 512 else { return false }
        defer { depth -= 1 }
        space()
        if take(closing) { return true }
        repeat {
            space()
            guard element(&self) else { return false }
            space()
        } while take(",")
        return take(closing)
    }

    private mutating func member() -> Bool {
        guard next == "\"", string() else { return false }
        space()
        guard take(":") else { return false }
        space()
        return value()
    }

    private mutating func word(_ word: String) -> Bool {
        guard bytes[index...].starts(with: word.utf8) else { return false }
        index += word.utf8.count
        return true
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") { guard digits() else { return false } }
        if take("."), !digits() { return false }
        if take("eE") {
            _ = take("+-")
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        guard take("0123456789") else { return false }
        while take("0123456789") {}
        return true
    }

    private mutating func string() -> Bool {
        index += 1
        while index < bytes.count, bytes[index] >= 0x20 {
            if take("\\") {
                if take("u") {
                    guard hexUnit() else { return false }
                } else {
                    guard take("\"\\/bfnrt") else { return false }
                }
            } else if take("\"") {
                return true
            } else {
                index += 1
            }
        }
        return false
    }

    private mutating func hexUnit() -> Bool {
        guard index + 4 <= bytes.count else { return false }
        let digits = bytes[index..<index + 4]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }) else { return false }
        index += 4
        return true
    }
}
