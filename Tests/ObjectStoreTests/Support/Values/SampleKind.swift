import Foundation
import Testing

/// One kind of attribute: its property in the samples, and values that distinguish the results of an import.
struct SampleKind: Sendable, CustomTestStringConvertible {
    let key: String
    let read: @Sendable (Sample) -> String
    let readDefaulted: @Sendable (DefaultedSample) -> String
    /// A value other than nil and the default, as JSON and as text.
    let known: (json: String, text: String)
    let defaultText: String

    var testDescription: String { key }

    private init<Optional, Value>(
        _ key: String, _ path: any KeyPath<Sample, Optional?> & Sendable,
        _ defaultedPath: any KeyPath<DefaultedSample, Value> & Sendable, json: String, text: String, default: String
    ) {
        self.key = key
        self.read = { $0[keyPath: path].map(Self.text) ?? "nil" }
        self.readDefaulted = { Self.text($0[keyPath: defaultedPath]) }
        self.known = (json, text)
        self.defaultText = `default`
    }

    private static func text(_ value: some Any) -> String {
        switch value {
        case let date as Date: "\(date.timeIntervalSince1970)"
        case let data as Data: data.base64EncodedString()
        case let tags as [String]: tags.joined(separator: ",")
        case let counts as [String: Int]: counts.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ",")
        case let moods as [Sample.Mood]: moods.map(\.rawValue).joined(separator: ",")
        case let levels as Set<Sample.Level>: levels.map(\.rawValue).sorted().map(String.init).joined(separator: ",")
        case let moods as [String: Sample.Mood]:
            moods.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: ",")
        case let times as [Date]: times.map { "\($0.timeIntervalSince1970)" }.joined(separator: ",")
        case let plan as Sample.Plan: "\(plan.name)/\(plan.seats.map(String.init) ?? "nil")"
        default: "\(value)"
        }
    }

    static let bool = SampleKind("bool", \.bool, \.bool, json: "false", text: "false", default: "true")
    static let int = SampleKind("int", \.int, \.int, json: "3", text: "3", default: "7")
    static let int8 = SampleKind("int8", \.int8, \.int8, json: "3", text: "3", default: "7")
    static let int16 = SampleKind("int16", \.int16, \.int16, json: "3", text: "3", default: "7")
    static let int32 = SampleKind("int32", \.int32, \.int32, json: "3", text: "3", default: "7")
    static let int64 = SampleKind("int64", \.int64, \.int64, json: "3", text: "3", default: "7")
    static let uint = SampleKind("uint", \.uint, \.uint, json: "3", text: "3", default: "7")
    static let uint8 = SampleKind("uint8", \.uint8, \.uint8, json: "3", text: "3", default: "7")
    static let uint16 = SampleKind("uint16", \.uint16, \.uint16, json: "3", text: "3", default: "7")
    static let uint32 = SampleKind("uint32", \.uint32, \.uint32, json: "3", text: "3", default: "7")
    static let uint64 = SampleKind("uint64", \.uint64, \.uint64, json: "3", text: "3", default: "7")
    static let double = SampleKind("double", \.double, \.double, json: "3.5", text: "3.5", default: "7.5")
    static let float = SampleKind("float", \.float, \.float, json: "3.5", text: "3.5", default: "7.5")
    static let decimal = SampleKind("decimal", \.decimal, \.decimal, json: "3.5", text: "3.5", default: "7")
    static let text = SampleKind("text", \.text, \.text, json: #""known""#, text: "known", default: "default")
    static let date = SampleKind("date", \.date, \.date, json: #""1970-01-01T00:00:03Z""#, text: "3.0", default: "7.0")
    static let data = SampleKind("data", \.data, \.data, json: #""Aw==""#, text: "Aw==", default: "Bw==")
    static let link = SampleKind(
        "link", \.link, \.link, json: #""https://example.com/known""#, text: "https://example.com/known",
        default: "file:///default")
    static let uuid = SampleKind(
        "uuid", \.uuid, \.uuid, json: #""00000000-0000-0000-0000-000000000003""#,
        text: "00000000-0000-0000-0000-000000000003", default: "00000000-0000-0000-0000-000000000007")
    static let mood = SampleKind("mood", \.mood, \.mood, json: #""calm""#, text: "calm", default: "wild")
    static let level = SampleKind("level", \.level, \.level, json: "1", text: "low", default: "high")
    static let plan = SampleKind(
        "plan", \.plan, \.plan, json: #"{"name": "known"}"#, text: "known/nil", default: "default/nil")
    static let tags = SampleKind("tags", \.tags, \.tags, json: #"["known"]"#, text: "known", default: "default")
    static let counts = SampleKind(
        "counts", \.counts, \.counts, json: #"{"known": 3}"#, text: "known=3", default: "default=7")

    static let int128 = SampleKind("int128", \.int128, \.int128, json: "3", text: "3", default: "7")
    static let uint128 = SampleKind("uint128", \.uint128, \.uint128, json: "3", text: "3", default: "7")
    static let moods = SampleKind("moods", \.moods, \.moods, json: #"["calm"]"#, text: "calm", default: "wild")
    static let levels = SampleKind("levels", \.levels, \.levels, json: "[1]", text: "1", default: "2")
    static let moodByName = SampleKind(
        "mood_by_name", \.moodByName, \.moodByName, json: #"{"known": "calm"}"#, text: "known=calm",
        default: "default=wild")
    static let times = SampleKind("times", \.times, \.times, json: "[3]", text: "3.0", default: "7.0")

    static let all = [
        bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, double, float, decimal, text, date,
        data,
        link, uuid, mood, level, plan, tags, counts, int128, uint128, moods, levels,
        moodByName, times,
    ]
}
