import RestfulData
import RestfulDataTesting
import Testing

@Model("/people")
private final class Writer {
    var id: Int?
    var fullName = ""
}

@Model("/reports", api: "documents")
private final class Report {
    var id: Int?
    var title = ""
    var writer: Writer?
    var chapters: [Chapter]
}

@Model("/chapters", api: "documents")
private final class Chapter {
    var id: Int?
    var heading = ""
    var report: Report?
}

@Model("/reports", api: "archive", table: "archived_report")
private final class ArchivedReport {
    var id: Int?
    var title = ""
}

@Model("/reports", api: "copies", table: "copied_report")
private final class CopiedReport {
    var id: Int?
    @Relationship(inverse: nil) var original: Report?
}

@Model(embedded: true)
private final class Stamp {
    var inkColor = ""
    var maker: Maker?
}

@Model(embedded: true)
private final class Maker {
    var shortName = ""
}

@Model("/letters")
private final class Letter {
    var id: Int?
    var stamp: Stamp?
}

@Model("/parcels", api: "documents")
private final class Parcel {
    var id: Int?
    var stamp: Stamp?
}

/// Plain JSON and documents of JSON:API in one store.
@MainActor @Suite struct SeveralFormatsTests {
    private func store(
        documents: [String: StubTransport.Reply], archive: [String: StubTransport.Reply] = [:]
    ) throws -> (store: Store, documents: StubTransport) {
        let stub = StubTransport(documents)
        let plain = StubTransport(["GET /people/1": .json(#"{"id": 1, "full_name": "Ada"}"#)])
        let store = try Store(
            .temporary, models: [Writer.self, Report.self, Chapter.self, ArchivedReport.self],
            apis: [
                API("https://api.example.com", conventions: .rails, transport: plain),
                API("https://docs.example.com", name: "documents", conventions: .jsonAPI, transport: stub),
                API(
                    "https://old.example.com", name: "archive", conventions: .jsonAPI, transport: StubTransport(archive)
                ),
            ])
        return (store, stub)
    }

    @Test func `A JSON:API document links to objects of a plain API by linkage`() async throws {
        let (store, documents) = try store(documents: [
            "GET /reports/1": .json(
                """
                {"data": {"type": "reports", "id": "1", "attributes": {"title": "T"}, "relationships": {
                  "writer": {"data": {"type": "people", "id": "1"}},
                  "chapters": {"data": [{"type": "chapters", "id": "5"}]}}},
                 "included": [{"type": "people", "id": "1", "attributes": {"full_name": "Wrong"}},
                              {"type": "chapters", "id": "5", "attributes": {"heading": "One"}}]}
                """),
            "PATCH /reports/1": .status(204),
        ])
        let report = try await Report.fetch(key: 1, in: store.main)
        #expect(report.chapters.map(\.heading) == ["One"] && report.writer == nil)
        let ada = try await Writer.fetch(key: 1, in: store.main)
        #expect(report.writer === ada && ada.fullName == "Ada")
        report.writer = nil
        try await report.save()
        report.writer = ada
        try await report.save()
        #expect(
            documents.log.last == #"PATCH /reports/1 {"data":{"type":"reports","id":"1","relationships":"#
                + #"{"writer":{"data":{"type":"people","id":"1"}}}}}"#)
    }

    @Test func `Two services may have resources of one type`() async throws {
        func reply(_ title: String) -> StubTransport.Reply {
            .json(#"{"data": [{"type": "reports", "id": "1", "attributes": {"title": "\#(title)"}}]}"#)
        }
        let (store, _) = try store(
            documents: ["GET /reports": reply("New")], archive: ["GET /reports": reply("Old")])
        let new = try await Report.fetchAll(in: store.main)
        let old = try await ArchivedReport.fetchAll(in: store.main)
        #expect(new.map(\.title) == ["New"] && old.map(\.title) == ["Old"])
    }

    @Test func `An object links to one of another service with the same type`() async throws {
        let stub = StubTransport([
            "GET /reports/9": .json(
                """
                {"data": {"type": "reports", "id": "9", "relationships": {"original": {"data":
                  {"type": "reports", "id": "1"}}}}}
                """),
            "GET /reports/1": .json(#"{"data": {"type": "reports", "id": "1", "attributes": {"title": "T"}}}"#),
        ])
        let store = try Store(
            .temporary, models: [Report.self, Chapter.self, Writer.self, CopiedReport.self],
            apis: [
                API("https://api.example.com", conventions: .rails, transport: stub),
                API("https://docs.example.com", name: "documents", conventions: .jsonAPI, transport: stub),
                API("https://copies.example.com", name: "copies", conventions: .jsonAPI, transport: stub),
            ])
        let copy = try await CopiedReport.fetch(key: 9, in: store.main)
        let original = try await Report.fetch(key: 1, in: store.main)
        #expect(copy.original === original && original.title == "T")
    }

    @Test func `An embedded model has its owners' API, which must be one`() throws {
        let stub = StubTransport([:])
        let apis = [
            API("https://api.example.com", transport: stub),
            API("https://docs.example.com", name: "documents", conventions: .camelCase, transport: stub),
        ]
        let store = try Store(.temporary, models: [Stamp.self, Maker.self, Parcel.self], apis: apis)
        #expect(store.explanation(of: Maker.self)?.attributes.map(\.json) == ["shortName"])
        do {
            _ = try Store(.temporary, models: [Stamp.self, Maker.self, Parcel.self, Letter.self], apis: apis)
            Testing.Issue.record("it was opened")
        } catch {
            #expect("\(error)".contains("Stamp is embedded in models of several APIs (Parcel, Letter)"), "\(error)")
        }
    }
}
