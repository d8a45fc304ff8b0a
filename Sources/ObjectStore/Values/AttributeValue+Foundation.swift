public import Foundation

extension String: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .text }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self = text
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .text(self) }
}

/// Stored as seconds since 1970, with a precision of a quarter of a microsecond. A date that you set reads back with
/// that precision. If a received date has more digits, its text is kept and sent until you edit the date.
extension Date: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .date }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard let seconds = Double(stored: stored) else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { timeIntervalSince1970.stored }
}

extension Data: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .data }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .blob(let bytes) = stored else { return nil }
        self.init(bytes)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .blob(Array(self)) }
}

extension URL: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .url }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(string: text)
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .text(absoluteString) }
}

extension UUID: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .uuid }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored, let value = UUIDText.value(of: text) else { return nil }
        self = value
    }
    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .text(uuidString) }
}

extension Decimal: AttributeValue {
    /// See ``AttributeValue/kind``.
    public static var kind: AttributeKind { .decimal }
    /// See ``AttributeValue/init(stored:)``.
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        if text == "NaN" {
            self = .nan
        } else {
            self.init(string: text, locale: Self.locale)
        }
    }

    /// Creating it for each number would take as long as reading the number.
    private static let locale = Locale(identifier: "en_US_POSIX")

    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .text(description) }
}
