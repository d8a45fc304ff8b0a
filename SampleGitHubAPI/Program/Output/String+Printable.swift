// A server's texts may have control sequences that move the cursor, retitle the window or hide text.

extension Unicode.Scalar {
    /// C0 and C1 controls, line separators, and the controls that reorder text
    /// (https://unicode.org/reports/tr9/#Directional_Formatting_Characters).
    var isTerminalControl: Bool {
        switch value {
        case 0x202A...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x061C: true
        default: [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
        }
    }
}

extension String {
    /// Line breaks and tabs become blanks, other controls a visible `�`.
    var onOneLine: String {
        var line = ""
        for scalar in unicodeScalars {
            if scalar.properties.isWhitespace {
                if line.last != " " { line += " " }
            } else {
                line.unicodeScalars.append(scalar.isTerminalControl ? "\u{FFFD}" : scalar)
            }
        }
        return line.first == " " ? String(line.dropFirst()).withoutTrailingBlanks : line.withoutTrailingBlanks
    }

    var printableLines: [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line in
            var printable = ""
            for scalar in line.unicodeScalars {
                if scalar == "\t" {
                    printable += "    "
                } else {
                    printable.unicodeScalars.append(scalar.isTerminalControl ? "\u{FFFD}" : scalar)
                }
            }
            return printable
        }
    }

    var withoutTrailingBlanks: String { String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)]) }
}
