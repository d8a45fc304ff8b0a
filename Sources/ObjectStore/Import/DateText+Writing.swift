extension DateText {
    /// An instant in ISO 8601, in a shape in which one came; `nil` for a year that it can't express.
    ///
    /// Where the shape has too few digits for the instant, it gets three or six for the fraction, and a date gets its time:
    /// nothing is lost but what is below a microsecond.
    static func text(_ seconds: Double, _ shape: WireShape) -> String? {
        var shape = shape
        if shape.form == .day {
            if !isSame((seconds / 86_400).rounded() * 86_400, seconds) { shape = .standard }
        } else if shape.form != .standard {
            shape = .standard
        }
        guard years0to9999.contains(seconds + Double(shape.offset * 60)) else { return nil }
        return text(parts(of: seconds, shape), shape)
    }

    /// To the microsecond: a `Date` counts from 2001, and so has no 1970-01-01T00:00:00.001 of its own.
    static func isSame(_ left: Double, _ right: Double) -> Bool { abs(left - right) < 5e-7 }

    /// In seconds since 1970.
    private static let years0to9999 = -62_167_219_200.0..<253_402_300_799.999_999

    /// An instant as whole seconds since 1970 and the digits of the fraction.
    struct Parts {
        var whole: Int
        var fraction = 0
        var digits = 0
    }

    /// With as many digits as the shape has, or three or six where those say more.
    private static func parts(of seconds: Double, _ shape: WireShape) -> Parts {
        var parts = self.parts(of: seconds, digits: shape.fractionDigits)
        for digits in [3, 6] where digits > parts.digits && !isSame(parts.seconds, seconds) {
            parts = self.parts(of: seconds, digits: digits)
        }
        return parts
    }

    /// Rounded to that many digits.
    static func parts(of seconds: Double, digits: Int) -> Parts {
        let whole = seconds.rounded(.down)
        let scale = powerOf10(digits)
        let fraction = ((seconds - whole) * scale).rounded()
        let carries = fraction >= scale
        return Parts(whole: Int(whole) + (carries ? 1 : 0), fraction: carries ? 0 : Int(fraction), digits: digits)
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

    /// The Gregorian date of a day counted from 1970-01-01, by Howard Hinnant's `civil_from_days`
    /// (https://howardhinnant.github.io/date_algorithms.html).
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
    /// What reading the text of these parts gives.
    var seconds: Double { Double(whole) + Double(fraction) / DateText.powerOf10(digits) }
}
