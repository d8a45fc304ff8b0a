import Foundation
import RestfulData

/// The same with defaults.
@Model
final class DefaultedSample {
    var identifier: Int?

    var bool = true
    var int = 7
    var int8: Int8 = 7
    var int16: Int16 = 7
    var int32: Int32 = 7
    var int64: Int64 = 7
    var uint: UInt = 7
    var uint8: UInt8 = 7
    var uint16: UInt16 = 7
    var uint32: UInt32 = 7
    var uint64: UInt64 = 7
    var double = 7.5
    var float: Float = 7.5
    var int128: Int128 = 7
    var uint128: UInt128 = 7
    var decimal: Decimal = 7
    var text = "default"
    var date = Date(timeIntervalSince1970: 7)
    var data = Data([7])
    @Attribute var link = URL(fileURLWithPath: "/default")
    var uuid = UUID(uuidString: "00000000-0000-0000-0000-000000000007") ?? UUID()
    var mood: Sample.Mood = .wild
    var level: Sample.Level = .high
    @Attribute("plan") var plan: Sample.Plan = Sample.Plan(name: "default")
    var tags = ["default"]
    var counts = ["default": 7]
    var moods: [Sample.Mood] = [.wild]
    var levels: Set<Sample.Level> = [.high]
    var moodByName: [String: Sample.Mood] = ["default": .wild]
    var times = [Date(timeIntervalSince1970: 7)]
}
