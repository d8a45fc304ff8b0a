import Foundation
import RestfulData

// Declarations of values: formats and transformers.

@Model("/events")
final class Event {
    var identifier: Int?
    @Attribute(format: .epochSeconds) var startsAt: Date?
    @Attribute(format: .epochMilliseconds) var sentAt: Date?
    @Attribute(format: .epochMicroseconds) var seenAt: Date?
    @Attribute(format: .iso8601) var madeAt: Date?
    @Attribute(format: .iso8601(fractionDigits: 3)) var changedAt: Date?
    @Attribute(format: .date) var day: Date?
    @Attribute(format: .pattern("dd/MM/yyyy HH:mm", timeZone: TimeZone(secondsFromGMT: 7200) ?? .gmt)) var due: Date?
    @Attribute(format: .epochMilliseconds) var times: [Date] = []
    var plainAt: Date?
    @Attribute("price.cents", transformer: .cents) var price: Decimal?
    @Attribute(transformer: .emptyIsNone) var venue: String?
    @Attribute(transformer: .point) var place = Point(x: 0, y: 0)
    @Attribute(transformer: AttributeTransformer<State>.spoken) var state: State = .open
    var version: Version?
    var versions: [Version] = []
    var isLocked = false

    enum State: String { case open, closed }
}

struct Point: Codable, Equatable {
    var x: Double
    var y: Double
}

/// A custom type.
struct Version: AttributeValue, Equatable {
    var major: Int
    var minor: Int

    static var kind: AttributeKind { .text }
    var stored: StoredValue { .text("v\(major).\(minor)") }

    init(_ major: Int, _ minor: Int) { (self.major, self.minor) = (major, minor) }

    init?(stored: StoredValue) {
        guard case .text(let text) = stored, text.hasPrefix("v") else { return nil }
        let parts = text.dropFirst().split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        self.init(parts[0], parts[1])
    }
}

extension AttributeTransformer where Value == Decimal {
    static var cents: Self {
        Self(reading: { $0.integer.map { Decimal($0) / 100 } }, writing: { .number("\($0 * 100)") })
    }
}

extension AttributeTransformer where Value == String? {
    static var emptyIsNone: Self {
        Self(reading: { json in json.string.map { $0.isEmpty ? nil : $0 } }, writing: { .string($0 ?? "") })
    }
}

extension AttributeTransformer where Value == Point {
    /// `[1.5, 2]`.
    static var point: Self {
        Self(
            reading: { json in
                guard let parts = json.array?.compactMap(\.double), parts.count == 2 else { return nil }
                return Point(x: parts[0], y: parts[1])
            },
            writing: { [.number("\($0.x)"), .number("\($0.y)")] })
    }
}

extension AttributeTransformer where Value == Event.State {
    static var spoken: Self {
        Self(
            reading: { $0.string.flatMap { Event.State(rawValue: $0.lowercased()) } },
            writing: { .string($0.rawValue.uppercased()) })
    }
}
