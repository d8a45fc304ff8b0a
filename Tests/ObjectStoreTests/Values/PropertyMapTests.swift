import TestSupport
import Testing

@testable import ObjectStore

/// An array that behaves as a dictionary would, but for its order.
@Suite struct PropertyMapTests {
    private typealias Pairs = [PropertyIndex: Int]

    private func pairs(_ map: PropertyMap<Int>) -> Pairs {
        Dictionary(uniqueKeysWithValues: map.map { ($0.key, $0.value) })
    }

    /// Keys that share a bit of the mask are among them.
    private let keys = [0, 1, 2, 3, 5, 8, 62, 63, 64, 65, 66, 128, 192].map(PropertyIndex.init)

    @Test(arguments: 1...20) func `A property map equals a dictionary in the order of properties`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var (map, other): (PropertyMap<Int>, PropertyMap<Int>) = ([:], [:])
        var (known, otherKnown): (Pairs, Pairs) = ([:], [:])
        for step in 0..<400 {
            guard let key = keys.randomElement(using: &random) else { continue }
            switch Int.random(in: 0..<9, using: &random) {
            case 0...2: (map[key], known[key]) = (step, step)
            case 3: (map[key], known[key]) = (nil, nil)
            case 4: #expect(map.removeValue(forKey: key) == known.removeValue(forKey: key))
            case 5:
                map[key]? += 1
                known[key]? += 1
            case 6: (other[key], otherKnown[key]) = (-step, -step)
            case 7:
                map.merge(other) { $0 &* 3 &+ $1 }
                known.merge(otherKnown) { $0 &* 3 &+ $1 }
            default:
                map = map.filter { $0.value % 3 != 0 }
                known = known.filter { $0.value % 3 != 0 }
            }
            #expect(pairs(map) == known)
            #expect(map.keys == known.keys.sorted())
            #expect(map.isEmpty == known.isEmpty)
            #expect(keys.allSatisfy { map[$0] == known[$0] })
            #expect(keys.allSatisfy { known[$0] == nil || map.mayContain($0) })
        }
        #expect(pairs(map.mapValues { $0 + 1 }) == known.mapValues { $0 + 1 })
        #expect(pairs(map.compactMapValues { $0 > 0 ? $0 : nil }) == known.compactMapValues { $0 > 0 ? $0 : nil })
    }
}
