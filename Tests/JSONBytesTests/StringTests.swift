import JSONBytes
import Testing

@Suite struct StringTests {
    @Test(
        arguments: [
            (#""""#, "", false), (#""abc""#, "abc", false), ("\"é日🎉\"", "é日🎉", false),
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t", true),
            (#""\u0041\u00e9\u65E5""#, "Aé日", true), (#""\uD83C\uDF89""#, "🎉", true),
            (#""\ud800\udc00""#, "\u{10000}", true),
            (#""\uDBFF\uDFFF""#, "\u{10FFFF}", true), (#""a\u0000b""#, "a\0b", true), (#""\\u0041""#, "\\u0041", true),
            (#""\n""#, "\n", true), (#""\n\n\n""#, "\n\n\n", true),
            (#""\u007f\u0080\u07FF\u0800\uFFFF""#, "\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}", true),
            (
                #""0123456789abcde\n0123456789abcdef\u0041 and so on, and on, and on""#,
                "0123456789abcde\n0123456789abcdefA and so on, and on, and on", true
            ),
            (#""0123456789abcdef0123456789abcdef\\""#, "0123456789abcdef0123456789abcdef\\", true),
        ] as [(String, String, Bool)])
    func `An escaped string is unescaped and compared`(text: String, expected: String, hasEscapes: Bool) throws {
        try withReader(text) { reader in
            let scalar = try reader.readScalar()
            #expect(scalar.hasEscapes == hasEscapes)
            #expect(reader.string(scalar) == expected)
            #expect(reader.isEqual(scalar, to: expected))
            #expect(!reader.isEqual(scalar, to: expected + "x"))
            var scratch = JSONScratch(capacity: 0)
            let bytes = unsafe Array(reader.unescaped(scalar, into: &scratch))
            #expect(bytes == Array(expected.utf8))
        }
    }

    @Test func `Every scalar is read from its escape`() throws {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 61) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let escape = UTF16.encode(scalar).map { $0.map { "\\u" + hex($0) }.joined() } ?? ""
            #expect(
                try withReader("\"\(escape)\"") { reader in reader.string(try reader.readScalar()) } == String(scalar))
        }
    }

    @Test func `Unescaped strings stay in place while the scratch memory grows`() throws {
        let texts = (0..<200).map { "\(String(repeating: "x", count: $0))\n\($0)" }
        let document = "[" + texts.map { "\"\($0.replacing("\n", with: "\\n"))\"" }.joined(separator: ",") + "]"
        try withReader(document) { reader in
            var scratch = JSONScratch(capacity: 64)
            for _ in 0..<2 {
                var copy = reader
                var values = unsafe [UnsafeRawBufferPointer]()
                _ = try copy.enterArray()
                repeat {
                    let scalar = try copy.readScalar()
                    unsafe values.append(copy.unescaped(scalar, into: &scratch))
                } while try copy.continueArray()
                #expect(unsafe values.map { unsafe String(decoding: $0, as: UTF8.self) } == texts)
                scratch.removeAll()
            }
        }
    }

    @Test func `A key's range leaves out its quotes, and a string's fragment keeps them`() throws {
        try withReader(#" {"key" : "value" } "#) { reader in
            _ = try reader.enterObject()
            let key = try reader.readKey()
            #expect((key.start, key.end) == (3, 6))
            #expect(key.kind == .string && key.bool == nil && !key.isInteger)
            let value = try reader.skipValue()
            #expect(unsafe String(decoding: reader.bytes(of: value), as: UTF8.self) == #""value""#)
            #expect(value.kind == .string)
        }
    }

    @Test func `A scalar of a longer document has no bytes in a shorter one`() throws {
        let scalar = try withReader(#"["a string of some length"]"#) { reader in
            _ = try reader.enterArray()
            return try reader.readScalar()
        }
        try withReader("[]") { reader in #expect(unsafe reader.bytes(of: scalar).isEmpty) }
    }

    private func hex(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
