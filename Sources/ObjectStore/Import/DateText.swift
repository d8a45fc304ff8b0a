/// Dates as REST services write them, read from bytes without allocating.
///
/// ISO 8601 and RFC 3339: a date alone (midnight UTC), date and time with `T` or a space, fractions of any length, `Z`, a
/// zone with or without a colon, or none (UTC). A number, or a string of digits, is seconds since 1970; one over 10^11 is
/// milliseconds, one over 10^14 microseconds (10^11 seconds is the year 5138).
enum DateText {
    /// An instant, and how it was written.
    struct Reading {
        /// Seconds since 1970.
        var seconds: Double
        var shape: WireShape
    }

    /// `nil` for anything but ISO 8601 and digits, an impossible date included.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading? {
        var scan = unsafe Scan(bytes: bytes)
        guard scan.looksLikeDate else { return unsafe numberText(bytes).flatMap { read(number: $0, as: .string) } }
        return scan.date()
    }

    /// `nil` for anything but ISO 8601.
    static func read(iso8601 bytes: UnsafeRawBufferPointer) -> Reading? {
        var scan = unsafe Scan(bytes: bytes)
        return scan.looksLikeDate ? scan.date() : nil
    }

    /// A number whose size tells its unit.
    static func read(number: Double, as form: WireShape.Form) -> Reading? {
        let size = abs(number)
        guard size < 1e17 else { return nil }
        return read(number, in: size > 1e14 ? .microseconds : size > 1e11 ? .milliseconds : .seconds, as: form)
    }

    static func read(_ number: Double, in unit: WireShape.Unit, as form: WireShape.Form) -> Reading? {
        let seconds = number / unit.perSecond
        guard abs(seconds) < 1e12 else { return nil }
        return Reading(seconds: seconds, shape: WireShape(form, unit))
    }

    /// The number that a text of digits, with a sign or a fraction, spells.
    static func numberText(_ bytes: UnsafeRawBufferPointer) -> Double? {
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

    /// A cursor over the text, and what it has seen of how the text is written.
    @safe private struct Scan {
        let bytes: UnsafeRawBufferPointer
        var place = 0
        var shape = WireShape.standard

        init(bytes: UnsafeRawBufferPointer) { unsafe self.bytes = bytes }

        var isAtEnd: Bool { unsafe place >= bytes.count }
        var peek: UInt8? { unsafe place < bytes.count ? bytes[place] : nil }
        var looksLikeDate: Bool {
            unsafe bytes.count >= 10 && bytes[4] == UInt8(ascii: "-") && bytes[0] != UInt8(ascii: "-")
        }

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

        mutating func date() -> Reading? {
            guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
                isDate(year, month, day)
            else { return nil }
            let midnight = daysSince1970(year, month, day) * 86_400
            if isAtEnd { return Reading(seconds: Double(midnight), shape: WireShape(.day)) }
            if !skip("T") {
                guard skip(" ") || skip("t") else { return nil }
                shape.separator = unsafe bytes[place - 1] == UInt8(ascii: " ") ? .space : .lowerT
            }
            guard let time = time() else { return nil }
            // Whole seconds first: the fraction is then rounded once, as the text's value would be.
            return Reading(seconds: Double(midnight + time.whole) + time.fraction, shape: shape)
        }

        /// Hours, minutes, seconds and zone as seconds since midnight UTC, and the fraction.
        private mutating func time() -> (whole: Int, fraction: Double)? {
            guard let hour = digits(2), skip(":"), let minute = digits(2), hour < 24, minute < 60 else { return nil }
            var seconds = hour * 3600 + minute * 60
            var fraction = 0.0
            if skip(":") {
                // 60 is a leap second (RFC 3339 §5.7).
                guard let second = digits(2), second <= 60 else { return nil }
                seconds += second
                shape.hasComma = peek == UInt8(ascii: ",")
                if skip(".") || skip(",") {
                    guard let digits = fractionDigits() else { return nil }
                    fraction = digits
                }
            } else {
                shape.hasNoSeconds = true
            }
            guard let zone = zone(), isAtEnd else { return nil }
            return (seconds - zone * 60, fraction)
        }

        private mutating func fractionDigits() -> Double? {
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
            shape.fractionDigits = count
            return count > 0 ? value / scale : nil
        }

        /// Minutes east of UTC.
        private mutating func zone() -> Int? {
            if skip("Z") { return 0 }
            if isAtEnd {
                shape.zone = .none
                return 0
            }
            if skip("z") {
                shape.zone = .lowerZ
                return 0
            }
            let sign = skip("+") ? 1 : skip("-") ? -1 : 0
            guard sign != 0, let hours = digits(2), hours < 24 else { return nil }
            var minutes = 0
            if isAtEnd {
                shape.zone = .hours
            } else {
                shape.zone = skip(":") ? .colon : .plain
                guard let part = digits(2), part < 60 else { return nil }
                minutes = part
            }
            shape.offset = sign * (hours * 60 + minutes)
            return shape.offset
        }
    }
}
