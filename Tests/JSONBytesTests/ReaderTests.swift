import JSONBytes
import Testing

@Suite struct ReaderTests {
    @Test func `The reader walks through an object and its values`() throws {
        try withReader(#"{"a":1,"b":[true,null],"c":{}}"#) { reader in
            #expect(try reader.peekKind() == .object)
            #expect(try reader.enterObject())
            #expect(reader.string(try reader.readKey()) == "a")
            #expect(reader.number(try reader.readScalar()).int64 == 1)
            #expect(try reader.continueObject())
            #expect(reader.string(try reader.readKey()) == "b")
            #expect(try reader.enterArray())
            #expect(try reader.readScalar().bool == true)
            #expect(try reader.continueArray())
            #expect(try reader.readScalar().kind == .null)
            #expect(try !reader.continueArray())
            #expect(try reader.continueObject())
            #expect(reader.string(try reader.readKey()) == "c")
            #expect(try !reader.enterObject())
            #expect(try !reader.continueObject())
            try reader.finish()
            #expect(reader.offset == 30)
        }
    }

    @Test func `Reading a value of another kind is an error`() {
        let calls: [(String, JSONError.Reason, (inout JSONReader) throws -> Void)] = [
            ("[]", .expectedObject, { _ = try $0.enterObject() }), ("{}", .expectedArray, { _ = try $0.enterArray() }),
            ("[]", .expectedScalar, { _ = try $0.readScalar() }), ("{}", .expectedScalar, { _ = try $0.readScalar() }),
            ("[[[1]]]", .expectedScalar, { _ = try $0.readScalar() }), ("1", .expectedKey, { _ = try $0.readKey() }),
            ("1", .expectedCommaOrBrace, { _ = try $0.continueObject() }),
            ("1", .expectedCommaOrBracket, { _ = try $0.continueArray() }),
            ("1", .trailingCharacters, { try $0.finish() }),
        ]
        for (text, reason, call) in calls {
            let error = #expect(throws: JSONError.self) { try withReader(text) { try call(&$0) } }
            #expect(error?.reason == reason)
        }
    }

    @Test func `Finishing inside a value is an error`() {
        let error = #expect(throws: JSONError.self) {
            try withReader("[1") { reader in
                _ = try reader.enterArray()
                _ = try reader.readScalar()
                try reader.finish()
            }
        }
        #expect(error?.reason == .unexpectedEnd)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]"), (#"[ [ ], {"k" : "#, "} ]")])
    func `Nesting is limited whether a value is skipped or read`(_ opening: String, _ closing: String) {
        let levels = opening.contains("[") && opening.contains("{") ? 2 : 1
        for limit in [1, 2, 63, 64, 65, 127, 128, 129, 512, 2_000] {
            let limits = JSONLimits(maximumDepth: limit * levels)
            let fits = nest(opening, closing, times: limit, around: "1")
            let exceeds = nest(opening, closing, times: limit, around: "[]")
            #expect(errorOfSkipping(fits, limits: limits) == nil)
            #expect(errorOfSkipping(exceeds, limits: limits)?.reason == .tooDeep(limit: limit * levels))
        }
        #expect(errorOfReading(nest(opening, closing, times: 512 / levels, around: "1")) == nil)
        #expect(
            errorOfReading(nest(opening, closing, times: 512 / levels, around: "{}"))?.reason == .tooDeep(limit: 512))
    }

    @Test func `A million open brackets end at the limit of nesting`() {
        let error = errorOfSkipping(Array(repeating: UInt8(ascii: "["), count: 1_000_000))
        #expect(error?.reason == .tooDeep(limit: 512))
        #expect(error?.offset == 512)
    }

    @Test(arguments: [(0, 0), (-1, 0), (16_384, 16_384), (Int.max, 16_384)])
    func `The limit of nesting has a maximum itself`(_ asked: Int, _ limit: Int) {
        let bytes = Array(repeating: UInt8(ascii: "["), count: 20_000)
        #expect(errorOfSkipping(bytes, limits: JSONLimits(maximumDepth: asked))?.reason == .tooDeep(limit: limit))
    }

    @Test func `A skipped value has its bytes and kind`() throws {
        let values: [(String, JSONKind)] = [
            (#"{"a":[1,{"b":"}"}]}"#, .object), ("[[],[1]]", .array), (#""]\"""#, .string), ("-1.5", .number),
            ("true", .true),
            ("false", .false), ("null", .null),
        ]
        for (text, kind) in values {
            try withReader("[ \(text) , 1]") { reader in
                _ = try reader.enterArray()
                let fragment = try reader.skipValue()
                #expect(fragment.kind == kind)
                #expect(unsafe String(decoding: reader.bytes(of: fragment), as: UTF8.self) == text)
                #expect(try reader.continueArray())
            }
        }
    }

    @Test func `A repeated value is skipped by comparison`() throws {
        let value = #"{"login":"octocat","id":1,"name":"The Octocat, who lives in the sea"}"#
        let almost = value.replacing("sea", with: "see")
        try withReader("[\(value), \(value),\(almost),\(value)]") { reader in
            _ = try reader.enterArray()
            let print = reader.fingerprint(ofNext: 32)
            let first = try reader.skipValue()
            _ = try reader.continueArray()
            let second = reader.skipRepeat(of: first)
            #expect(second)
            _ = try reader.continueArray()
            #expect(reader.fingerprint(ofNext: 32) == print)
            let third = reader.skipRepeat(of: first)
            #expect(!third)
            _ = try reader.skipValue()
            _ = try reader.continueArray()
            let fourth = reader.skipRepeat(of: first)
            #expect(fourth)
            #expect(try !reader.continueArray())
            let beyond = reader.skipRepeat(of: first)
            #expect(!beyond)
            try reader.finish()
        }
    }

    @Test func `A number is never skipped as a repeated value`() throws {
        try withReader("[12,123]") { reader in
            _ = try reader.enterArray()
            let first = try reader.skipValue()
            _ = try reader.continueArray()
            #expect(reader.hasNext(bytesOf: first))
            let skipped = reader.skipRepeat(of: first)
            #expect(!skipped)
        }
    }
}

/// `opening` and `closing` so many times around `core`.
private func nest(_ opening: String, _ closing: String, times: Int, around core: String) -> [UInt8] {
    Array((String(repeating: opening, count: times) + core + String(repeating: closing, count: times)).utf8)
}
