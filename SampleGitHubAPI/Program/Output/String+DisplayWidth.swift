extension String {
    /// In columns of a terminal.
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// A cut part becomes `…`.
    func truncated(to width: Int) -> String {
        guard displayWidth > width else { return self }
        var text = ""
        var used = 1
        for character in self {
            used += character.displayWidth
            guard used <= width else { break }
            text.append(character)
        }
        while text.last == " " { text.removeLast() }
        return text + "…"
    }

    func padded(to width: Int, _ alignment: Alignment = .leading) -> String {
        let blanks = String(repeating: " ", count: max(0, width - displayWidth))
        return alignment == .leading ? self + blanks : blanks + self
    }
}

enum Alignment {
    case leading, trailing
}

extension Character {
    /// 2 for emoji and for wide characters of East Asian Width, 0 for marks that stand alone, else 1
    /// (https://unicode.org/reports/tr11/).
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || first.isEastAsianWide || unicodeScalars.contains("\u{FE0F}") {
            return 2
        }
        return [.nonspacingMark, .enclosingMark, .format].contains(first.properties.generalCategory) ? 0 : 1
    }
}

extension Unicode.Scalar {
    fileprivate var isEastAsianWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18CFF, 0x1B000...0x1B2FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
