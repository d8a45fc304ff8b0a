import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Random values of every type: a sent value is read back equal, and a read value is sent as the same text.
@MainActor @Suite struct RoundTripTests {
    private func service() throws -> Service {
        try Service(Things.models, saveMethod: .put, stub: StubTransport { _ in .status(204) })
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `A random value that is sent is read back equal`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let service = try service()
        let thing = Thing(in: service.main)
        Self.fill(thing, &random)
        try await thing.create()
        let body = try #require(service.stub.log.last?.dropFirst("POST /things ".count))
        let copy = try await self.service().imported(Thing.self, #"{"id":1,"# + body.dropFirst())
        #expect(Self.text(copy) == Self.text(thing), "\(body)")
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `A random value that was read is sent as the same text`(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let service = try service()
        let members = Self.members(&random)
        let body = #"{"id":1,"# + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
        let imported = try await service.main.import(Thing.self, from: Array(body.utf8))
        #expect(imported.report.mismatchedCount == 0, "\(imported.report)")
        imported.objects[0].note = "x"
        try await imported.objects[0].save()
        let sent = service.stub.log.last ?? ""
        for (key, json) in members { #expect(sent.contains("\"\(key)\":\(json)"), "\(sent)") }
    }

    private static func fill(_ thing: Thing, _ random: inout SeededGenerator) {
        thing.note = text(&random)
        thing.date = date(&random)
        thing.count = Int(truncatingIfNeeded: random.next() >> UInt64.random(in: 0...63, using: &random))
        thing.size = random.next()
        thing.wide = Int128.random(in: .min ... .max, using: &random)
        thing.wideUnsigned = UInt128.random(in: 0 ... .max, using: &random)
        thing.price = Decimal(string: digits(38, &random))
        thing.ratio = finite(&random)
        thing.share = Float.random(in: -1e6...1e6, using: &random)
        thing.isOn = .random(using: &random)
        thing.text = text(&random)
        thing.token = UUID()
        thing.blob = Data((0..<Int.random(in: 0...9, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        thing.mood = [.calm, .wild, nil].randomElement(using: &random) ?? nil
        thing.level = .random(using: &random) ? .low : .high
        thing.moods = (0..<Int.random(in: 0...3, using: &random)).map { _ in .random(using: &random) ? .calm : .wild }
        thing.times = (0..<Int.random(in: 0...3, using: &random)).map { _ in date(&random) }
        thing.matrix = [[.random(in: -9...9, using: &random)], []]
        thing.names = [text(&random), text(&random)]
        thing.limits = [text(&random): Decimal(string: digits(20, &random)) ?? 0]
        thing.inner = .random(in: -5...5, using: &random)
    }

    /// Every attribute, as text that is equal where the values are.
    private static func text(_ thing: Thing) -> String {
        let dates = ([thing.date] + (thing.times ?? [])).map { "\($0?.timeIntervalSince1970 ?? .nan)" }
        return """
            \(thing.note) \(dates) \(thing.count ?? 0) \(thing.size ?? 0) \(thing.wide ?? 0) \(thing.wideUnsigned ?? 0)
            \(thing.price ?? 0) \(thing.ratio ?? 0) \(thing.share ?? 0) \(thing.isOn as Any) \(thing.text ?? "")
            \(thing.token as Any) \(Array(thing.blob ?? Data())) \(thing.mood as Any) \(thing.level) \(thing.moods)
            \(thing.matrix ?? []) \(thing.names.sorted()) \(thing.limits ?? [:]) \(thing.inner ?? 0)
            """
    }

    private static func members(_ random: inout SeededGenerator) -> [(String, String)] {
        let isText = Bool.random(using: &random)
        func number(_ text: String) -> String { isText ? "\"\(text)\"" : text }
        return [
            ("date", dateText(&random)), ("count", number("\(Int(truncatingIfNeeded: random.next()))")),
            ("size", number("\(random.next())")),
            ("wide", number("\(Int128.random(in: .min ... .max, using: &random))")),
            ("price", number(digits(60, &random))),
            ("ratio", number("\(Double.random(in: 0.001...0.999, using: &random))")),
            ("is_on", ["true", "false", "1", "0", #""true""#, #""0""#].randomElement(using: &random) ?? ""),
            ("blob", "\"\(Data((0..<4).map { _ in .random(in: 0...255, using: &random) }).base64EncodedString())\""),
            ("text", .random(using: &random) ? "\"x\"" : digits(60, &random)),
        ]
    }

    private static func dateText(_ random: inout SeededGenerator) -> String {
        func padded(_ range: ClosedRange<Int>, width: Int = 2, using random: inout SeededGenerator) -> String {
            let digits = "\(Int.random(in: range, using: &random))"
            return String(repeating: "0", count: width - digits.count) + digits
        }
        let day =
            "\(padded(1...9998, width: 4, using: &random))-\(padded(1...12, width: 2, using: &random))-\(padded(1...28, width: 2, using: &random))"
        var time =
            "\(padded(0...23, width: 2, using: &random)):\(padded(0...59, width: 2, using: &random)):\(padded(0...59, width: 2, using: &random))"
        // In any of these years a date keeps three digits.
        if .random(using: &random) { time += "." + padded(0...999, width: 3, using: &random) }
        let zone = ["Z", "", "+00:00", "+0000", "-03:30", "+1345", "-11"].randomElement(using: &random) ?? ""
        return switch Int.random(in: 0...4, using: &random) {
        case 0: "\"\(day)\""
        case 1: "\(Int.random(in: -99_999_999_999...99_999_999_999, using: &random))"
        case 2: "\"\(Int.random(in: 100_000_000_001...99_999_999_999_999, using: &random))\""
        case 3: "\"\(day) \(time)\(zone)\""
        default: "\"\(day)T\(time)\(zone)\""
        }
    }

    private static func date(_ random: inout SeededGenerator) -> Date {
        let microseconds = Int.random(in: -2_000_000_000_000_000...4_000_000_000_000_000, using: &random)
        return Date(timeIntervalSince1970: Double(microseconds / 1_000_000) + Double(microseconds % 1_000_000) / 1e6)
    }

    private static func finite(_ random: inout SeededGenerator) -> Double {
        while true {
            let value = Double(bitPattern: random.next())
            if value.isFinite { return value }
        }
    }

    private static func digits(_ count: Int, _ random: inout SeededGenerator) -> String {
        let digits = (1..<count).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
        return "\(Int.random(in: 1...9, using: &random))\(digits.prefix(count / 2)).\(digits.dropFirst(count / 2))"
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        let letters = ["a", "é", "🚀", "\"", "\\", "\n", "\u{1}", "/", " ", "5"]
        return (0..<Int.random(in: 0...6, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
            .joined()
    }
}
