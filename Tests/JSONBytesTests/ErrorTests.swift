import JSONBytes
import Testing

@Suite struct ErrorTests {
    @Test(
        arguments: [
            ("", 0, 1, 1), ("x", 0, 1, 1), ("[1 2]", 3, 1, 4), ("[1,\n 2\n 3]", 8, 3, 2), ("[1,\r\n2\r\nx]", 8, 3, 1),
            ("[1,\r2 x]", 6, 2, 3), ("[\"é日🎉\" x]", 13, 1, 8), ("[1", 2, 1, 3), ("[\"ab\ncd\"]", 4, 1, 5),
        ] as [(String, Int, Int, Int)])
    func `An error has the offset, line and column`(text: String, offset: Int, line: Int, column: Int) throws {
        let error = try #require(errorOfSkipping(Array(text.utf8)))
        #expect((error.offset, error.line, error.column) == (offset, line, column))
    }

    @Test(
        arguments: [
            ("<!DOCTYPE html><html>", "this looks like an HTML or XML page"),
            ("\u{FEFF} \n<html>", "this looks like an HTML or XML page"),
            ("[1,]", "JSON has no trailing comma"), (#"{"a":1 , }"#, "JSON has no trailing comma"),
            ("[NaN]", "JSON has no NaN"),
            ("[-Infinity]", "JSON has no -Infinity"), ("[None]", "JSON has no None"),
            ("['a']", "JSON's quotes are double"),
            ("[1 // one", "JSON has no comments"), ("/* */[]", "JSON has no comments"),
            ("data: {}", "this looks like a stream of server-sent events"),
            ("[1 2]", nil), ("", nil), ("[", nil), (")]}'\n{}", "the body has a prefix against script inclusion"),
        ] as [(String, String?)])
    func `An error's hint names the sender's likely mistake`(_ text: String, _ hint: String?) throws {
        #expect(try #require(errorOfSkipping(Array(text.utf8))).hint == hint)
    }

    @Test(arguments: [
        "", " ", "\n", "\t", "\r", " \r\n\t ", "\u{FEFF}", "\u{FEFF} \n", String(repeating: " ", count: 40),
    ])
    func `White space alone is an empty body`(_ text: String) throws {
        for error in [errorOfSkipping(Array(text.utf8)), errorOfReading(Array(text.utf8))] {
            #expect(error?.reason == .emptyDocument)
            #expect(error?.hint == nil)
        }
    }

    @Test(arguments: ["[ ", "\u{B}", "\u{A0}", "\u{0}", " \u{C} "])
    func `A character that only looks like white space doesn't make an empty body`(_ text: String) throws {
        let error = try #require(errorOfSkipping(Array(text.utf8)))
        #expect(error.reason != .emptyDocument)
    }

    @Test(arguments: [Int(Int32.max) + 1, Int(UInt32.max)])
    func `A body of 2 GiB is refused as too large`(_ count: Int) throws {
        // The length is all that is looked at, but for the bytes of an excerpt.
        let beginning = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
        defer { unsafe beginning.deallocate() }
        unsafe beginning.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "["))
        let error = #expect(throws: JSONError.self) {
            _ = try unsafe JSONReader(unsafe: UnsafeRawBufferPointer(start: beginning.baseAddress, count: count))
        }
        #expect(error?.reason == .tooLarge(bytes: count))
        #expect(error?.reason.description == "the body has \(count) bytes; 2 GiB - 1 are the most that can be read")
    }

    @Test func `An error about a compressed or UTF-16 body says so in its hint`() {
        #expect(errorOfSkipping([0x1F, 0x8B, 8, 0])?.hint == "this is compressed with gzip")
        #expect(errorOfSkipping([0xFF, 0xFE, 0x7B, 0])?.hint == "this is UTF-16; JSON is UTF-8")
    }

    @Test func `An error's excerpt is short and printable`() throws {
        let before = String(repeating: "b", count: 100)
        let after = String(repeating: "a", count: 100)
        let error = try #require(errorOfSkipping(Array("[\"\(before)\" \u{1B}\(after)".utf8)))
        #expect(error.excerpt == String(repeating: "b", count: 14) + "\" ·" + String(repeating: "a", count: 23))
        #expect(error.excerpt.count == 40)
        let binary = try #require(errorOfSkipping([0xFF, 0x00, 0x0A, 0x7F, 0x41]))
        #expect(binary.excerpt == "\u{FFFD}···A")
    }

    @Test func `An error's description has the place and keeps the body private`() throws {
        let error = try #require(errorOfSkipping(Array("{\"token\":\"secret\"\n]".utf8)))
        #expect(error.description == "invalid JSON at line 2, column 1 (byte 18): neither , nor } follows a member")
        #expect(error.debugDescription.hasSuffix("near `token\":\"secret\"·]`"))
        let page = try #require(errorOfSkipping(Array("<html>".utf8)))
        #expect(
            "\(page)"
                == "invalid JSON at line 1, column 1 (byte 0): a value is missing (this looks like an HTML or XML page)"
        )
        #expect(
            "\(try #require(errorOfSkipping([])))" == "invalid JSON at line 1, column 1 (byte 0): the body is empty")
    }
}
