import Foundation
import Testing

@testable import ObjectStore

/// What the `_unsent` column says, which files of earlier versions have and later ones read.
@Suite struct UnsentChangesTests {
    private typealias Entry = UnsentChanges.Entry

    private func changes(_ entries: [String: Entry]) -> UnsentChanges {
        var changes = UnsentChanges()
        changes.entries = entries
        return changes
    }

    @Test func `The text is JSON, the names in order, numbers as text`() {
        let changes = changes([
            "title": Entry(base: .text("a \"b\"\n\\/é\u{1}"), stamp: ChangeStamp(12)),
            "count": Entry(base: .integer(.min), stamp: ChangeStamp(13)),
            "rating": Entry(base: .real(0.1)), "closedAt": Entry(base: .null),
            "cover": Entry(base: .blob([0, 255]), stamp: ChangeStamp(14)),
        ])
        #expect(
            changes.text == #"{"closedAt":{},"count":{"edit":"13","integer":"-9223372036854775808"},"#
                + #""cover":{"blob":"AP8=","edit":"14"},"rating":{"real":"0.1"},"#
                + #""title":{"edit":"12","text":"a \"b\"\n\\/é\u0001"}}"#)
        #expect(UnsentChanges(text: changes.text) == changes)
        #expect(UnsentChanges().text == nil)
    }

    /// As `JSONSerialization` writes it, with sorted keys, which earlier versions did.
    @Test func `The text of an earlier version reads the same`() throws {
        let json: [String: [String: String]] = [
            "Title": ["edit": "5", "text": "https://a.b/c\u{2028}\t\u{0}\"é😀"], "title2": ["real": "-1e-07"],
            "title10": ["integer": "7"], "done": [:], "cover": ["blob": "", "edit": "6"],
        ]
        let data = try JSONSerialization.data(withJSONObject: json, options: [.sortedKeys])
        #expect(
            UnsentChanges(text: String(decoding: data, as: UTF8.self))
                == changes([
                    "Title": Entry(base: .text("https://a.b/c\u{2028}\t\u{0}\"é😀"), stamp: ChangeStamp(5)),
                    "title2": Entry(base: .real(-1e-07)), "title10": Entry(base: .integer(7)),
                    "done": Entry(base: .null), "cover": Entry(base: .blob([]), stamp: ChangeStamp(6)),
                ]))
    }

    @Test(arguments: ["", "null", "[]", "{", "{\"a\":{}}x", "{\"a\":{\"text\":\"\\q\"}}", "\u{0}"])
    func `Text that is no such JSON reads as no changes`(text: String) {
        #expect(UnsentChanges(text: text) == UnsentChanges())
    }

    @Test func `What an entry says in no known way is nothing`() {
        let text = #"{"a":1,"b":["x"],"c":{"edit":"5","text":7},"d":{"edit":"x","integer":"1.5","other":"y"}}"#
        #expect(
            UnsentChanges(text: text)
                == changes([
                    "a": Entry(base: .null), "b": Entry(base: .null), "c": Entry(base: .null), "d": Entry(base: .null),
                ]))
        #expect(UnsentChanges(text: nil) == UnsentChanges())
    }
}
