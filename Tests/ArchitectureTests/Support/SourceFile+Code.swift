extension SourceFile {
    /// The text, comments and the contents of string literals removed. The code within interpolations stays. Lines keep
    /// their numbers.
    var code: String {
        var scanner = CodeScanner(lines.joined(separator: "\n"))
        return scanner.scan()
    }
}

/// Removes everything but code from Swift source.
private struct CodeScanner {
    private let text: [UInt8]
    private var index = 0
    private var code: [UInt8] = []

    private static let quote = UInt8(ascii: "\"")
    private static let newline = UInt8(ascii: "\n")

    init(_ text: String) {
        self.text = Array(text.utf8)
        code.reserveCapacity(self.text.count)
    }

    mutating func scan() -> String {
        scanCode(isInterpolation: false)
        return String(decoding: code, as: UTF8.self)
    }

    private func byte(_ offset: Int) -> UInt8? { index + offset < text.count ? text[index + offset] : nil }

    /// Reads code up to the end, or up to the parenthesis that closes an interpolation.
    private mutating func scanCode(isInterpolation: Bool) {
        var depth = 0
        while let next = byte(0) {
            switch next {
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "/"):
                while let next = byte(0), next != Self.newline { index += 1 }
                continue
            case UInt8(ascii: "/") where byte(1) == UInt8(ascii: "*"):
                skipBlockComment()
                continue
            case Self.quote:
                scanLiteral(isRaw: false)
                continue
            case UInt8(ascii: "#") where byte(1) == Self.quote:
                scanLiteral(isRaw: true)
                continue
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                if isInterpolation, depth == 0 { return }
                depth -= 1
            default: break
            }
            code.append(next)
            index += 1
        }
    }

    private mutating func skipBlockComment() {
        while let next = byte(0), !(next == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) {
            if next == Self.newline { code.append(next) }
            index += 1
        }
        index = min(index + 2, text.count)
    }

    private mutating func scanLiteral(isRaw: Bool) {
        if isRaw { index += 1 }
        let isMultiline = byte(1) == Self.quote && byte(2) == Self.quote
        let length = isMultiline ? 3 : 1
        index += length
        code.append(Self.quote)
        while let next = byte(0), !isAtEnd(quotes: length, isRaw: isRaw) {
            if !isRaw, next == UInt8(ascii: "\\") {
                index += 1
                if byte(0) == UInt8(ascii: "(") {
                    index += 1
                    code += " (".utf8
                    scanCode(isInterpolation: true)
                    code += ") ".utf8
                }
            } else if next == Self.newline {
                code.append(next)
            }
            index += 1
        }
        index = min(index + length + (isRaw ? 1 : 0), text.count)
        code.append(Self.quote)
    }

    private func isAtEnd(quotes count: Int, isRaw: Bool) -> Bool {
        (0..<count).allSatisfy { byte($0) == Self.quote } && (!isRaw || byte(count) == UInt8(ascii: "#"))
    }
}
