import Testing

@testable import ObjectStore

/// Many values, of which a set tells whether another value is one of them.
@Suite struct AmongValuesTests {
    private static let numbers = AmongValues((1...100).map { StoredValue.integer($0) })
    private static let texts = AmongValues((1...100).map { StoredValue.text("\($0)") })

    @Test func `A set tells whether a number or text is among many values`() {
        #expect(Self.numbers.contains(.integer(7), as: nil) == true)
        #expect(Self.numbers.contains(.integer(101), as: nil) == false)
        #expect(Self.numbers.contains(.null, as: nil) == false)
        #expect(Self.texts.contains(.text("7"), as: .text) == true)
        #expect(Self.texts.contains(.text("x"), as: .text) == false)
    }

    @Test func `Values that may be equal in another notation are compared one by one`() {
        #expect(Self.numbers.contains(.real(7), as: nil) == nil)
        #expect(Self.texts.contains(.text("7.0"), as: .decimal) == nil)
        #expect(Self.texts.contains(.text("x"), as: .url) == nil)
        #expect(AmongValues([.integer(7)]).contains(.integer(7), as: nil) == nil)
    }
}
