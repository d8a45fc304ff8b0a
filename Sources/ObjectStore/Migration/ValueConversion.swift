import Foundation
import JSONBytes

/// How the values of an attribute become those of another kind: as they would be in an import, so without loss or not at
/// all.
struct ValueConversion: Sendable {
    /// The old kind, by the name that files remember it by.
    let from: String
    let to: Property
    /// What the values should be, for messages.
    let expectation: String

    private let kind: AttributeKind
    private let column: ImportColumn

    /// `nil` when every value can stay as it is.
    init?(from old: DescribedProperty, to new: Property) {
        guard case .attribute(let kind, _, _) = new.kind, let from = old.kind,
            !Self.isContained(from, old.range, in: kind)
        else { return nil }
        self.from = from
        to = new
        self.kind = kind
        expectation = kind.expectation
        column = ImportColumn(kind)
    }

    /// Whether each value of the old kind is one of the new kind too, stored alike.
    private static func isContained(_ old: String, _ range: [Int64]?, in new: AttributeKind) -> Bool {
        switch (old, new) {
        case ("boolean", .integer(let all)): all.contains(0) && all.contains(1)
        case ("boolean", .unsigned): true
        case ("integer", .integer(let all)):
            range.map { $0.count == 2 && all.contains($0[0]) && all.contains($0[1]) } ?? (all == .min ... .max)
        case ("integer", .unsigned): range.map { $0.count == 2 && $0[0] >= 0 } ?? false
        case ("decimal", .text), ("url", .text), ("uuid", .text), ("float", .real): true
        default: old == new.name
        }
    }

    /// The new kind's stored form; `nil` when there is none.
    func callAsFunction(_ value: StoredValue) -> StoredValue? {
        if value.isNull { return .null }
        // A whole number that a Double does not hold.
        if column.code == .real, from != "unsigned", case .integer(let number) = value,
            Int64(exactly: Double(number)) != number
        {
            return nil
        }
        if let direct = direct(value) { return direct }
        guard let json = json(of: value) else { return nil }
        return read(json)
    }

    /// What is a number to the file, and no import would see.
    private func direct(_ value: StoredValue) -> StoredValue? {
        switch (column.code, value) {
        case (.integer, .integer(let number)) where from != "unsigned":
            number >= column.low && number <= column.high ? value : nil
        case (.real, .real) where from == "date", (.date, .real) where from == "real" || from == "unknown real": value
        case (.text, .blob(let bytes)): .text(Data(bytes).base64EncodedString())
        default: nil
        }
    }

    /// The value as the server would have sent it.
    private func json(of value: StoredValue) -> String? {
        switch (from, value) {
        case ("boolean", .integer(let number)):
            column.code == .text ? (number == 0 ? "false" : "true") : String(number)
        case ("unsigned", .integer(let number)): String(UInt64(bitPattern: number))
        case ("date", .real(let seconds)) where column.code == .text || column.code == .json:
            Self.quoted(Self.dateText(seconds))
        case ("unknown real", .real) where column.code == .text: nil
        case (_, .real(let number)): number.isFinite ? Self.number(number) : nil
        case (_, .integer(let number)): String(number)
        case (_, .text(let text)) where keepsJSON: text
        case (_, .text(let text)): Self.quoted(text)
        case (_, .blob(let bytes)): Self.quoted(Data(bytes).base64EncodedString())
        case (_, .null): "null"
        }
    }

    /// Whether the old values are JSON as it stands.
    private var keepsJSON: Bool { from == "json" || from.hasPrefix("list of ") || from.hasPrefix("dictionary of ") }

    /// `42` for 42.0, so that it reads as a whole number does.
    private static func number(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? "\(number)"
    }

    /// A date as ISO 8601 text, which reads back as the same number of seconds, with as many digits of the microseconds as
    /// it needs; the number itself for years that ISO 8601 has no common form for.
    private static func dateText(_ seconds: Double) -> String {
        let seconds = (seconds * 1_000_000).rounded() / 1_000_000
        guard yearsWithText.contains(seconds) else { return "\(seconds)" }
        var digits = 6
        var fraction = DateText.parts(of: seconds, digits: digits).fraction
        while digits > 0, fraction.isMultiple(of: 10) {
            fraction /= 10
            digits -= 1
        }
        var shape = WireShape.standard
        shape.fractionDigits = digits
        return DateText.text(seconds, shape) ?? "\(seconds)"
    }

    /// In seconds since 1970: from the year 1 to the year 9999.
    private static let yearsWithText = -62_135_596_800.0..<253_402_300_800.0

    private static func quoted(_ text: String) -> String? {
        // A string always encodes.
        (try? JSONEncoder().encode([text])).map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) }
    }

    /// What an import makes of the JSON.
    private func read(_ json: String) -> StoredValue? {
        var memory = ImportMemory()
        // The bytes outlive the reader and the slot, whose value is copied before this returns.
        return unsafe Array(json.utf8).withUnsafeBytes { bytes in
            guard var reader = try? unsafe JSONReader(unsafe: bytes),
                let slot = try? kind.slot(&reader, dates: .automatic, &memory)
            else { return nil }
            return slot.stored
        }
    }
}
