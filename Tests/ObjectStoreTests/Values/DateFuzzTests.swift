import TestSupport
import Testing

@testable import ObjectStore

/// Texts that look like dates: an instant that is written as it was read, or none.
@Suite struct DateFuzzTests {
    private static let dates = [
        "2024-02-29T23:59:59.123456Z", "2024-01-01", "1969-12-31 23:59:59+05:30", "0000-01-01T00:00:00-2359",
        "9999-12-31T23:59:59.999999Z", "1700000000123", "-1.5", "2016-12-31T23:59:60Z",
    ]
    private static let words = [
        "-", ":", "T", "t", " ", "Z", "+", ".", "00", "99", "24:00", "60", "-00:00", "+14:00", "\u{0}", "é",
        "0000000000",
    ]

    private func read(_ text: [UInt8]) -> DateText.Reading? {
        unsafe text.withUnsafeBytes { bytes in unsafe DateText.read(bytes) }
    }

    @Test(arguments: Fuzzing.seeds(8))
    func `A date that is written and read again is equal`(_ seed: UInt64) {
        var mutator = Mutator(seed: seed, words: Self.words)
        var count = 0
        for _ in 0..<2_000 {
            let bytes = mutator.next(Self.dates)
            guard let reading = read(bytes), let text = DateText.text(reading.seconds, reading.shape) else { continue }
            count += 1
            let again = read(Array(text.utf8))
            #expect(
                again.map { abs($0.seconds - reading.seconds) <= max(1e-6, reading.seconds.ulp) } == true,
                "\(String(decoding: bytes, as: UTF8.self)) is written as \(text)")
        }
        // Only mutations that are dates prove much.
        #expect(count > 100)
    }
}
