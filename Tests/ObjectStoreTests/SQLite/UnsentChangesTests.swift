import Foundation
import Testing

@testable import ObjectStore

/// The `_unsent` column, which files of earlier versions have and later ones read.
@Suite struct UnsentChangesTests {
    private typealias Entry = UnsentChanges.Entry

    private func changes(_ entries: [String: Entry]) -> UnsentChanges {
        var changes = UnsentChanges()
        changes.entries = entries
        return changes
    }

    @Test func `Pending edits are written as JSON with sorted names and numbers as text`() {
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

    @Test func `An edit's origin is stored if its base is null, also among several edits`() {
        let changes = changes([
            "title": Entry(base: .null, origin: .text("A"), stamp: ChangeStamp(12)),
            "state": Entry(base: .null, origin: .integer(1), stamp: ChangeStamp(13)),
            "count": Entry(base: .null, stamp: ChangeStamp(14)), "rank": Entry(base: .null, stamp: ChangeStamp(15)),
        ])
        #expect(UnsentChanges(text: changes.text) == changes)
    }

    @Test func `An earlier version's mark of a sent row isn't read as a property`() {
        let changes = changes([
            "title": Entry(base: .text("\"?\":"), stamp: ChangeStamp(12)), "count": Entry(base: .null),
        ])
        let former = #"{"?":{},"count":{},"title":{"edit":"12","text":"\"?\":"}}"#
        #expect(UnsentChanges(text: former) == changes)
        #expect(UnsentChanges(text: #"{"?":{}}"#).text == nil)
    }

    /// As `JSONSerialization` writes it, with sorted keys, which earlier versions did.
    @Test func `Pending edits written by an earlier version are read`() throws {
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

    /// Where the clock was set back between two runs, or another process of the file began later.
    @Test(arguments: [1, 2]) func `An edit made after a stored one was read has a later stamp`(count: Int) {
        let stamps = ChangeStamps()
        let ahead = ChangeStamp(stamps.now().rawValue + 1 << 40)
        let names = ["title", "count"].prefix(count)
        let stored = changes(Dictionary(uniqueKeysWithValues: names.map { ($0, Entry(base: .null, stamp: ahead)) }))
        #expect(stamps.now() < ahead && ChangeStamp.now() < ahead)
        #expect(UnsentChanges(text: stored.text) == stored)
        #expect(stamps.now() > ahead && ChangeStamp.now() > ahead)
    }

    @Test func `A damaged file's stamp doesn't disturb the order of later stamps`() {
        let stored = changes(["title": Entry(base: .null, stamp: ChangeStamp(.max))])
        #expect(UnsentChanges(text: stored.text) == stored)
        let next = ChangeStamp.now()
        #expect(next > .earliest && next < ChangeStamp.now())
    }

    @Test(arguments: ["", "null", "[]", "{", "{\"a\":{}}x", "{\"a\":{\"text\":\"\\q\"}}", "\u{0}"])
    func `Text that isn't such JSON reads as no edits`(text: String) {
        #expect(UnsentChanges(text: text) == UnsentChanges())
    }

    @Test func `Unknown parts of a stored edit are ignored`() {
        let text = #"{"a":1,"b":["x"],"c":{"edit":"5","text":7},"d":{"edit":"x","integer":"1.5","other":"y"}}"#
        #expect(
            UnsentChanges(text: text)
                == changes([
                    "a": Entry(base: .null), "b": Entry(base: .null), "c": Entry(base: .null), "d": Entry(base: .null),
                ]))
        #expect(UnsentChanges(text: nil) == UnsentChanges())
    }

    @Test func `Edits without a base are stored as one compact text in their order`() {
        let changes = changes([
            "title": Entry(base: .null, stamp: ChangeStamp(36)),
            "body": Entry(base: .null, stamp: ChangeStamp(37)),
            "1st `": Entry(base: .null, stamp: ChangeStamp(38)),
            "a b\"é": Entry(base: .null, stamp: ChangeStamp(109)),
            "same": Entry(base: .null, stamp: ChangeStamp(109)),
            "rating": Entry(base: .integer(3), stamp: ChangeStamp(40)),
            "done": Entry(base: .null),
        ])
        #expect(
            changes.text == #"{"":"10`title``body``a b\"é`20`same`0","1st `":{"edit":"38"},"done":{},"#
                + #""rating":{"edit":"40","integer":"3"}}"#)
        #expect(UnsentChanges(text: changes.text) == changes)
    }

    @Test func `The stored edits of a new object take little space`() {
        let first = ChangeStamp.now().rawValue
        let names = (0..<14).map { "property\($0)" }
        let changes = changes(
            Dictionary(
                uniqueKeysWithValues: names.enumerated().map {
                    ($1, Entry(base: .null, stamp: ChangeStamp(first + Int64($0))))
                }))
        #expect(UnsentChanges(text: changes.text) == changes)
        #expect((changes.text?.utf8.count ?? 0) < 14 * 12 + 24)
    }

    @Test(arguments: ["", "1", "1`a", "!`a`", "1`a``b", "1`a`x y"])
    func `A malformed compact text is ignored`(text: String) {
        #expect(UnsentChanges(text: #"{"":"\#(text)","b":{"edit":"7"}}"#).entries.keys.sorted() == ["b"])
    }
}
