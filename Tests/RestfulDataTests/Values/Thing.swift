import Foundation
import RestfulData

// A service whose values come in every form.

@Model("/things")
final class Thing {
    enum Mood: String { case calm, wild }
    enum Level: Int {
        case low = 1
        case high = 2
    }

    var identifier: Int?
    var note = ""
    var date: Date?
    var count: Int?
    var size: UInt64?
    var wide: Int128?
    var wideUnsigned: UInt128?
    var price: Decimal?
    var ratio: Double?
    var share: Float?
    var isOn: Bool?
    var text: String?
    var token: UUID?
    var blob: Data?
    var link: URL?
    var mood: Mood?
    var level: Level = .low
    var moods: [Mood] = []
    var levels: Set<Level>?
    var moodByName: [String: Mood]?
    var times: [Date]?
    var matrix: [[Int]]?
    var names: Set<String> = []
    var limits: [String: Decimal]?
    @Attribute("meta.inner.value") var inner: Int?
    @Attribute("meta.other") var other: String?
    @Relationship(json: "links.owner", inverse: nil) var owner: Holder?
    @Relationship(inverse: nil) var keepers: [Holder]
}

@Model("/holders")
final class Holder {
    var identifier: String?
    var name = ""
}

enum Things {
    static let models: [any Model.Type] = [Thing.self, Holder.self]
}
