public import Foundation

extension String: AttributeValue {
    public static var kind: AttributeKind { .text }
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self = text
    }
    public var stored: StoredValue { .text(self) }
}

/// Stored as seconds since 1970, so to a quarter of a microsecond; a date that is set reads back as it was stored.
extension Date: AttributeValue {
    public static var kind: AttributeKind { .date }
    public init?(stored: StoredValue) {
        guard let seconds = Double(stored: stored) else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }
    public var stored: StoredValue { timeIntervalSince1970.stored }
}

extension Data: AttributeValue {
    public static var kind: AttributeKind { .data }
    public init?(stored: StoredValue) {
        guard case .blob(let bytes) = stored else { return nil }
        self.init(bytes)
    }
    public var stored: StoredValue { .blob(Array(self)) }
}

extension URL: AttributeValue {
    public static var kind: AttributeKind { .url }
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(string: text)
    }
    public var stored: StoredValue { .text(absoluteString) }
}

extension UUID: AttributeValue {
    public static var kind: AttributeKind { .uuid }
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        self.init(uuidString: text)
    }
    public var stored: StoredValue { .text(uuidString) }
}

extension Decimal: AttributeValue {
    public static var kind: AttributeKind { .decimal }
    public init?(stored: StoredValue) {
        guard case .text(let text) = stored else { return nil }
        if text == "NaN" {
            self = .nan
        } else {
            self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
        }
    }
    public var stored: StoredValue { .text(description) }
}
