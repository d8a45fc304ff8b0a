/// Dates in the formats of REST services, read from bytes free of allocations.
///
/// ISO 8601 and RFC 3339: a day (midnight UTC), date and time with `T` or a space, fractions of any length, `Z` or a
/// zone whose colon is optional, else UTC. Numbers, also as text, are seconds since 1970; over 10^11 milliseconds, over
/// 10^14 microseconds (10^11 seconds is the year 5138).
enum DateText {
    struct Reading {
        /// With the precision of `Date`, which counts from 2001, so that queries find dates that are set, too.
        let seconds: Double
        var shape: WireShape

        init(seconds: Double, shape: WireShape) {
            (self.seconds, self.shape) = ((seconds - DateText.year2001) + DateText.year2001, shape)
            self.shape.hasTime = shape.form != .day
        }
    }

    /// `nil` for other texts and impossible dates.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading? {
        var scan = unsafe Scan(bytes: bytes)
        if scan.looksLikeDate { return scan.date() }
        return unsafe numberText(bytes).flatMap { unsafe read(number: $0, bytes, as: .string) }
    }

    static func read(iso8601 bytes: UnsafeRawBufferPointer) -> Reading? {
        var scan = unsafe Scan(bytes: bytes)
        return scan.looksLikeDate ? scan.date() : nil
    }

    /// The number's size determines the unit.
    static func read(number: Double, _ text: UnsafeRawBufferPointer, as form: WireShape.Form) -> Reading? {
        let size = abs(number)
        guard size < 1e17 else { return nil }
        let unit: WireShape.Unit = size > 1e14 ? .microseconds : size > 1e11 ? .milliseconds : .seconds
        guard var reading = read(number, in: unit, as: form) else { return nil }
        let isWhole = unsafe text.allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") }
        if unsafe text.contains(UInt8(ascii: ".")) { reading.shape.fractionDigits = 1 }
        // Without leading zeros, a text of digits can be reproduced.
        if unsafe !isWhole || text.count > 15 || form == .string && text.first.map({ $0 < UInt8(ascii: "1") }) == true {
            let written = WireText.number(count(reading.seconds, reading.shape)).json
            reading.shape.needsText = unsafe !NumberText.represents(written, text, isQuoted: form == .string)
        }
        return reading
    }

    static func read(_ number: Double, in unit: WireShape.Unit, as form: WireShape.Form) -> Reading? {
        let seconds = number / unit.perSecond
        guard abs(seconds) < 1e12 else { return nil }
        return Reading(seconds: seconds, shape: WireShape(form, unit))
    }

    /// The number is whole if the server writes whole numbers, because its field may reject fractions. Otherwise it is
    /// exact to the microsecond.
    static func count(_ seconds: Double, _ shape: WireShape) -> Double {
        let whole = (seconds * shape.unit.perSecond).rounded()
        if shape.fractionDigits == 0 || isSame(whole / shape.unit.perSecond, seconds) { return whole }
        return (seconds * 1e6).rounded() / (1e6 / shape.unit.perSecond)
    }

    /// Digits with an optional sign or fraction.
    static func numberText(_ bytes: UnsafeRawBufferPointer) -> Double? {
        guard unsafe !bytes.isEmpty, bytes.count <= 32,
            unsafe bytes.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D })
        else { return nil }
        return Double(unsafe String(decoding: bytes, as: UTF8.self))
    }

    private static func isDate(year: Int, month: Int, day: Int) -> Bool {
        guard (1...12).contains(month), day >= 1 else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return day <= days[month - 1]
    }

    /// Days from 1970-01-01, by Howard Hinnant's `days_from_civil`
    /// (https://howardhinnant.github.io/date_algorithms.html).
    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// The text, and the form recognized so far.
    @safe private struct Scan {
        let bytes: UnsafeRawBufferPointer
        var place = 0
        var shape = WireShape.standard
        /// The fraction's first fifteen digits, as an integer.
        private var fraction = 0.0
        /// Whether the shape can't represent a part: a leap second, or an offset of `-00:00`.
        private var isUnusual = false

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
                isDate(year: year, month: month, day: day)
            else { return nil }
            let midnight = daysSince1970(year: year, month: month, day: day) * 86_400
            if isAtEnd { return Reading(seconds: Double(midnight), shape: WireShape(.day)) }
            if !skip("T") {
                guard skip(" ") || skip("t") else { return nil }
                shape.separator = unsafe bytes[place - 1] == UInt8(ascii: " ") ? .space : .lowerT
            }
            guard let time = time() else { return nil }
            // Added last, the fraction is rounded only once. The last second of the year 9999 must stay in that year,
            // because the year 10000 has no text.
            var seconds = Double(midnight + time.whole) + time.fraction
            if year == 9999 {
                let isBefore = midnight + time.whole < Int(DateText.year10000)
                let end = DateText.year10000 - Double(isBefore ? max(shape.offset, 0) * 60 : shape.offset * 60)
                seconds = min(seconds, end.nextDown)
            }
            var reading = Reading(seconds: seconds, shape: shape)
            reading.shape.needsText = !isExact(reading.seconds, midnight + time.whole)
            return reading
        }

        /// Whether the text can be reproduced. A `Double` holds six digits of a fraction in years around ours, and
        /// three in all years.
        private func isExact(_ seconds: Double, _ whole: Int) -> Bool {
            if isUnusual { return false }
            let digits = shape.fractionDigits
            guard digits > 6 || digits > 3 && abs(seconds) > 4e9 else { return true }
            let parts = DateText.parts(of: seconds, digits: digits)
            return digits < 15 && parts.whole == whole && Double(parts.fraction) == fraction
        }

        /// Seconds since midnight UTC, and the fraction.
        private mutating func time() -> (whole: Int, fraction: Double)? {
            guard let hour = digits(2), skip(":"), let minute = digits(2), hour < 24, minute < 60 else { return nil }
            var seconds = hour * 3600 + minute * 60
            var fraction = 0.0
            if skip(":") {
                // 60 is a leap second (RFC 3339 §5.7).
                guard let second = digits(2), second <= 60 else { return nil }
                if second == 60 { isUnusual = true }
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
                // Digits after the fifteenth are beyond the precision of `Double`.
                if count < 15 {
                    value = value * 10 + Double(digit)
                    scale *= 10
                }
                count += 1
                place += 1
            }
            shape.fractionDigits = count
            fraction = value
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
            if sign < 0, shape.offset == 0 { isUnusual = true }
            return shape.offset
        }
    }
}

// MARK: Writing

extension DateText {
    /// ISO 8601; `nil` if the year has no text.
    ///
    /// A shape of days gives the day in UTC, because a field for days accepts days only. A fraction with too few digits
    /// gets three or six. Only digits below a microsecond are lost.
    static func text(_ seconds: Double, _ shape: WireShape) -> String? {
        var (seconds, shape) = (seconds, shape)
        if shape.form == .day { seconds = startOfDay(seconds) } else if shape.form != .standard { shape = .standard }
        guard years0to9999.contains(seconds + Double(shape.offset * 60)) else { return nil }
        return text(parts(of: seconds, shape), shape)
    }

    /// Compares to the microsecond. A `Date` counts from 2001, so it is inexact for 1970-01-01T00:00:00.001.
    static func isSame(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 5e-7 }

    /// In UTC. The next midnight if it is less than half a microsecond away.
    static func startOfDay(_ seconds: Double) -> Double {
        let nearest = (seconds / 86_400).rounded() * 86_400
        return isSame(nearest, seconds) ? nearest : (seconds / 86_400).rounded(.down) * 86_400
    }

    /// Seconds since 1970.
    static let years0to9999 = -62_167_219_200.0..<year10000
    private static let year10000 = 253_402_300_800.0
    private static let year2001 = 978_307_200.0

    /// Whether the year has four digits, in the shape's zone or UTC.
    static func hasText(_ seconds: Double, _ shape: WireShape) -> Bool {
        years0to9999.contains(seconds) || years0to9999.contains(seconds + Double(shape.offset * 60))
    }

    struct Parts {
        var whole: Int
        var fraction = 0
        var digits = 0
    }

    /// With the shape's number of digits, or three or six if these are more exact.
    private static func parts(of seconds: Double, _ shape: WireShape) -> Parts {
        var parts = self.parts(of: seconds, digits: shape.fractionDigits)
        for digits in [3, 6] where digits > parts.digits && !isSame(parts.seconds, seconds) {
            parts = self.parts(of: seconds, digits: digits)
        }
        return parts
    }

    /// Rounds down at the end of the year 9999. Clamps values beyond all years with a text, infinity and NaN.
    static func parts(of seconds: Double, digits: Int) -> Parts {
        let seconds = min(max(seconds, -1e12), 1e12)
        // In the years around ours, a `Date` holds six digits. Others would be noise: 0.0999999 for 0.1.
        if digits > 6, abs(seconds) <= 4e9 {
            let micro = parts(of: seconds, digits: 6)
            if Reading(seconds: micro.seconds, shape: .standard).seconds == seconds {
                let fraction = micro.fraction * Int(powerOf10(digits - 6))
                return Parts(whole: micro.whole, fraction: fraction, digits: digits)
            }
        }
        let whole = seconds.rounded(.down)
        let scale = powerOf10(digits)
        let fraction = ((seconds - whole) * scale).rounded()
        guard fraction >= scale else { return Parts(whole: Int(whole), fraction: Int(fraction), digits: digits) }
        guard whole + 1 != year10000 else { return Parts(whole: Int(whole), fraction: Int(scale) - 1, digits: digits) }
        return Parts(whole: Int(whole) + 1, digits: digits)
    }

    static func powerOf10(_ digits: Int) -> Double { (0..<digits).reduce(1.0) { power, _ in power * 10 } }

    private static func text(_ parts: Parts, _ shape: WireShape) -> String {
        let local = parts.whole + shape.offset * 60
        let days = (local >= 0 ? local : local - 86_399) / 86_400
        let time = local - days * 86_400
        let (year, month, day) = civil(days)
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        if shape.form == .day { return text }
        switch shape.separator {
        case .upperT: text += "T"
        case .lowerT: text += "t"
        case .space: text += " "
        }
        text += "\(padded(time / 3600, 2)):\(padded(time / 60 % 60, 2))"
        if !shape.hasNoSeconds || time % 60 != 0 || parts.fraction != 0 {
            text += ":" + padded(time % 60, 2)
            if parts.digits > 0 { text += (shape.hasComma ? "," : ".") + padded(parts.fraction, parts.digits) }
        }
        return text + zoneText(shape)
    }

    private static func zoneText(_ shape: WireShape) -> String {
        let size = abs(shape.offset)
        let sign = shape.offset < 0 ? "-" : "+"
        switch shape.zone {
        case .upperZ: return "Z"
        case .lowerZ: return "z"
        case .none: return ""
        case .colon: return sign + padded(size / 60, 2) + ":" + padded(size % 60, 2)
        case .plain: return sign + padded(size / 60, 2) + padded(size % 60, 2)
        case .hours: return sign + padded(size / 60, 2)
        }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }

    /// By Howard Hinnant's `civil_from_days` (https://howardhinnant.github.io/date_algorithms.html).
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}

extension DateText.Parts {
    /// The value of the parts' text.
    var seconds: Double { Double(whole) + Double(fraction) / DateText.powerOf10(digits) }
}
