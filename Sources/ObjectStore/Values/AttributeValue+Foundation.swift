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

/// Stored as seconds since 1970, so to a quarter of a microsecond; a date that is set reads back as it was stored. The
/// text of one that came with more digits is kept, and goes back until the date is edited.
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

    /// Whose point is a point. To find it by its name takes as long as to read the number.
    private static let locale = Locale(identifier: "en_US_POSIX")

    /// See ``AttributeValue/stored``.
    public var stored: StoredValue { .text(description) }
}
