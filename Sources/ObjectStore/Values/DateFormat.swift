public import Foundation

/// The format of dates in JSON, for an API in ``ValueFormats``, or for an attribute.
///
/// ```swift
/// @Attribute(format: .epochMilliseconds) var sentAt: Date?
/// ```
///
/// An import tries the declared format first, and then ISO 8601. Numbers are in the declared unit, whatever their size.
/// Requests use the declared format and its precision. A date received in this format is sent back unchanged until you
/// edit it.
public struct DateFormat: Sendable, Hashable {
    enum Form: Sendable, Hashable {
        case automatic
        case iso8601(fractionDigits: Int?)
        case epoch(WireShape.Unit)
        case day
        case pattern(String, TimeZone)
    }

    let form: Form

    /// Detects the format.
    ///
    /// Imports accept ISO 8601, and numbers, also in strings: seconds since 1970, over 10^11 milliseconds (March 1973),
    /// over 10^14 microseconds.
    ///
    /// Requests use the attribute's format in the last import, or RFC 3339 in UTC by default. ISO 8601 gets more digits
    /// of a fraction if the date has them. Where only days were received, the day in UTC is sent; where only whole
    /// numbers, the nearest one. An unedited date is sent back unchanged.
    public static let automatic = DateFormat(form: .automatic)
    /// RFC 3339 in UTC, with three or six digits of a fraction if the date has one.
    public static let iso8601 = DateFormat(form: .iso8601(fractionDigits: nil))
    /// RFC 3339 in UTC with a fixed number of digits in the fraction, clamped to 0 to 9.
    public static func iso8601(fractionDigits: Int) -> DateFormat {
        DateFormat(form: .iso8601(fractionDigits: min(max(fractionDigits, 0), 9)))
    }
    /// Seconds since 1970, sent as a whole number.
    public static let epochSeconds = DateFormat(form: .epoch(.seconds))
    /// Milliseconds since 1970, sent as a whole number.
    public static let epochMilliseconds = DateFormat(form: .epoch(.milliseconds))
    /// Microseconds since 1970, sent as a whole number.
    public static let epochMicroseconds = DateFormat(form: .epoch(.microseconds))
    /// `2014-01-02`, midnight UTC. A received time is stored, but only the day is sent.
    public static let date = DateFormat(form: .day)
    /// A pattern of Unicode's UTS 35, in the locale `en_US_POSIX`.
    ///
    /// A store doesn't open with a pattern that leaves the date ambiguous. Sending a date fails if the pattern can't
    /// represent its year. A time that the zone's clocks skip is read as if they had continued.
    public static func pattern(_ pattern: String, timeZone: TimeZone = .gmt) -> DateFormat {
        DateFormat(form: .pattern(pattern, timeZone))
    }
}

extension DateFormat: CustomStringConvertible {
    /// The format in words, for `explain` and errors.
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
