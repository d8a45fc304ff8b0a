import Foundation
import RestfulData

/// An attribute of every kind, optional and with a default.
@Model
final class Sample {
    enum Mood: String { case calm, wild }
    enum Level: Int {
        case low = 1
        case high = 2
    }
    struct Plan: Codable, Equatable {
        var name: String
        var seats: Int?
    }

    var identifier: Int?

    var bool: Bool?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var double: Double?
    var float: Float?
    var int128: Int128?
    var uint128: UInt128?
    var decimal: Decimal?
    var text: String?
    var date: Date?
    var data: Data?
    var link: URL?
    var uuid: UUID?
    var mood: Mood?
    var level: Level?
    @Attribute("plan") var plan: Plan?
    var tags: [String]?
    var counts: [String: Int]?
    var moods: [Mood]?
    var levels: Set<Level>?
    var moodByName: [String: Mood]?
    var times: [Date]?
}
