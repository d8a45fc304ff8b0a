import Foundation
import Synchronization

/// Folds letters, so that they compare regardless of case, accents, points and width: "É" and "e", "ё" and "е", "ｶ" and
/// "カ". Full text indexes and conditions share this table.
///
/// A scalar is decomposed by its compatibility mapping, loses its marks and becomes lower case. Marks that act as
/// letters stay: vowels of Indian scripts and Thai, and kana's voicing marks. Hangul syllables and kana stay whole.
enum LetterFolding {
    enum Role: UInt32 {
        case separator
        /// A letter of a script whose words end at spaces or punctuation.
        case word
        /// A letter of a script without spaces between words, or of Hangul, whose words have endings.
        case dense
        /// A dropped mark, or an invisible character.
        case ignored
    }

    struct Entry {
        fileprivate let bits: UInt32

        fileprivate init(_ role: Role, value: UInt32, isLong: Bool = false) {
            bits = role.rawValue << 30 | (isLong ? 1 << 24 : 0) | value
        }

        var role: Role { Role(rawValue: bits >> 30) ?? .separator }
        /// The folded scalar, or `nil` if there are several.
        var scalar: UInt32? { bits & 1 << 24 == 0 ? bits & 0x1F_FFFF : nil }
        fileprivate var place: Int { Int(bits & 0xFF_FFFF) }
    }

    /// The folding of 128 consecutive scalars.
    final class Page: Sendable {
        private let entries: [Entry]
        private let long: [[UInt32]]

        fileprivate init(_ number: UInt32) {
            var entries: [Entry] = []
            var long: [[UInt32]] = []
            for value in number << 7..<(number + 1) << 7 {
                guard let scalar = Unicode.Scalar(value) else {
                    entries.append(Entry(.separator, value: 0xFFFD))
                    continue
                }
                let (role, folded) = (LetterFolding.role(of: scalar), LetterFolding.folded(scalar))
                switch folded.count {
                case 0: entries.append(Entry(.ignored, value: 0))
                case 1: entries.append(Entry(role, value: folded[0]))
                default:
                    entries.append(Entry(role, value: UInt32(long.count), isLong: true))
                    long.append(folded)
                }
            }
            (self.entries, self.long) = (entries, long)
        }

        subscript(scalar: UInt32) -> Entry { entries[Int(scalar & 0x7F)] }

        func scalars(_ entry: Entry) -> [UInt32] { entry.scalar.map { [$0] } ?? long[entry.place] }
    }

    private static let pages = Mutex<[UInt32: Page]>([:])

    static func page(of scalar: UInt32) -> Page {
        pages.withLock { pages in
            let number = scalar >> 7
            if let known = pages[number] { return known }
            let page = Page(number)
            pages[number] = page
            return page
        }
    }

    /// Composes parts of a Hangul syllable, or kana with a voicing mark.
    static func composed(_ first: UInt32, _ second: UInt32) -> UInt32? {
        switch (first, second) {
        case (0x1100...0x1112, 0x1161...0x1175): 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28
        case (0xAC00...0xD7A3, 0x11A8...0x11C2):
            (first - 0xAC00).isMultiple(of: 28) ? first + second - 0x11A7 : nil
        case (0x3041...0x30FF, 0x3099...0x309A): composedKana(first, second)
        default: nil
        }
    }

    private static func composedKana(_ first: UInt32, _ second: UInt32) -> UInt32? {
        let scalars = [first, second].compactMap(Unicode.Scalar.init)
        let text = String(String.UnicodeScalarView(scalars)).precomposedStringWithCanonicalMapping.unicodeScalars
        return text.count == 1 ? text.first?.value : nil
    }

    // MARK: One scalar

    private static func role(of scalar: Unicode.Scalar) -> Role {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .privateUse, .nonspacingMark, .spacingMark, .enclosingMark:
            isDense(scalar.value) ? .dense : .word
        default: .separator
        }
    }

    /// Whether the script's words are found by pairs of letters.
    private static func isDense(_ value: UInt32) -> Bool {
        switch value {
        // Thai and Lao; Myanmar; Hangul jamo; Khmer.
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1100...0x11FF, 0x1780...0x17FF: true
        // Radicals and marks of Han, kana, Bopomofo, Hangul compatibility jamo.
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3021...0x3029, 0x3031...0x31FF: true
        // Han, Hangul jamo and syllables.
        case 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA960...0xA97F, 0xAC00...0xD7FF, 0xF900...0xFAFF: true
        // Myanmar extensions, halfwidth kana and Hangul, kana and Han extensions.
        case 0xA9E0...0xA9FF, 0xAA60...0xAA7F, 0xFF66...0xFFDC, 0x1AFF0...0x1B16F, 0x20000...0x323AF: true
        default: false
        }
    }

    private static func isWhole(_ value: UInt32) -> Bool {
        switch value {
        case 0x1100...0x11FF, 0x3041...0x318F, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
        default: false
        }
    }

    private static func folded(_ scalar: Unicode.Scalar) -> [UInt32] {
        if isWhole(scalar.value) { return [scalar.value] }
        let isNarrowKana = (0xFF66...0xFF9F).contains(scalar.value)
        let text = String(scalar)
        let parts =
            isNarrowKana
            ? text.precomposedStringWithCompatibilityMapping : text.decomposedStringWithCompatibilityMapping
        return parts.unicodeScalars.filter { !isLeftOut($0) }.flatMap(inLowerCase)
    }

    /// Maps through upper case, which turns "ς" into "Σ" and "ß" into "SS".
    private static func inLowerCase(_ scalar: Unicode.Scalar) -> [UInt32] {
        scalar.properties.uppercaseMapping.unicodeScalars.flatMap { $0.properties.lowercaseMapping.unicodeScalars }
            .filter { !isLeftOut($0) }.map(\.value)
    }

    /// True for accents, Hebrew and Arabic points, the Arabic tatweel, and invisible characters. Classes:
    /// https://unicode.org/reports/tr44/#Canonical_Combining_Class_Values
    private static func isLeftOut(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.canonicalCombiningClass.rawValue {
        case 10...36, 200...240: return true
        default: return scalar.value == 0x0640 || scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}
