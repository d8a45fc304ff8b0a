import JSONBytes
import TestSupport
import Testing

@Suite struct FuzzTests {
    @Test(arguments: Fuzzing.seeds(8)) func `The reader agrees with the oracle about mutated documents`(_ seed: UInt64)
    {
        var generator = SeededGenerator(seed: seed)
        var accepted = 0
        let documents = Sample.all.map { Array($0.utf8) }
        for round in 0..<5_000 {
            var bytes = documents[round % documents.count]
            for _ in 0..<Int.random(in: 1...3, using: &generator) { mutate(&bytes, &generator) }
            let isValid = Oracle.accepts(bytes)
            accepted += isValid ? 1 : 0
            let skipped = errorOfSkipping(bytes)
            let read = errorOfReading(bytes)
            guard (skipped == nil) == isValid, skipped == read else {
                Issue.record("oracle \(isValid), skipped \(skipped as Any), read \(read as Any): \(bytes)")
                return
            }
        }
        // Mutations that all fail would prove little.
        #expect(accepted > 100)
    }

    @Test func `Every prefix of a sample document is refused`() {
        for text in Sample.all.dropLast() {
            let bytes = Array(text.trimmed.utf8)
            for count in 0..<bytes.count {
                #expect(errorOfSkipping(Array(bytes[..<count])) != nil)
                #expect(errorOfReading(Array(bytes[..<count])) != nil)
            }
            #expect(errorOfSkipping(bytes) == nil)
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
        guard !bytes.isEmpty else { return bytes.append(UInt8.random(in: 0...255, using: &generator)) }
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 2: bytes[index] = Self.telling.randomElement(using: &generator) ?? 0
        case 3: bytes.insert(Self.telling.randomElement(using: &generator) ?? 0, at: index)
        case 4: bytes.remove(at: index)
        case 5: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &generator))
        default:
            let end = min(bytes.count, index + Int.random(in: 1...12, using: &generator))
            bytes.insert(contentsOf: bytes[index..<end], at: Int.random(in: 0...bytes.count, using: &generator))
        }
    }

    private static let telling =
        Array("{}[]:,\"\\ \n\t0123456789-+.eEutfnaDd8/".utf8) + [0, 0x1F, 0x80, 0xC3, 0xE2, 0xED, 0xF0]
}

extension String {
    fileprivate var trimmed: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
