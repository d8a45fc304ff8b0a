import JSONBytes

/// An attribute's value in JSON.
package enum WireText: Sendable, Hashable {
    case null
    case raw(String)
    case string(String)

    static func number(_ value: Double) -> WireText {
        if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return .raw(String(Int64(value))) }
        return .raw("\(value)")
    }

    var json: String {
        switch self {
        case .null: "null"
        case .raw(let text): text
        case .string(let text): JSONText.quoted(text)
        }
    }
}

/// A value that JSON can't represent. Requests and the store refuse it.
package struct UnsendableValue: Error {
    /// In words: "NaN".
    package let value: String
}

extension WireText {
    /// In the standard shape.
    package init(_ value: StoredValue, _ kind: AttributeKind, as formats: ValueFormats) throws(UnsendableValue) {
        try self.init(value, kind, shape: .standard, dates: DateCoder(formats.dates))
    }

    /// In the last received shape.
    package init(_ value: StoredValue, _ kind: AttributeKind, shape: WireShape) throws(UnsendableValue) {
        try self.init(value, kind, shape: shape, dates: .automatic)
    }

    /// In the last received shape, or the standard one if the value would lose something.
    init(
        _ value: StoredValue, _ kind: AttributeKind, shape: WireShape, dates: DateCoder
    ) throws(UnsendableValue) {
        if let problem = kind.refusal(of: value) { throw problem }
        if case (.real(let seconds), .date) = (value, kind), !dates.canWrite(seconds, shape) {
            throw UnsendableValue(
                value: "a date (\(seconds) seconds since 1970) for which the format \(dates.format) has no text")
        }
        switch (value, kind) {
        case (.null, _): self = .null
        case (.integer(let value), .boolean): self = Self.boolean(value != 0, shape.form)
        case (.integer(let value), .unsigned): self = Self.number(String(UInt64(bitPattern: value)), shape)
        case (.integer(let value), _): self = Self.number(String(value), shape)
        case (.real(let value), .date): self = dates.json(value, shape)
        case (.real(let value), .float): self = Self.number(Self.float(value), shape)
        case (.real(let value), _): self = Self.number(Self.number(value).json, shape)
        case (.text(let text), .json): self = .raw(text)
        case (.text(let text), .decimal), (.text(let text), .wideInteger): self = Self.number(text, shape)
        case (.text(let text), .list(let element)), (.text(let text), .set(let element)):
            self = .raw(try Self.elements(text, element, shape: shape, dates: dates))
        case (.text(let text), .dictionary(let element)):
            self = .raw(try Self.elements(text, element, shape: shape, dates: dates))
        case (.text(let text), .text): self = Self.text(text, shape.form)
        case (.text(let text), .uuid): self = .string(shape.form == .lowercase ? text.lowercased() : text)
        case (.text(let text), _): self = .string(text)
        case (.blob(let bytes), _): self = .string(Base64.text(bytes, shape))
        }
    }

    private static func boolean(_ value: Bool, _ form: WireShape.Form) -> WireText {
        switch form {
        case .number: .raw(value ? "1" : "0")
        case .numberString: .string(value ? "1" : "0")
        case .string: .string(value ? "true" : "false")
        default: .raw(value ? "true" : "false")
        }
    }

    private static func number(_ text: String, _ shape: WireShape) -> WireText {
        shape.form == .string ? .string(text) : .raw(text)
    }

    /// The shortest digits that give the same `Float`.
    static func float(_ value: Double) -> String {
        let (float, number) = (Float(value), number(value).json)
        return Double(float) == value && Int64(number) == nil ? "\(float)" : number
    }

    private static func text(_ text: String, _ form: WireShape.Form) -> WireText {
        switch form {
        case .number where JSONText.isNumber(text): .raw(text)
        case .literal where text == "true" || text == "false": .raw(text)
        default: .string(text)
        }
    }
}

extension StoredValue {
    /// See ``AttributeKind/refusal(of:)``.
    var mayBeUnsendable: Bool {
        switch self {
        case .null, .integer, .blob: false
        case .real(let value): !value.isFinite
        case .text(let text): text.isEmpty || text == "NaN"
        }
    }
}

extension AttributeKind {
    /// The value in words if JSON can't represent it.
    func refusal(of value: StoredValue) -> UnsendableValue? {
        switch (value, self) {
        case (.real(let value), _) where !value.isFinite: UnsendableValue(value: "\(value)")
        case (.text("NaN"), .decimal): UnsendableValue(value: "NaN")
        case (.text(""), .json), (.text(""), .list), (.text(""), .set), (.text(""), .dictionary):
            UnsendableValue(value: "a value that JSON can't express")
        default: nil
        }
    }
}
