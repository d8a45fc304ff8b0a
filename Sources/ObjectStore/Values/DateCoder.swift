import JSONBytes

package struct DateCoder: Sendable {
    let format: DateFormat
    private let pattern: PatternFormatter?

    static let automatic = DateCoder(.automatic)

    init(_ format: DateFormat) {
        self.format = format
        pattern = if case .pattern(let pattern, let zone) = format.form { PatternFormatter(pattern, zone) } else { nil }
    }

    /// Whether dates are read outside the importer's fast path.
    var isDeclared: Bool { format.form != .automatic }

    // MARK: Reading

    /// Only a text in the declared format is kept, since dates are sent in it.
    func read(text bytes: UnsafeRawBufferPointer) -> DateText.Reading? {
        switch format.form {
        case .automatic: return unsafe DateText.read(bytes)
        case .iso8601, .day: return unsafe iso8601(bytes)
        case .epoch(let unit):
            guard let number = unsafe DateText.numberText(bytes) else { return unsafe iso8601(bytes) }
            return unsafe epoch(number, bytes, in: unit, as: .string)
        case .pattern: return unsafe patterned(bytes, as: .standard) ?? iso8601(bytes)
        }
    }

    /// ISO 8601 formats accept no numbers, because the unit would be a guess.
    func read(number bytes: UnsafeRawBufferPointer, _ value: Double) -> DateText.Reading? {
        switch format.form {
        case .automatic: return unsafe DateText.read(number: value, bytes, as: .number)
        case .iso8601, .day: return nil
        case .epoch(let unit): return unsafe epoch(value, bytes, in: unit, as: .number)
        case .pattern: return unsafe patterned(bytes, as: WireShape(.number))
        }
    }

    /// A text beyond a date's precision is kept in the declared format: RFC 3339 in UTC with the declared digits.
    private func iso8601(_ bytes: UnsafeRawBufferPointer) -> DateText.Reading? {
        guard var reading = unsafe DateText.read(iso8601: bytes), reading.shape.needsText else {
            return unsafe DateText.read(iso8601: bytes)
        }
        var declared = WireShape.standard
        (declared.hasTime, declared.needsText) = (true, true)
        declared.fractionDigits = reading.shape.fractionDigits
        if case .iso8601(let digits) = format.form, digits ?? declared.fractionDigits == declared.fractionDigits {
            reading.shape.needsText = reading.shape == declared
        } else {
            reading.shape.needsText = false
        }
        return reading
    }

    private func epoch(
        _ number: Double, _ bytes: UnsafeRawBufferPointer, in unit: WireShape.Unit, as form: WireShape.Form
    ) -> DateText.Reading? {
        guard var reading = DateText.read(number, in: unit, as: form) else { return nil }
        let isWhole = unsafe bytes.allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") }
        if isWhole, bytes.count > 15 {
            let written = WireText.number(DateText.count(reading.seconds, reading.shape)).json
            reading.shape.needsText = unsafe !NumberText.represents(written, bytes, isQuoted: form == .string)
        }
        return reading
    }

    /// The text is needed if the pattern writes another one: clocks skip the time, or formatters ignore a fraction.
    private func patterned(_ bytes: UnsafeRawBufferPointer, as shape: WireShape) -> DateText.Reading? {
        let text = unsafe String(decoding: bytes, as: UTF8.self)
        guard let pattern, let seconds = pattern.seconds(text) else { return nil }
        var reading = DateText.Reading(seconds: seconds, shape: shape)
        reading.shape.needsText = pattern.text(reading.seconds) != text
        return reading
    }

    // MARK: Writing

    /// A text has four digits for the year, and a number instead would be read as another date.
    func canWrite(_ seconds: Double, _ shape: WireShape) -> Bool {
        switch format.form {
        case .epoch: seconds.isFinite
        case .automatic where shape.form == .number || shape.form == .string: seconds.isFinite
        case .automatic: DateText.hasText(seconds, shape)
        case .iso8601, .day: DateText.years0to9999.contains(seconds)
        case .pattern: DateText.years0to9999.contains(seconds) && pattern?.determines(seconds) == true
        }
    }

    /// The date in the declared format, or else in the received shape.
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
        case .day: return automatic(seconds, WireShape(.day))
        case .pattern:
            let text = pattern?.text(seconds) ?? ""
            return shape.form == .number && JSONText.isNumber(text) ? .raw(text) : .string(text)
        }
    }

    /// Uses UTC if RFC 3339 can't represent the year in the received zone.
    private func automatic(_ seconds: Double, _ shape: WireShape) -> WireText {
        if shape.form == .number || shape.form == .string {
            return number(DateText.count(seconds, shape), shape)
        }
        let text = DateText.text(seconds, shape) ?? DateText.text(seconds, .standard)
        return .string(text ?? "")
    }

    private func number(_ value: Double, _ shape: WireShape) -> WireText {
        let number = WireText.number(value)
        return if case .raw(let text) = number, shape.form == .string { .string(text) } else { number }
    }
}
