import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/sheets")
final class Sheet {
    var identifier: Int?
    var homepage: URL?
    var fallback = URL(fileURLWithPath: "/")
    @Attribute(nothing: .emptyText) var dueOn: Date?
    @Attribute(nothing: .emptyText) var count: Int?
    @Attribute(nothing: .emptyText) var summary: String?
    var note: String?
    var mirrors: [URL] = []
    var links: [String: URL] = [:]
    @Attribute(nothing: .missingKey) var isDone = false
    @Attribute(nothing: [.missingKey, .emptyText]) var size: Int?
    @Relationship(inverse: nil) var next: Sheet?
}

/// Representations of a missing value, other than null.
@MainActor @Suite struct NothingTests {
    private func service(
        _ location: Store.Location = .temporary, values: ValueFormats? = nil, saveMethod: API.SaveMethod = .patch
    ) throws -> Service {
        try Service(
            [Sheet.self], values: values, saveMethod: saveMethod, location: location,
            stub: StubTransport { _ in .status(204) })
    }

    private static let full = """
        {"id": 1, "homepage": "https://example.com/", "fallback": "https://example.com/f", "due_on": "2024-01-02",
         "count": "3", "summary": "s", "note": "n", "is_done": true, "size": 4}
        """

    @Test func `An empty text for a URL is nil, and is sent as it came`() async throws {
        let file = try TemporaryFile()
        do {
            let page = try await service(.file(file.path)).imported(Sheet.self, Self.full)
            #expect(page.homepage != nil)
        }
        let service = try service(.file(file.path))
        let report = try await service.main.import(
            Sheet.self,
            from: Array(
                #"[{"id": 1, "homepage": "", "fallback": ""}, {"id": 2, "homepage": "https://a.example.com"}]"#.utf8)
        ).report
        #expect(report.isComplete)
        let page = try #require(try service.main.find(Sheet.self, 1))
        #expect(page.homepage == nil && page.fallback == URL(fileURLWithPath: "/"))
        let other = try #require(try service.main.find(Sheet.self, 2))
        other.homepage = nil
        other.note = nil
        try await other.save()
        #expect(service.stub.log == [#"PATCH /sheets/2 {"homepage":""}"#])
    }

    @Test func `Empty texts in a list of URLs are skipped and kept`() async throws {
        let service = try service()
        let report = try await service.main.importReporting(
            Sheet.self,
            from: Array(
                #"{"id": 1, "mirrors": ["", "https://a.example.com", ""], "links": {"a": "", "b": "https://b.example.com"}}"#
                    .utf8))
        #expect(report.isComplete, "\(report)")
        let sheet = try #require(try service.main.find(Sheet.self, 1))
        #expect(sheet.mirrors.map(\.absoluteString) == ["https://a.example.com"])
        #expect(sheet.links.mapValues(\.absoluteString) == ["b": "https://b.example.com"])
        let odd = try await service.main.importReporting(
            Sheet.self, from: Array(#"{"id": 1, "mirrors": ["https://b.example.com", 7]}"#.utf8))
        #expect(odd.mismatchedCount == 1 && sheet.mirrors.count == 1)
    }

    @Test func `Null is sent again after the server has sent null`() async throws {
        let service = try service()
        _ = try await service.imported(Sheet.self, #"{"id": 2, "homepage": ""}"#)
        let page = try await service.imported(Sheet.self, Self.full)
        _ = try await service.imported(Sheet.self, #"{"id": 2, "homepage": null}"#)
        page.homepage = nil
        try await page.save()
        #expect(service.stub.log == [#"PATCH /sheets/1 {"homepage":null}"#])
    }

    @Test func `The form of nil survives a restart`() async throws {
        let file = try TemporaryFile()
        do {
            _ = try await service(.file(file.path)).imported(Sheet.self, #"{"id": 2, "homepage": "", "size": ""}"#)
        }
        let service = try service(.file(file.path))
        let page = try await service.imported(Sheet.self, Self.full)
        (page.homepage, page.size) = (nil, nil)
        try await page.save()
        #expect(service.stub.log == [#"PATCH /sheets/1 {"homepage":"","size":""}"#])
    }

    @Test func `An empty text is nil if declared, or else a mismatch`() async throws {
        let service = try service()
        let page = try await service.imported(Sheet.self, Self.full)
        let report = try await service.main.import(
            Sheet.self,
            from: Array(#"{"id": 1, "due_on": "", "count": "", "summary": "", "note": "", "is_done": ""}"#.utf8)
        ).report
        #expect(page.dueOn == nil && page.count == nil && page.summary == nil && page.note == "" && page.isDone)
        #expect(report.mismatched.map(\.path) == ["is_done"])
        page.count = 5
        page.summary = nil
        page.dueOn = Date(timeIntervalSince1970: 0)
        try await page.save()
        (page.count, page.dueOn) = (nil, nil)
        try await page.save()
        #expect(
            service.stub.log.last == #"PATCH /sheets/1 {"due_on":"","count":""}"#, "\(service.stub.log)")
        #expect(service.stub.log.first?.contains(#""count":"5""#) == true, "\(service.stub.log)")
    }

    @Test func `A missing key is nil if declared`() async throws {
        let service = try service()
        let page = try await service.imported(Sheet.self, Self.full)
        _ = try await service.imported(Sheet.self, #"{"id": 1, "is_done": "maybe"}"#)
        #expect(page.isDone && page.size == nil, "what could not be taken is left alone")
        _ = try await service.imported(Sheet.self, #"{"id": 1}"#)
        #expect(!page.isDone && page.homepage != nil && page.note == "n")
    }

    @Test func `An API can declare its forms of nil`() async throws {
        let service = try service(values: ValueFormats(nothing: [.missingKey, .emptyText]), saveMethod: .put)
        let page = try await service.imported(Sheet.self, Self.full)
        _ = try await service.imported(Sheet.self, #"{"id": 1, "note": "", "next": {"id": 2}}"#)
        #expect(page.homepage == nil && page.note == nil && page.next?.identifier == 2)
        #expect(page.summary == "s", "what is declared beats what the API has")
        // Requests created by the library itself omit nothing.
        page.note = "b"
        try await page.save()
        #expect(page.note == "b" && page.next?.identifier == 2)
    }
}
