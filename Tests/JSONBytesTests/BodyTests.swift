import Foundation
import JSONBytes
import TestSupport
import Testing

/// Bodies in the shape of real ones.
@Suite struct BodyTests {
    @Test(arguments: Bodies.all) func `A body is read, or refused, as by Foundation`(_ file: URL) throws {
        let data = try Data(contentsOf: file)
        let expected = try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        let tree = try? JSONTree(reading: Array(data))
        #expect((tree == nil) == (expected == nil))
        if let tree, let expected { #expect(tree.equals(expected)) }
        #expect((errorOfSkipping(Array(data)) == nil) == (expected != nil))
    }

    @Test func `Every prefix of a real body is refused`() throws {
        let bodies = Bodies.all.filter { (try? Data(contentsOf: $0))?.count ?? .max < 6_000 }
        for file in bodies.enumerated().filter({ $0.offset % 10 == 0 }).map(\.element) {
            var bytes = Array(try Data(contentsOf: file))
            while let last = bytes.last, [0x0A, 0x0D, 0x20].contains(last) { bytes.removeLast() }
            guard bytes.first == UInt8(ascii: "{") || bytes.first == UInt8(ascii: "[") else { continue }
            for count in 0..<bytes.count where errorOfSkipping(Array(bytes[..<count])) == nil {
                Issue.record("\(file.lastPathComponent) is accepted at \(count) bytes")
            }
        }
    }
}

extension JSONTree {
    /// The tree has the values that Foundation read: the last of equal keys, numbers by value.
    func equals(_ object: Any) -> Bool {
        switch self {
        case .object(let members):
            guard let other = object as? [String: Any] else { return false }
            let mine = Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
            return mine.count == other.count && mine.allSatisfy { key, value in other[key].map(value.equals) ?? false }
        case .array(let elements):
            guard let other = object as? [Any], other.count == elements.count else { return false }
            return zip(elements, other).allSatisfy { $0.equals($1) }
        case .string(let string): return object as? String == string
        case .number(_, let int, let double):
            guard let number = object as? NSNumber else { return false }
            return double == number.doubleValue && (int == nil || int == number.int64Value)
        case .bool(let bool): return object as? Bool == bool
        case .null: return object is NSNull
        }
    }
}
