import JSONBytes
import Testing

/// A document that must be refused, and why.
struct Invalid: CustomTestStringConvertible {
    let bytes: [UInt8]
    let reason: JSONError.Reason
    let testDescription: String

    init(_ text: String, _ reason: JSONError.Reason) {
        (bytes, self.reason, testDescription) = (Array(text.utf8), reason, text)
    }

    /// Bytes between quotes, in an array.
    init(string bytes: [UInt8], _ reason: JSONError.Reason) {
        self.bytes = Array("[\"".utf8) + bytes + Array("\"]".utf8)
        self.reason = reason
        testDescription = "\(bytes)"
    }

    init(bytes: [UInt8], _ reason: JSONError.Reason) {
        (self.bytes, self.reason, testDescription) = (bytes, reason, "\(bytes)")
    }
}

@Suite struct DocumentTableTests {
    @Test(arguments: validDocuments) func `A valid document is accepted`(_ text: String) {
        #expect(errorOfSkipping(Array(text.utf8)) == nil)
        #expect(errorOfReading(Array(text.utf8)) == nil)
        #expect(Oracle.accepts(Array(text.utf8)))
    }

    @Test(arguments: validStrings) func `Valid UTF-8 is accepted`(_ bytes: [UInt8]) {
        let document = Array("\"".utf8) + bytes + Array("\"".utf8)
        #expect(errorOfSkipping(document) == nil)
        #expect(errorOfReading(document) == nil)
    }

    @Test(arguments: invalidDocuments) func `An invalid document is refused with its reason`(_ document: Invalid) {
        #expect(errorOfSkipping(document.bytes)?.reason == document.reason)
        #expect(errorOfReading(document.bytes)?.reason == document.reason)
        #expect(!Oracle.accepts(document.bytes))
    }

    /// The same bytes at each distance from the document's end and from a block's beginning.
    @Test(arguments: invalidDocuments) func `An invalid document inside another is refused at each position`(
        _ document: Invalid
    ) {
        for padding in 0..<18 {
            let spaces = String(repeating: " ", count: padding)
            let ignored = String(repeating: "x", count: padding)
            let bytes = Array("{\"\(ignored)\":\(spaces)".utf8) + document.bytes + Array("\(spaces),\"k\":1}".utf8)
            #expect(errorOfSkipping(bytes) != nil)
            #expect(errorOfReading(bytes) != nil)
        }
    }
}

let validDocuments: [String] = [
    // Scalars at the top.
    "null", "true", "false", "0", "-0", "1", "-1", "\"\"", "\"a\"", " null ", "\t\r\n null\n", "\u{FEFF}1",
    "\u{FEFF} {}",
    // Numbers.
    "10", "100", "-10", "1234567890", "12345678901234567890", "123456789012345678901234567890", "0.0", "-0.0", "0.5",
    "1.5", "10.01", "1e1", "1E1", "1e+1", "1e-1", "1E+10", "0e0", "0E+0", "0.0e-0", "1.5e300", "1e400", "-1e400",
    "1e-400", "1e99999999999999999999", "0.1e1", "123.456e78", "[0]", "[-0]", "[0,0]", "[1.0,2]",
    // Strings and escapes.
    #""\"""#, #""\\""#, #""\/""#, #""/""#, #""\b\f\n\r\t""#, #""\u0000""#, #""\u0041""#, #""\u00e9""#, #""\u00E9""#,
    #""\uABCD\uabcd""#, #""\uFFFF""#, #""\uFFFE""#, #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\uDBFF\uDFFF""#,
    #""\uD800\uDC00x""#, #""a\\""#, #""\\u0041""#, #""\\\\\"""#, #""'""#, "\"\u{7F}\"", "\"é\"", "\"日本語\"", "\"🎉\"",
    "\"\u{2028}\u{2029}\"", "\"\u{FEFF}\"", "\"\u{10FFFF}\"", "\"// no comment /* */\"", "\"[{,:}]\"",
    "\"0123456789abcde\"", "\"0123456789abcdef\"", "\"0123456789abcdef0\"", "\"0123456789abcdef0123456789abcdef\"",
    #""0123456789abcd\n""#, #""0123456789abcde\n""#, #""0123456789abcdef\n""#, "\"0123456789abcdé\"",
    "\"0123456789abcdeé\"",
    // Arrays.
    "[]", "[ ]", "[\n]", "[null]", "[ null ]", "[1,2,3]", "[1 , 2\t,\n3 ]", "[[]]", "[[],[]]", "[[[[[[]]]]]]", "[{}]",
    "[\"\"]", "[true,false,null]", "[[1],[2,[3]]]", "[1,\"a\",null,{},[]]",
    // Objects.
    "{}", "{ }", "{\n}", #"{"":0}"#, #"{"a":1}"#, #"{ "a" : 1 }"#, #"{"a":1,"b":2}"#, #"{"a":1,"a":2}"#, #"{"a":{}}"#,
    #"{"a":[]}"#, #"{"a":{"b":{"c":{}}}}"#, #"{"\u0061":1}"#, #"{"\"":1}"#, "{\"é\":1}", #"{"a b":1}"#,
    #"{"+1":1,"-1":2}"#,
    "{\"a\"\n:\n1\n,\n\"b\"\t:\r2}", #"{"min":-1.0e+28,"max":1.0e+28}"#, #"[{"a":[{"b":[{}]}]},{}]"#,
]

/// Each a string's content: the edges of every row of the table of well-formed UTF-8.
let validStrings: [[UInt8]] = [
    [0x20], [0x7E], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xE0, 0xBF, 0xBF], [0xE1, 0x80, 0x80],
    [0xEC, 0xBF, 0xBF], [0xED, 0x80, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
    [0xF0, 0x90, 0x80, 0x80], [0xF0, 0xBF, 0xBF, 0xBF], [0xF1, 0x80, 0x80, 0x80], [0xF3, 0xBF, 0xBF, 0xBF],
    [0xF4, 0x80, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
]
