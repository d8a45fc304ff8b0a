import TestSupport
import Testing

@testable import ObjectStore

@Suite struct EditMapTests {
    @Test(arguments: 1...5)
    func `An edit map equals a dictionary in the order of properties`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for count in [1, 2, 3, 70, 200] {
            for isReserved in [false, true] {
                var map = EditMap(roomFor: isReserved ? count : 0)
                var expected: [Int: Int64] = [:]
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

    @Test func `Edit maps are filtered, filled and mapped by property`() {
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

    @Test(arguments: 1...5)
    func `Changing an edit map leaves its copies unchanged`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            let room = Bool.random(using: &random) ? 8 : 0
            var maps: [(map: EditMap, expected: [Int: Int64])] = [(EditMap(roomFor: room), [:])]
            for step in 1...60 as ClosedRange<Int64> {
                // The first map is the object's: only it adds without checking for shared storage.
                let index = Bool.random(using: &random) ? 0 : Int.random(in: 0..<maps.count, using: &random)
                let property = Int.random(in: 0..<12, using: &random)
                let (key, edit) = (PropertyIndex(property), Self.edit(step))
                switch Int.random(in: 0..<6, using: &random) {
                case 0: maps.append(maps[index])
                case 1: if index > 0 { maps[index] = maps[0] }
                case 2:
                    maps[index].map[key] = nil
                    maps[index].expected[property] = nil
                case 3, 4:
                    guard (maps[0].expected.keys.max() ?? -1) < property,
                        Self.append(edit, of: property, to: &maps[0].map)
                    else { continue }
                    maps[0].expected[property] = step
                default:
                    maps[index].map[key] = edit
                    maps[index].expected[property] = step
                }
                for (map, expected) in maps {
                    #expect(map.map(\.key.rawValue) == expected.keys.sorted())
                    #expect(map.allSatisfy { $0.value.stamp.rawValue == expected[$0.key.rawValue] })
                }
            }
        }
    }

    @Test func `An edit to nil keeps the list that the link has left`() {
        var edit = Edit(ofLink: .null, leaving: RowID(4), endsWaiting: false, at: ChangeStamp(1))
        #expect(edit.value == .null && edit.leaving == RowID(4) && !edit.endsWaiting)
        edit.leaving = RowID(9)
        #expect(edit.value == .null && edit.leaving == RowID(9))
        edit.value = .null
        #expect(edit.value == .null && edit.leaving == nil)
        let waiting = Edit(ofLink: .null, leaving: nil, endsWaiting: true, at: ChangeStamp(1))
        #expect(waiting.value == .null && waiting.leaving == nil && waiting.endsWaiting)
    }

    /// As an object does.
    ///
    /// - Returns: whether there was room.
    private static func append(_ edit: Edit, of property: Int, to map: inout EditMap) -> Bool {
        guard let place = unsafe map.nextPlace(for: 1) else { return false }
        unsafe place.initialize(to: Edit(edit.value, of: property, at: edit.stamp.rawValue))
        map.count(map.mask | 1 << UInt64(property))
        return true
    }

    private static func edit(_ number: Int64) -> Edit { Edit(.integer(number), at: ChangeStamp(number)) }
}
