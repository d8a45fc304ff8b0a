import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Stores as text, and the difference of two of them.
@MainActor @Suite struct ContentsTests {
    @Model("/things")
    final class Thing {
        var identifier: Int?
        var isPublic = false
        var madeAt: Date?
        var ratio = 0.5
        var number: UUID?
        var link: URL?
        var tags: [String] = []
        var details: JSONValue?
        var price: Decimal?
        var bytes: Data?
        var text = ""
    }

    private func store(_ json: String) async throws -> Store {
        let store = try Store(.temporary, models: [Thing.self])
        try await store.main.importReporting(Thing.self, from: Data(json.utf8))
        return store
    }

    @Test func `Attributes of each type are listed as values`() async throws {
        let store = try await store(
            #"""
            {"id": 1, "is_public": true, "made_at": "2011-01-25T18:44:36Z", "ratio": 0.25, "text": "a \"b\"\n",
             "number": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "link": "https://example.com/a",
             "tags": ["x", "y"], "details": {"a": [1, null]}, "price": 1.50, "bytes": "AAEC"}
            """#)
        let contents = try await store.contents()
        #expect(
            contents == #"""
                Thing 1
                  identifier = 1
                  isPublic = true
                  madeAt = 2011-01-25T18:44:36Z
                  ratio = 0.25
                  number = 6F9619FF-8B86-D011-B42D-00C04FC964FF
                  link = <https://example.com/a>
                  tags = ["x","y"]
                  details = {"a":[1,null]}
                  price = 1.50
                  bytes = 3 bytes (d949aa186c0c4928)
                  text = "a \"b\"\n"

                """#)
    }

    @Test func `Stores with the same objects have no difference`() async throws {
        let json = #"[{"id": 1, "text": "a"}, {"id": 2}]"#
        let (first, second) = (try await store(json), try await store(json))
        #expect(try await first.difference(from: second) == nil)
    }

    @Test func `A difference of two stores lists the objects and lines that differ`() async throws {
        let first = try await store(#"[{"id": 1, "text": "a", "is_public": true}, {"id": 2}, {"id": 3, "text": "c"}]"#)
        let second = try await store(#"[{"id": 1, "text": "b", "is_public": true}, {"id": 2}, {"id": 4, "text": "d"}]"#)
        let difference = try await second.difference(from: first)
        #expect(
            difference == """
                  Thing 1
                -   text = "a"
                +   text = "b"
                - Thing 3
                -   identifier = 3
                -   isPublic = false
                -   ratio = 0.5
                -   tags = []
                -   text = "c"
                + Thing 4
                +   identifier = 4
                +   isPublic = false
                +   ratio = 0.5
                +   tags = []
                +   text = "d"

                """)
    }

    @Test(arguments: [
        ("bytes", "AAEC", "AAED"), ("made_at", "2011-01-25T18:44:36.123456Z", "2011-01-25T18:44:36.123457Z"),
    ])
    func `Values that differ a little have different texts`(_ key: String, _ old: String, _ new: String) async throws {
        let first = try await store(#"{"id": 1, "\#(key)": "\#(old)"}"#)
        let second = try await store(#"{"id": 1, "\#(key)": "\#(new)"}"#)
        #expect(try await second.difference(from: first) != nil)
    }

    @Test func `A date has as many digits as it needs`() async throws {
        let store = try await store(
            #"""
            [{"id": 1, "made_at": "2011-01-25T18:44:36.120Z"}, {"id": 2, "made_at": "2011-01-25T18:44:36.000001Z"},
             {"id": 3, "made_at": "1960-01-25T18:44:36.5Z"}]
            """#)
        let contents = try await store.contents()
        #expect(contents.contains("madeAt = 2011-01-25T18:44:36.120Z\n"))
        #expect(contents.contains("madeAt = 2011-01-25T18:44:36.000001Z\n"))
        #expect(contents.contains("madeAt = 1960-01-25T18:44:36.500Z\n"))
    }

    @Model("/codes", identity: "code")
    final class Code {
        var code: String?
    }

    @Test func `The order of objects doesn't depend on the order of their arrival`() async throws {
        func contents(_ json: String) async throws -> String {
            let store = try Store(.temporary, models: [Code.self])
            try await store.main.importReporting(Code.self, from: Data(json.utf8))
            return try await store.contents()
        }
        let first = try await contents(#"[{"code": "1"}, {"code": "01"}, {"code": "001"}]"#)
        #expect(try await contents(#"[{"code": "001"}, {"code": "01"}, {"code": "1"}]"#) == first)
    }

    @Test func `A difference from earlier contents shows the edits`() async throws {
        let store = try await store(#"{"id": 1, "text": "a"}"#)
        let before = try await store.contents()
        try store.main.find(Thing.self, 1)?.text = "b"
        let new = Thing(in: store.main)
        new.text = "new"
        try await store.main.save()
        let difference = try #require(try await store.difference(from: before))
        #expect(difference.contains("  Thing 1\n-   text = \"a\"\n+   text = \"b\" (unsent)\n"))
        #expect(difference.contains("+ Thing (new)\n") && difference.contains("+   text = \"new\" (unsent)\n"))
    }
}
