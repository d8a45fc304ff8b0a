import Foundation
import Synchronization

/// Reads and writes dates by a pattern of UTS 35.
final class PatternFormatter: Sendable {
    let format: DateFormat
    /// A formatter may be used by one thread at a time.
    private let formatter: Mutex<DateFormatter>

    init(_ pattern: String, _ timeZone: TimeZone) {
        format = .pattern(pattern, timeZone: timeZone)
        formatter = Mutex(Self.formatter(pattern, timeZone))
    }

    private static func formatter(_ pattern: String, _ timeZone: TimeZone) -> sending DateFormatter {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.calendar = Calendar(identifier: .gregorian)
        formatter.timeZone = timeZone
        formatter.dateFormat = pattern
        formatter.isLenient = false
        return formatter
    }

    func seconds(_ text: String) -> Double? {
        formatter.withLock { formatter in formatter.date(from: text)?.timeIntervalSince1970 }
    }

    func text(_ seconds: Double) -> String {
        formatter.withLock { formatter in formatter.string(from: Date(timeIntervalSince1970: seconds)) }
    }

    /// What is wrong with a pattern: dates that it writes could not be read again as the same day and time.
    ///
    /// The fields are those of https://unicode.org/reports/tr35/tr35-dates.html#Date_Field_Symbol_Table.
    static func problem(of pattern: String, _ timeZone: TimeZone) -> String? {
        let fields = Set(self.fields(of: pattern))
        if fields.isEmpty { return "it has no fields" }
        if let unknown = fields.subtracting("GyYuUrQqMLwWdDFgEecabBhHKkjmsSAzZOvVXx").sorted().first {
            return "\"\(unknown)\" is no field; put words in single quotes"
        }
        let hasHour = !fields.isDisjoint(with: "hHKk")
        if fields.contains("Y"), !fields.contains("w") { return "\"Y\" is the year of a week; a date's year is \"y\"" }
        if fields.contains("m"), !hasHour { return "\"m\" is minutes; a month is \"M\"" }
        if fields.contains("D"), fields.contains("M") { return "\"D\" is a day of the year; a month's is \"d\"" }
        if !fields.isDisjoint(with: "hK"), fields.isDisjoint(with: "abB") {
            return "\"h\" goes to 12 and needs \"a\"; hours to 23 are \"H\""
        }
        let formatter = PatternFormatter(pattern, timeZone)
        // No two of its fields are alike: 2026-11-23 17:42:58.125 UTC.
        let sample = formatter.text(1_795_455_778.125)
        guard let read = formatter.seconds(sample) else { return "what it writes, \"\(sample)\", it can't read" }
        guard abs(read - 1_795_455_778) < 2 * 86_400 else { return "it does not tell the day, month and year" }
        return nil
    }

    /// The letters that stand outside single quotes.
    private static func fields(of pattern: String) -> [Character] {
        var isQuoted = false
        return pattern.filter { character in
            if character == "'" { isQuoted.toggle() }
            return !isQuoted && character.isASCII && character.isLetter
        }.map { $0 }
    }
}
