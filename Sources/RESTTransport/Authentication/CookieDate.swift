/// Reads the dates of cookies by the lenient rules of [RFC 6265
/// §5.1.1](https://www.rfc-editor.org/rfc/rfc6265#section-5.1.1).
enum CookieDate {
    private struct Draft {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?
    }

    /// Seconds since 1970; nil if a part is missing or out of range.
    static func seconds(_ text: String) -> Int? {
        var draft = Draft()
        for word in text.utf8.split(whereSeparator: \.isDateDelimiter) { read(word, into: &draft) }
        guard let time = draft.time, let day = draft.day, let month = draft.month, var year = draft.year else {
            return nil
        }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        guard year >= 1601, day >= 1, time[0] < 24, time[1] < 60, time[2] < 60 else { return nil }
        let first = HTTPDate.daysSince1970(year: year, month: month, day: 1)
        let following = HTTPDate.daysSince1970(
            year: month == 12 ? year + 1 : year, month: month == 12 ? 1 : month + 1, day: 1)
        guard first + day - 1 < following else { return nil }
        return (((first + day - 1) * 24 + time[0]) * 60 + time[1]) * 60 + time[2]
    }

    /// Assigns a word to the first missing part that it can be.
    private static func read(_ word: Substring.UTF8View.SubSequence, into draft: inout Draft) {
        if draft.time == nil, let time = time(word) {
            draft.time = time
        } else if draft.day == nil, let day = number(word, digits: 1...2) {
            draft.day = day
        } else if draft.month == nil, let month = month(word) {
            draft.month = month
        } else if draft.year == nil, let year = number(word, digits: 2...4) {
            draft.year = year
        }
    }

    private static func time(_ word: Substring.UTF8View.SubSequence) -> [Int]? {
        let parts = word.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(\.isDigit), parts[1].allSatisfy(\.isDigit) else { return nil }
        let numbers = parts.compactMap { number($0, digits: 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    /// Nil for too few or too many digits. Text after the digits is ignored.
    private static func number(_ word: Substring.UTF8View.SubSequence, digits: ClosedRange<Int>) -> Int? {
        let text = word.prefix(while: \.isDigit)
        return digits.contains(text.count) ? Int(Substring(text)) : nil
    }

    private static func month(_ word: Substring.UTF8View.SubSequence) -> Int? {
        let name = Substring(word.prefix(3)).lowercased()
        return HTTPDate.months.firstIndex { $0.lowercased() == name }.map { $0 + 1 }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isDateDelimiter: Bool {
        self == 0x09 || (0x20...0x2F).contains(self) || (0x3B...0x40).contains(self) || (0x5B...0x60).contains(self)
            || (0x7B...0x7E).contains(self)
    }
}
