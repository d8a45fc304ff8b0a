/// Reads the dates of HTTP header fields ([RFC 9110 §5.6.7](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7)).
///
/// By hand, because a formatter would depend on locale and time zone, and because the three forms are all there is.
enum HTTPDate {
    /// Seconds since 1970 of any of the three forms; nil for anything else.
    static func seconds(_ text: some StringProtocol) -> Int? {
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

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

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

    /// Days from 1970-01-01 in the proleptic Gregorian calendar, counted in years that begin in March, so that the
    /// leap day comes last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = year / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
