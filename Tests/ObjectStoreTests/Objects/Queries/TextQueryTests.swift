import ObjectStore
import RestfulData
import Testing

/// How texts are looked for: in the file, and among unsaved objects, by the same rules.
@MainActor
@Suite struct TextQueryTests {
    nonisolated static let logins = [
        "Élan", "elan", "ÉLAN", "e\u{301}lan", "100%", "1000", "a_b", "axb", "[x]", "x", "", "\u{10FFFF}z", "Straße",
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let predicate: QueryPredicate<User>
        let found: [String]
    }

    nonisolated static let rows: [Row] = {
        let login = User.properties.login
        let every: [String] = ["Élan", "elan", "ÉLAN", "e\u{301}lan"]
        return [
            Row(
                testDescription: "contains, diacritics aside", predicate: login.localizedStandardContains("LAN"),
                found: every),
            Row(testDescription: "contains an accent", predicate: login.localizedStandardContains("éla"), found: every),
            Row(testDescription: "equal", predicate: login.insensitive == "Elan", found: every),
            Row(testDescription: "among", predicate: login.insensitive.isAmong(["élan", "X"]), found: every + ["x"]),
            Row(testDescription: "ß is ss", predicate: login.insensitive == "STRASSE", found: ["Straße"]),
            Row(testDescription: "insensitive prefix", predicate: login.insensitive.hasPrefix("É"), found: every),
            Row(testDescription: "insensitive suffix", predicate: login.insensitive.hasSuffix("ÀN"), found: every),
            Row(testDescription: "percent is no pattern", predicate: login.contains("0%"), found: ["100%"]),
            Row(testDescription: "underscore is no pattern", predicate: login.contains("a_"), found: ["a_b"]),
            Row(testDescription: "brackets are no pattern", predicate: login.hasPrefix("[x"), found: ["[x]"]),
            Row(testDescription: "prefix", predicate: login.hasPrefix("100"), found: ["100%", "1000"]),
            Row(
                testDescription: "prefix of the last character", predicate: login.hasPrefix("\u{10FFFF}"),
                found: ["\u{10FFFF}z"]),
            Row(testDescription: "prefix in its case", predicate: login.hasPrefix("él"), found: []),
            Row(testDescription: "suffix", predicate: login.hasSuffix("b"), found: ["a_b", "axb"]),
            Row(testDescription: "suffix of several bytes", predicate: login.hasSuffix("ße"), found: ["Straße"]),
            Row(testDescription: "no prefix", predicate: login.hasPrefix(""), found: logins),
            Row(testDescription: "no suffix", predicate: login.hasSuffix(""), found: logins),
        ]
    }()

    @Test(arguments: rows)
    func `Text conditions give equal results in SQLite and in memory`(_ row: Row) async throws {
        let store = try Store(of: World.models)
        for login in Self.logins { User(in: store.main).login = login }
        let query = store.main.query(User.self).where { _ in row.predicate }
        #expect(Set(try query.fetch().map { Array($0.login.utf8) }) == Set(row.found.map { Array($0.utf8) }))
        try await store.main.save()
        #expect(Set(try query.fetch().map { Array($0.login.utf8) }) == Set(row.found.map { Array($0.utf8) }))
    }

    /// By the same letters as a search.
    @Test(arguments: [
        ("Ёлка", "елка"), ("ΟΔΥΣΣΕΎΣ", "οδυσσευς"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"), ("ｶﾀｶﾅ", "カタカナ"),
        ("\u{1112}\u{1161}\u{11AB}", "한"), ("か\u{3099}", "が"), ("ﬁn—10%", "FIN—10%"), ("İı", "ii"),
    ])
    func `Insensitive text comparison ignores case and diacritics in any script`(_ text: String, _ other: String)
        async throws
    {
        let store = try Store(of: World.models)
        User(in: store.main).login = text
        for _ in 0..<2 {
            let query = store.main.query(User.self)
            #expect(try query.where { $0.login.insensitive == other }.count() == 1)
            #expect(try query.where { $0.login.localizedStandardContains(other) }.count() == 1)
            #expect(try query.where { $0.login.localizedStandardContains(other + "x") }.count() == 0)
            try await store.main.save()
        }
    }

    @Test func `An insensitive order ignores case and diacritics`() async throws {
        let store = try Store(of: World.models)
        for login in ["z", "Étude", "apple", "Zebra", "ebb"] { User(in: store.main).login = login }
        let query = store.main.query(User.self).order(by: { $0.login.insensitive })
        let expected = ["apple", "ebb", "Étude", "z", "Zebra"]
        #expect(try query.fetch().map(\.login) == expected)
        try await store.main.save()
        #expect(try query.fetch().map(\.login) == expected)
    }

    @Test func `An insensitive text compares with another attribute on either side`() async throws {
        let store = try Store(of: World.models)
        for (login, name) in [("Élan", "elan"), ("a", "b"), ("Élan", nil)] {
            let user = User(in: store.main)
            (user.login, user.name) = (login, name)
        }
        let query = store.main.query(User.self)
        for _ in 0..<2 {
            #expect(try query.where { $0.login.insensitive == $0.name }.fetch().map(\.name) == ["elan"])
            #expect(try query.where { $0.name == $0.login.insensitive }.fetch().map(\.name) == ["elan"])
            #expect(try query.where { $0.name != $0.login.insensitive }.count() == 2)
            try await store.main.save()
        }
    }
}
