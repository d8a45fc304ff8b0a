/// Reads the three forms of dates in header fields ([RFC 9110
/// §5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
///
/// A formatter would depend on locale and time zone.
package enum HTTPDate {
    /// In seconds since 1970; nil for other texts.
    package static func seconds(_ text: String) -> Int? { fixed(text) ?? anyForm(text) }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`, as in each reply, is read by fixed positions for speed.
    private static func fixed(_ text: String) -> Int? {
        guard text.utf8.count == 29 else { return nil }
        return text.readingBytes { fixed($0) }
    }

    private static func fixed(_ bytes: Span<UInt8>) -> Int? {
        guard bytes[25] == 0x20, bytes[26] == UInt8(ascii: "G"), bytes[27] == UInt8(ascii: "M"),
            bytes[28] == UInt8(ascii: "T"), bytes[3] == UInt8(ascii: ","), bytes[4] == 0x20, bytes[7] == 0x20,
            bytes[11] == 0x20, bytes[16] == 0x20, bytes[19] == UInt8(ascii: ":"), bytes[22] == UInt8(ascii: ":")
        else { return nil }
        func number(_ places: Range<Int>) -> Int? {
            var number = 0
            for place in places {
                guard (0x30...0x39).contains(bytes[place]) else { return nil }
                number = number * 10 + Int(bytes[place] - 0x30)
            }
            return number
        }
        let name = UInt32(bytes[8]) << 16 | UInt32(bytes[9]) << 8 | UInt32(bytes[10])
        guard let month = monthBytes.firstIndex(of: name), let day = number(5..<7), (1...31).contains(day),
            let year = number(12..<16), year >= 100, let hour = number(17..<19), hour < 24,
            let minute = number(20..<22), minute < 60, let second = number(23..<25), second <= 60
        else { return nil }
        return ((daysSince1970(year: year, month: month + 1, day: day) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static let monthBytes = months.map { $0.utf8.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }

    private static func anyForm(_ text: String) -> Int? {
        let words = text.split { $0 == " " || $0 == "," || $0 == "-" }
        switch words.count {
        case 6 where words[5] == "GMT":  // Sun, 06 Nov 1994 08:49:37 GMT, or with 06-Nov-94 in the oldest servers
            return seconds(day: words[1], month: words[2], year: words[3], time: words[4])
        case 5:  // Sun Nov  6 08:49:37 1994
            return seconds(day: words[2], month: words[1], year: words[4], time: words[3])
        default:
            return nil
        }
    }

    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func seconds(
        day: some StringProtocol, month: some StringProtocol, year: some StringProtocol, time: some StringProtocol
    ) -> Int? {
        let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number($0, digits: 2...2) }
        guard let day = number(day, digits: 1...2), (1...31).contains(day),
            let month = months.firstIndex(where: { $0 == month }),
            var year = number(year, digits: 2...4), clock.count == 3,
            let hour = clock[0], let minute = clock[1], let second = clock[2],
            hour < 24, minute < 60, second <= 60
        else { return nil }
        if year < 100 { year += year < 70 ? 2000 : 1900 }
        return ((daysSince1970(year: year, month: month + 1, day: day) * 24 + hour) * 60 + minute) * 60 + second
    }

    private static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }

    /// Days since 1970-01-01 in the proleptic Gregorian calendar. Years begin in March, so the leap day is last.
    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
