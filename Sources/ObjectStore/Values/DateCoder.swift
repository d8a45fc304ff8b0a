/// A ``DateFormat``, ready to read and write.
package struct DateCoder: Sendable {
    let format: DateFormat
    private let pattern: PatternFormatter?

    static let automatic = DateCoder(.automatic)

    init(_ format: DateFormat) {
        self.format = format
        pattern = if case .pattern(let pattern, let zone) = format.form { PatternFormatter(pattern, zone) } else { nil }
    }

    /// Whether the importer's own fast conversion is not the one.
    var isDeclared: Bool { format.form != .automatic }

    // MARK: Reading

    func read(text bytes: UnsafeRawBufferPointer) -> DateText.Reading? {
        switch format.form {
        case .automatic: return unsafe DateText.read(bytes)
        case .iso8601, .day: return unsafe DateText.read(iso8601: bytes)
        case .epoch(let unit):
            if let number = unsafe DateText.numberText(bytes) { return DateText.read(number, in: unit, as: .string) }
            return unsafe DateText.read(iso8601: bytes)
        case .pattern:
            if let seconds = pattern?.seconds(unsafe String(decoding: bytes, as: UTF8.self)) {
                return DateText.Reading(seconds: seconds, shape: .standard)
            }
            return unsafe DateText.read(iso8601: bytes)
        }
    }

    /// A number's text, and the number. A number is no ISO 8601, and none of its units is likelier than another.
    func read(number bytes: UnsafeRawBufferPointer, _ value: Double) -> DateText.Reading? {
        switch format.form {
        case .automatic: return DateText.read(number: value, as: .number)
        case .iso8601, .day: return nil
        case .epoch(let unit): return DateText.read(value, in: unit, as: .number)
        case .pattern:
            let seconds = pattern?.seconds(unsafe String(decoding: bytes, as: UTF8.self))
            return seconds.map { DateText.Reading(seconds: $0, shape: WireShape(.number)) }
        }
    }

    // MARK: Writing

    /// Whether the format has a text for the date: those with a year of four digits have none for others, and a number
    /// in such a text's stead would be read back as another date.
    func canWrite(_ seconds: Double, _ shape: WireShape) -> Bool {
        switch format.form {
        case .epoch: seconds.isFinite
        case .automatic where shape.form == .number || shape.form == .string: seconds.isFinite
        case .automatic: DateText.hasText(seconds, shape)
        case .iso8601, .day: DateText.years0to9999.contains(seconds)
        case .pattern: DateText.years0to9999.contains(seconds) && pattern?.tells(seconds) == true
        }
    }

    /// The date in JSON: in the declared format, else in the shape that came.
    func json(_ seconds: Double, _ shape: WireShape) -> WireText {
        switch format.form {
        case .automatic: return automatic(seconds, shape)
        case .iso8601(nil): return automatic(seconds, .standard)
        case .iso8601(let digits?):
            var shape = WireShape.standard
            shape.fractionDigits = digits
            return automatic(DateText.parts(of: seconds, digits: digits).seconds, shape)
        case .epoch(let unit):
            return number((seconds * unit.perSecond).rounded(), shape)
        case .day: return automatic((seconds / 86_400).rounded(.down) * 86_400, WireShape(.day))
        case .pattern:
            let text = pattern?.text(seconds) ?? ""
            return shape.form == .number && JSONText.isNumber(text) ? .raw(text) : .string(text)
        }
    }

    /// In UTC where the zone that came has another year, which RFC 3339 can't express.
    private func automatic(_ seconds: Double, _ shape: WireShape) -> WireText {
        if shape.form == .number || shape.form == .string {
            return number(Self.count(seconds, shape.unit), shape)
        }
        let text = DateText.text(seconds, shape) ?? DateText.text(seconds, .standard)
        return .string(text ?? "")
    }

    /// The number of units, whole where that says the same to the microsecond.
    private static func count(_ seconds: Double, _ unit: WireShape.Unit) -> Double {
        let whole = (seconds * unit.perSecond).rounded()
        if DateText.isSame(whole / unit.perSecond, seconds) { return whole }
        return (seconds * 1e6).rounded() / (1e6 / unit.perSecond)
    }

    private func number(_ value: Double, _ shape: WireShape) -> WireText {
        let number = WireText.number(value)
        return if case .raw(let text) = number, shape.form == .string { .string(text) } else { number }
    }
}
