import Foundation
import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Search in texts of any script: the division into words, and the letters that count as equal.
@MainActor
@Suite struct ScriptSearchTests {
    @Model final class Line {
        var identifier: Int?
        @Attribute(searchable: true) var text = ""
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let query: String
        /// The excerpt with the matches in brackets.
        let found: String?
        var testDescription: String { "\(query) in \(text)" }

        init(_ text: String, _ query: String, _ found: String?) {
            (self.text, self.query, self.found) = (text, query, found)
        }
    }

    nonisolated static let letters: [Row] = [
        Row("Καλή μέρα κόσμε", "καλη", "[Καλή] μέρα κόσμε"), Row("Καλη μερα", "ΚΑΛΉ", "[Καλη] μερα"),
        Row("ΟΔΥΣΣΕΥΣ", "οδυσσευς", "[ΟΔΥΣΣΕΥΣ]"), Row("ᾠδή", "ωδη", "[ᾠδή]"),
        Row("Ёлка и берёза", "елка береза", "[Ёлка] и [берёза]"), Row("елка", "ЁЛКА", "[елка]"),
        Row("Їжак і ґанок", "іжак ганок", nil), Row("Їжак і ґанок", "іжак", "[Їжак] і ґанок"),
        Row("שָׁלוֹם עוֹלָם", "שלום", "[שָׁלוֹם] עוֹלָם"), Row("שלום", "שָׁלוֹם", "[שלום]"),
        Row("مُحَمَّدٌ رَسُولُ", "محمد", "[مُحَمَّدٌ] رَسُولُ"), Row("أحمد", "احمد", "[أحمد]"), Row("كتـــاب", "كتاب", "[كتـــاب]"),
        Row("می\u{200C}خواهم", "میخواهم", "[می\u{200C}خواهم]"), Row("Straße", "STRASSE", "[Straße]"),
        Row("İstanbul ılık", "istanbul ilik", "[İstanbul] [ılık]"), Row("Ｆｕｌｌ ｗｉｄｔｈ", "full", "[Ｆｕｌｌ] ｗｉｄｔｈ"),
        Row("ﬁne ﬂow", "fine flow", "[ﬁne] [ﬂow]"), Row("na\u{308}ive café", "naive CAFE", "[na\u{308}ive] [café]"),
        Row("soft\u{AD}ware", "software", "[soft\u{AD}ware]"), Row("हिन्दी कविता", "हिन्दी", "[हिन्दी] कविता"),
        Row("हिन्दी", "हन", nil), Row("Ångström 10²", "angstrom", "[Ångström] 10²"),
        Row("ἄνθρωπος—ἀρετή", "αρετη", "ἄνθρωπος—[ἀρετή]"), Row("iPhone手机壳", "iphone", "[iPhone]手机壳"),
    ]

    nonisolated static let dense: [Row] = [
        Row("全文検索エンジンの設計", "検索", "全文[検索]エンジンの設計"), Row("全文検索エンジン", "エンジン", "全文検索[エンジン]"),
        Row("全文検索", "索", "全文検[索]"), Row("全文検索", "文", "全[文]検索"), Row("全文検索", "索検", nil),
        Row("全文検索 検討", "文検討", nil), Row("全文検索", "全文検索エ", nil), Row("我们都是中国人", "中国人", "我们都是[中国人]"),
        Row("我们都是中国人", "国", "我们都是中[国]人"), Row("我们都是中国人", "中人", nil), Row("iPhone手机壳", "手机", "iPhone[手机]壳"),
        Row("iPhone手机壳", "iphone手机", "[iPhone手机]壳"), Row("第3章", "3章", "第[3章]"), Row("ﾃﾞｰﾀﾍﾞｰｽ", "データ", "[ﾃﾞｰﾀ]ﾍﾞｰｽ"),
        Row("か\u{3099}っこう", "がっこう", "[か\u{3099}っこう]"), Row("がっこう", "か", nil),
        Row("สวัสดีชาวโลก", "ชาว", "สวัสดี[ชาว]โลก"), Row("สวัสดีชาวโลก", "โลกชาว", nil), Row("ພາສາລາວ", "ລາວ", "ພາສາ[ລາວ]"),
        Row("ភាសាខ្មែរ", "ខ្មែរ", "ភាសា[ខ្មែរ]"), Row("မြန်မာစာ", "မာစာ", "မြန်[မာစာ]"),
        Row("한국어를 공부합니다", "한국어", "[한국어]를 공부합니다"), Row("한국어를 공부합니다", "공부", "한국어를 [공부]합니다"),
        Row("한국어", "국", "한[국]어"),
        Row(
            "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}", "한국",
            "[\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}]"),
        Row("한국어를 공부", "를공", nil), Row("𠮷野家", "𠮷野", "[𠮷野]家"), Row("検索「方法」", "方法", "検索「[方法]」"),
    ]

    private func expect(_ row: Row, _ context: ObjectContext, asTyped: Bool = false, _ when: String) throws {
        let found = try context.query(Line.self).search(row.query, asTyped: asTyped)
            .searchResults(marking: "[", and: "]", words: 64)
        #expect(found.map(\.excerpt) == [row.found].compactMap(\.self), "\(when)")
    }

    @Test(arguments: letters + dense)
    func `A search finds words of any script in the file and in unsaved objects`(_ row: Row) async throws {
        let store = try Store(of: [Line.self])
        Line(in: store.main).text = row.text
        try expect(row, store.main, "unsaved")
        try await store.main.save()
        try expect(row, store.main, "in the file")
        try expect(row, store.main, asTyped: true, "while it is typed")
        let line = try #require(try store.main.query(Line.self).first())
        line.text = "other"
        try await store.main.save()
        #expect(try store.main.query(Line.self).search(row.query).count() == 0)
        #expect(try Search.problems(of: store) == [])
    }

    @Test func `A search as typed matches the beginning of the last word`() async throws {
        let store = try Store(of: [Line.self])
        for text in ["Ёлочка", "検索する", "한국어", "สวัสดี"] { Line(in: store.main).text = text }
        for _ in 0..<2 {
            for (typed, found) in [("ело", "Ёлочка"), ("検", "検索する"), ("索す", "検索する"), ("국", "한국어"), ("สวัส", "สวัสดี")] {
                let lines = try store.main.query(Line.self).search(typed, asTyped: true).fetch()
                #expect(lines.map(\.text) == [found], "\(typed)")
            }
            try await store.main.save()
        }
    }

    @Test func `Bytes that aren't valid text separate words`() async throws {
        let store = try Store(of: [Line.self])
        try await store.main.take(Line.self, #"{"id": 1, "text": "a"}"#)
        try Database(store.path).execute("UPDATE line SET text = CAST(x'63c3616fe28220c3a9f0' AS TEXT)")
        // A step reads one state of the file.
        await endStep(store)
        for word in ["c", "ao", "é"] { #expect(try store.main.query(Line.self).search(word).count() == 1, "\(word)") }
        try await store.main.take(Line.self, #"{"id": 2, "text": "a"}"#)
        for word in ["c", "ao", "é"] { #expect(try store.main.query(Line.self).search(word).count() == 1, "\(word)") }
        #expect(try Search.problems(of: store) == [])
    }

    @Test(arguments: Fuzzing.seeds(12))
    func `A search in scripts without spaces finds every substring and nothing else`(_ seed: UInt64) async throws {
        let store = try Store(of: [Line.self])
        var random = SeededGenerator(seed: seed)
        let alphabet = ["中", "国", "か", "ー", "ท", "ี", "한", "\u{1112}\u{1161}"]
        func text(_ length: ClosedRange<Int>) -> String {
            (0..<Int.random(in: length, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
                .joined()
        }
        for _ in 0..<20 { Line(in: store.main).text = text(1...12) }
        func scalars(_ text: String) -> [Unicode.Scalar] {
            Array(text.precomposedStringWithCanonicalMapping.unicodeScalars)
        }
        for step in 0..<60 {
            let part = text(1...3)
            let lines = try store.main.query(Line.self).fetch()
            let expected = lines.filter { scalars($0.text).contains(scalars(part)) }.map(\.text).sorted()
            let found = try store.main.query(Line.self).search(part).fetch().map(\.text).sorted()
            #expect(found == expected, "seed \(seed), step \(step): \(part)")
            if step == 30 { try await store.main.save() }
        }
    }
}
