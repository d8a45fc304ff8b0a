/// Dates as REST services write them, read from bytes without allocating.
///
/// ISO 8601 and RFC 3339: a date alone (midnight UTC), date and time with `T` or a space, fractions of any length, `Z`, a
/// zone with or without a colon, or none (UTC). A number, or a string of digits, is seconds since 1970; one over 10^11 is
/// milliseconds, one over 10^14 microseconds (10^11 seconds is the year 5138).
enum DateText {
    /// Seconds since 1970; `nil` for anything else, an impossible date included.
    static func seconds(_ bytes: UnsafeRawBufferPointer) -> Double? {
        var scan = unsafe Scan(bytes: bytes)
        if let first = scan.peek, first == UInt8(ascii: "-") || bytes.count < 8 || !scan.looksLikeDate {
            return unsafe numberText(bytes).flatMap(seconds(fromNumber:))
        }
        guard let year = scan.digits(4), scan.skip("-"), let month = scan.digits(2), scan.skip("-"),
            let day = scan.digits(2), isDate(year, month, day)
        else { return nil }
        let days = Double(daysSince1970(year, month, day)) * 86_400
        if scan.isAtEnd { return days }
        guard scan.skip("T") || scan.skip("t") || scan.skip(" "), let time = scan.time() else { return nil }
        return days + time
    }

    static func seconds(fromNumber number: Double) -> Double? {
        guard number.isFinite else { return nil }
        let size = abs(number)
        if size >= 1e17 { return nil }
        return size > 1e14 ? number / 1e6 : size > 1e11 ? number / 1e3 : number
    }

    private static func numberText(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard unsafe !bytes.isEmpty, bytes.count <= 32,
            unsafe bytes.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D })
        else { return nil }
        return Double(unsafe String(decoding: bytes, as: UTF8.self))
    }

    private static func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day <= days[month - 1]
    }

    /// Days from 1970-01-01 in the Gregorian calendar, by Howard Hinnant's `days_from_civil`
    /// (https://howardhinnant.github.io/date_algorithms.html).
    static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// A cursor over the text.
    @safe private struct Scan {
        let bytes: UnsafeRawBufferPointer
        var place = 0

        init(bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

        var isAtEnd: Bool { unsafe place >= bytes.count }
        var peek: UInt8? { unsafe place < bytes.count ? bytes[place] : nil }
        var looksLikeDate: Bool { unsafe bytes.count >= 10 && bytes[4] == UInt8(ascii: "-") }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard peek == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        mutating func digits(_ count: Int) -> Int? {
            guard unsafe place + count <= bytes.count else { return nil }
            var value = 0
            for _ in 0..<count {
                let digit = unsafe bytes[place] &- 0x30
                guard digit < 10 else { return nil }
                value = value * 10 + Int(digit)
                place += 1
            }
            return value
        }

        /// Hours, minutes, seconds, fraction and zone, as seconds since midnight UTC.
        mutating func time() -> Double? {
            guard let hour = digits(2), skip(":"), let minute = digits(2), hour < 24, minute < 60 else { return nil }
            var seconds = Double(hour * 3600 + minute * 60)
            if skip(":") {
                // 60 is a leap second (RFC 3339 §5.7).
                guard let second = digits(2), second <= 60 else { return nil }
                seconds += Double(second)
                if skip(".") || skip(",") {
                    guard let fraction = fraction() else { return nil }
                    seconds += fraction
                }
            }
            guard let zone = zone(), isAtEnd else { return nil }
            return seconds - zone
        }

        private mutating func fraction() -> Double? {
            var value = 0.0
            var scale = 1.0
            var count = 0
            while let digit = peek.map({ $0 &- 0x30 }), digit < 10 {
                // Digits beyond the fifteenth change nothing that a Double holds.
                if count < 15 {
                    value = value * 10 + Double(digit)
                    scale *= 10
                }
                count += 1
                place += 1
            }
            return count > 0 ? value / scale : nil
        }

        private mutating func zone() -> Double? {
            if isAtEnd || skip("Z") || skip("z") { return 0 }
            let sign = skip("+") ? 1.0 : skip("-") ? -1.0 : 0
            guard sign != 0, let hours = digits(2), hours < 24 else { return nil }
            if isAtEnd { return sign * Double(hours * 3600) }
            _ = skip(":")
            guard let minutes = digits(2), minutes < 60 else { return nil }
            return sign * Double(hours * 3600 + minutes * 60)
        }
    }
}
