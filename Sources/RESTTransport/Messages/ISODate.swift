/// Reads dates by RFC 3339 ([§5.6](https://www.rfc-editor.org/rfc/rfc3339#section-5.6)): `2026-11-26T14:15:20.123456Z`,
/// which some servers send in place of a number.
enum ISODate {
    /// Seconds since 1970, a fraction rounded up, so never too early; nil for other texts, and without a zone.
    static func seconds(_ text: String) -> Int? {
        var rest = text.utf8[...]
        guard let date = fields(&rest, lengths: [4, 2, 2], by: UInt8(ascii: "-")),
            let separator = rest.popFirst(), "Tt ".utf8.contains(separator),
            let time = fields(&rest, lengths: [2, 2, 2], by: UInt8(ascii: ":")),
            let hasFraction = fraction(&rest), let offset = offset(&rest), rest.isEmpty,
            isDay(date), time[0] < 24, time[1] < 60, time[2] <= 60
        else { return nil }
        let days = HTTPDate.daysSince1970(year: date[0], month: date[1], day: date[2])
        return ((days * 24 + time[0]) * 60 + time[1]) * 60 + time[2] - offset + (hasFraction ? 1 : 0)
    }

    private static func isDay(_ date: [Int]) -> Bool {
        guard (1...12).contains(date[1]), date[2] >= 1 else { return false }
        let isLeap = date[0].isMultiple(of: 4) && (!date[0].isMultiple(of: 100) || date[0].isMultiple(of: 400))
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return date[2] <= lengths[date[1] - 1]
    }

    /// Numbers of these lengths in digits.
    private static func fields(
        _ rest: inout Substring.UTF8View, lengths: [Int], by separator: UInt8
    ) -> [Int]? {
        var numbers: [Int] = []
        for length in lengths {
            if !numbers.isEmpty, rest.popFirst() != separator { return nil }
            let digits = rest.prefix(length)
            guard digits.count == length, digits.allSatisfy(isDigit) else { return nil }
            numbers.append(digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
            rest = rest.dropFirst(length)
        }
        return numbers
    }

    /// Whether there is a fraction greater than zero; nil for a point without digits.
    private static func fraction(_ rest: inout Substring.UTF8View) -> Bool? {
        guard let point = rest.first, ".,".utf8.contains(point) else { return false }
        let digits = rest.dropFirst().prefix(while: isDigit)
        rest = rest.dropFirst(1 + digits.count)
        return digits.isEmpty ? nil : digits.contains { $0 != UInt8(ascii: "0") }
    }

    /// The offset from UTC in seconds: `Z`, `+02:00` or `+0200`.
    private static func offset(_ rest: inout Substring.UTF8View) -> Int? {
        guard let sign = rest.popFirst() else { return nil }
        if "Zz".utf8.contains(sign) { return 0 }
        guard "+-".utf8.contains(sign), let hour = fields(&rest, lengths: [2], by: 0) else { return nil }
        if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
        guard let minute = fields(&rest, lengths: [2], by: 0), hour[0] < 24, minute[0] < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hour[0] * 60 + minute[0]) * 60
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
