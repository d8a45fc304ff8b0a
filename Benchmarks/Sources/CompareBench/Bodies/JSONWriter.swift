/// Writes compact JSON in UTF-8, members in the order in which they are given.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether non-ASCII characters are written as `\u` escapes, as some servers send them.
    var escapesNonASCII = false
    private var needsComma = false

    mutating func member(_ key: String, _ value: (some JSONWritable)?) {
        separate()
        write(key)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
        if let value { value.write(to: &self) } else { raw("null") }
        needsComma = true
    }

    mutating func element(_ value: some JSONWritable) {
        separate()
        needsComma = false
        value.write(to: &self)
        needsComma = true
    }

    mutating func object(_ members: (inout JSONWriter) -> Void) { enclose("{", "}", members) }

    mutating func array(_ elements: (inout JSONWriter) -> Void) { enclose("[", "]", elements) }

    private mutating func enclose(_ open: Unicode.Scalar, _ close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
            raw(text)
        } else {
            for scalar in text.unicodeScalars { write(scalar) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func write(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": raw("\\\"")
        case "\\": raw("\\\\")
        case "\n": raw("\\n")
        case "\r": raw("\\r")
        case "\t": raw("\\t")
        default:
            if scalar.value < 0x20 || (escapesNonASCII && !scalar.isASCII) {
                for unit in Character(scalar).utf16 { escape(unit) }
            } else {
                bytes.append(contentsOf: Character(scalar).utf8)
            }
        }
    }

    private mutating func escape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        raw("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
    }
}

/// A value that has a JSON text.
protocol JSONWritable {
    func write(to json: inout JSONWriter)
}

extension String: JSONWritable {
    func write(to json: inout JSONWriter) { json.write(self) }
}

extension Int: JSONWritable {
    func write(to json: inout JSONWriter) { json.raw(String(self)) }
}

extension Bool: JSONWritable {
    func write(to json: inout JSONWriter) { json.raw(self ? "true" : "false") }
}

extension Array: JSONWritable where Element: JSONWritable {
    func write(to json: inout JSONWriter) {
        json.array { json in for element in self { json.element(element) } }
    }
}
