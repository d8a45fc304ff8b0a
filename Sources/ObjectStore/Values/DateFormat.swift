public import Foundation

/// How dates are written in JSON: for a whole API by ``ValueFormats``, for one attribute by `@Attribute(format:)`.
///
/// ```swift
/// @Attribute(format: .epochMilliseconds) var sentAt: Date?
/// @Attribute(format: .pattern("dd/MM/yyyy HH:mm")) var due: Date?
/// ```
///
/// A declared format is taken first on import, and ISO 8601 text beside it, which can't be mistaken; the unit of a
/// number is the declared one, whatever its size. What goes out is always in the declared format, rounded to what that
/// can express; a date that came in that format and was not edited goes back as it came.
public struct DateFormat: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        case automatic
        case iso8601(fractionDigits: Int?)
        case epoch(WireShape.Unit)
        case day
        case pattern(String, TimeZone)
    }

    let form: Form

    /// In: ISO 8601, or a number (also in a string) that is seconds since 1970, over 10^11 milliseconds, over 10^14
    /// microseconds; so a date before March 1973 must not be in milliseconds. Out: as the last import found the
    /// attribute written, with more digits of a fraction in ISO 8601 where the date has them; RFC 3339 in UTC where
    /// none came. Where only days came, the day in UTC, and where only whole numbers came, the nearest one: fields for
    /// those take nothing else. A date that was not edited goes back as it came.
    public static let automatic = DateFormat(form: .automatic)
    /// RFC 3339 in UTC, with three or six digits of a fraction where the date has one.
    public static let iso8601 = DateFormat(form: .iso8601(fractionDigits: nil))
    /// RFC 3339 in UTC, with exactly that many digits of a fraction, 0 to 9.
    public static func iso8601(fractionDigits: Int) -> DateFormat {
        DateFormat(form: .iso8601(fractionDigits: min(max(fractionDigits, 0), 9)))
    }
    /// Seconds since 1970, sent whole.
    public static let epochSeconds = DateFormat(form: .epoch(.seconds))
    /// Milliseconds since 1970, sent whole.
    public static let epochMilliseconds = DateFormat(form: .epoch(.milliseconds))
    /// Microseconds since 1970, sent whole.
    public static let epochMicroseconds = DateFormat(form: .epoch(.microseconds))
    /// `2014-01-02`: midnight UTC. The time of what comes is kept, the day alone goes out.
    public static let date = DateFormat(form: .day)
    /// A pattern of Unicode's UTS 35, in the language `en_US_POSIX`. A pattern that can't tell a date is a problem that
    /// the store reports when it opens; a date whose year it can't tell is not sent. What the zone's clocks skip is
    /// read as if they had gone on, and goes back as it came.
    public static func pattern(_ pattern: String, timeZone: TimeZone = .gmt) -> DateFormat {
        DateFormat(form: .pattern(pattern, timeZone))
    }
}

extension DateFormat: CustomStringConvertible {
    /// What it is, as `explain` and problems say it.
    public var description: String {
        switch form {
        case .automatic: "any date"
        case .iso8601(nil): "ISO 8601"
        case .iso8601(let digits?): "ISO 8601 with \(digits) digits of a fraction"
        case .epoch(let unit): "\(unit) since 1970"
        case .day: "a day as yyyy-MM-dd"
        case .pattern(let pattern, let zone): "\"\(pattern)\" in \(zone.identifier)"
        }
    }
}
