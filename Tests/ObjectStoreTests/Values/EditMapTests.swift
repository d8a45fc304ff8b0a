import TestSupport
import Testing

@testable import ObjectStore

@Suite struct EditMapTests {
    @Test(arguments: 1...5)
    func `An edit map is what a dictionary would be, in the order of the properties`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for count in [1, 2, 3, 70, 200] {
            for isReserved in [false, true] {
                var map = EditMap()
                var expected: [Int: Int64] = [:]
                if isReserved { map.reserveCapacity(count) }
                for step in 0..<200 {
                    let key = Int.random(in: 0..<count, using: &random)
                    if Bool.random(using: &random) {
                        map[PropertyIndex(key)] = Edit(.integer(Int64(step)), at: ChangeStamp(Int64(step)))
                        expected[key] = Int64(step)
                    } else {
                        map[PropertyIndex(key)] = nil
                        expected[key] = nil
                    }
                    let found = map[PropertyIndex(key)]
                    #expect(found?.value == expected[key].map { .integer($0) })
                    #expect(map.isEmpty == expected.isEmpty && map.count == expected.count)
                    #expect(map.map(\.key.rawValue) == expected.keys.sorted())
                    #expect(map.allSatisfy { $0.value.stamp.rawValue == expected[$0.key.rawValue] })
                    #expect(map.allSatisfy { map.mayContain($0.key) })
                }
            }
        }
    }

    @Test func `Maps are filtered, filled and mapped by property`() {
        let (one, two): (EditMap, EditMap) = (
            [PropertyIndex(1): Self.edit(1)], [PropertyIndex(1): Self.edit(5), PropertyIndex(3): Self.edit(7)]
        )
        var filled = one
        filled.fill(with: two)
        #expect(filled.map { [$0.key.rawValue, Int($0.value.stamp.rawValue)] } == [[1, 1], [3, 7]])
        #expect(filled.filter { $0.key.rawValue == 3 }.map(\.key.rawValue) == [3])
        #expect(filled.mapValues(\.value)[PropertyIndex(3)] == .integer(7))
        #expect(filled.filter { _ in false }.isEmpty)
    }

    @Test func `A link that left a list is nil, and knows which list`() {
        var edit = Edit(ofLink: .null, leaving: RowID(4), endsWaiting: false, at: ChangeStamp(1))
        #expect(edit.value == .null && edit.leaving == RowID(4) && !edit.endsWaiting)
        edit.leaving = RowID(9)
        #expect(edit.value == .null && edit.leaving == RowID(9))
        edit.value = .null
        #expect(edit.value == .null && edit.leaving == nil)
        let waiting = Edit(ofLink: .null, leaving: nil, endsWaiting: true, at: ChangeStamp(1))
        #expect(waiting.value == .null && waiting.leaving == nil && waiting.endsWaiting)
    }

    private static func edit(_ number: Int64) -> Edit { Edit(.integer(number), at: ChangeStamp(number)) }
}
