import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

@Model("/tasks", tombstones: ["deleted"])
final class PushedTask {
    var identifier: Int?
    var title = ""
    var revision: Int?
    var updatedAt: Date?
    var price: Decimal?
    var labels: [PushedLabel]
}

@Model("/labels")
final class PushedLabel {
    var identifier: Int?
    var name = ""
}

/// Objects that a server pushes by events, which may come twice, late and in any order.
@MainActor @Suite struct PushedObjectTests {
    private let service: Service
    private var context: ObjectContext { service.main }

    init() throws {
        service = try Service([PushedTask.self, PushedLabel.self], stub: StubTransport { _ in .status(204) })
    }

    @discardableResult
    private func push(_ json: String, areDeleted: Bool = false) async throws -> PushedTask? {
        try await context.import(
            PushedTask.self, from: Data(json.utf8), ifNewer: \.revision, areDeleted: areDeleted
        ).objects.first
    }

    private var titles: [String] {
        get throws { try context.query(PushedTask.self).order { $0.identifier }.fetch().map(\.title) }
    }

    @Test func `An older event leaves a newer object and its relationships unchanged`() async throws {
        let task = try #require(
            try await push(#"{"id": 1, "revision": 5, "title": "five", "labels": [{"id": 1, "name": "a"}]}"#))
        #expect(try await push(#"{"id": 1, "revision": 4, "title": "four", "labels": []}"#) === task)
        #expect(task.title == "five" && task.revision == 5 && task.labels.map(\.name) == ["a"])
        try await push(#"{"id": 1, "revision": 6, "title": "six", "labels": []}"#)
        #expect(task.title == "six" && task.labels.isEmpty)
    }

    @Test func `A repeated event changes nothing, and another of the same version is applied`() async throws {
        try await push(#"{"id": 1, "revision": 5, "title": "five"}"#)
        try await push(#"{"id": 1, "revision": 5, "title": "five"}"#)
        try await push(#"{"id": 1, "revision": 5, "title": "five again"}"#)
        #expect(try titles == ["five again"])
    }

    @Test func `An event without a version is ignored if the object has one`() async throws {
        try await push(#"{"id": 1, "title": "first"}"#)
        try await push(#"{"id": 1, "title": "second"}"#)
        try await push(#"{"id": 1, "revision": 1, "title": "third"}"#)
        try await push(#"{"id": 1, "title": "fourth"}"#)
        #expect(try titles == ["third"])
    }

    @Test func `Dates order events`() async throws {
        let (old, new) = ("2026-01-01T10:00:00Z", "2026-01-01T10:00:01.5Z")
        for (date, title) in [(new, "new"), (old, "old")] {
            let json = #"{"id": 1, "updated_at": "\#(date)", "title": "\#(title)"}"#
            try await context.import(PushedTask.self, from: Data(json.utf8), ifNewer: \.updatedAt)
        }
        #expect(try titles == ["new"])
    }

    @Test func `A deleted object returns by a newer event only`() async throws {
        let task = try await push(#"{"id": 1, "revision": 5, "title": "five"}"#)
        try await push(#"{"id": 1, "revision": 4, "deleted": true}"#)
        #expect(task?.isDeleted == false)
        try await push(#"{"id": 1, "revision": 6, "deleted": true}"#)
        #expect(task?.isDeleted == true)
        for revision in [5, 6] { try await push(#"{"id": 1, "revision": \#(revision), "title": "late"}"#) }
        try await push(#"{"id": 1, "title": "without a version"}"#)
        #expect(try titles == [])
        try await push(#"{"id": 1, "revision": 7, "title": "made again"}"#)
        try await push(#"{"id": 1, "revision": 6, "deleted": true}"#)
        #expect(try titles == ["made again"])
    }

    @Test func `A deletion and other events of one body are ordered by their versions`() async throws {
        try await push(#"{"id": 1, "revision": 5, "title": "five"}"#)
        try await push(#"[{"id": 1, "revision": 8, "deleted": true}, {"id": 1, "revision": 7, "title": "seven"}]"#)
        #expect(try titles == [])
        try await push(#"{"id": 1, "revision": 9, "title": "nine"}"#)
        try await push(#"[{"id": 1, "revision": 10, "deleted": true}, {"id": 1, "revision": 11, "title": "eleven"}]"#)
        #expect(try titles == ["eleven"])
    }

    @Test func `A deletion without a version has the object's version`() async throws {
        try await push(#"{"id": 1, "revision": 5, "title": "five"}"#)
        try await push(#"{"id": 1}"#, areDeleted: true)
        try await push(#"{"id": 1, "revision": 5, "title": "five"}"#)
        #expect(try titles == [])
        try await push(#"[{"id": 2, "revision": 3, "deleted": 1}]"#)
        try await push(#"{"id": 2, "revision": 2, "title": "two"}"#)
        #expect(try titles == [])
    }

    @Test func `A pushed deletion is known after a restart and in other contexts`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pushed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("store.sqlite").path
        let events = [#"{"id": 1, "revision": 6, "deleted": true}"#, #"{"id": 1, "revision": 5, "title": "late"}"#]
        for event in events {
            let store = try Store(.file(path), models: [PushedTask.self, PushedLabel.self])
            try await store.background { context in
                let result = try await context.import(
                    PushedTask.self, from: Data(event.utf8), ifNewer: \.revision)
                #expect(result.objects.isEmpty)
            }
            store.close()
        }
    }

    @Test func `Pending edits survive events and are sent`() async throws {
        let task = try #require(try await push(#"{"id": 1, "revision": 5, "title": "five"}"#))
        task.title = "mine"
        try await push(#"{"id": 1, "revision": 6, "title": "six"}"#)
        #expect(task.title == "mine" && task.revision == 6)
        try await context.save()
        try await push(#"{"id": 1, "revision": 7, "title": "seven"}"#)
        #expect(task.title == "mine" && task.snapshot(.server).title == "seven")
        try await push(#"{"id": 1, "revision": 8, "deleted": true}"#)
        #expect(!task.isDeleted)
        try await task.save()
        #expect(service.stub.log == [#"PATCH /tasks/1 {"title":"mine"}"#])
    }

    @Test func `An edit of the version attribute doesn't count as the server's version`() async throws {
        let task = try #require(try await push(#"{"id": 1, "revision": 5, "title": "five"}"#))
        task.revision = 100
        try await context.save()
        try await push(#"{"id": 1, "revision": 6, "title": "six"}"#)
        #expect(task.title == "six" && task.revision == 100)
    }

    @Test func `Replies to requests are imported regardless of the version`() async throws {
        try await push(#"{"id": 1, "revision": 5, "title": "five"}"#)
        _ = try await service.imported(PushedTask.self, #"{"id": 1, "revision": 4, "title": "four"}"#)
        #expect(try titles == ["four"])
    }

    @Test func `Any order of events ends with the newest`() async throws {
        var events = (1...6).map { ($0, #"{"id": 1, "revision": \#($0), "title": "\#($0)"}"#) }
        events.append((7, #"{"id": 1, "revision": 7, "deleted": true}"#))
        for seed in 0..<60 {
            var random = SeededGenerator(seed: UInt64(seed))
            let last = Int.random(in: 1...7, using: &random)
            var chosen = events.filter { $0.0 <= last }
            chosen += chosen.filter { _ in Bool.random(using: &random) }
            chosen.shuffle(using: &random)
            try await context.query(PushedTask.self).delete()
            // Each program is about an object of its own.
            for (_, json) in chosen { try await push(json.replacing(#""id": 1"#, with: #""id": \#(seed + 10)"#)) }
            #expect(try titles == (last == 7 ? [] : ["\(last)"]), "seed \(seed)")
        }
    }

    @Test func `An attribute without an order is refused as a version`() async throws {
        await #expect {
            _ = try await context.import(PushedTask.self, from: Data("{}".utf8), ifNewer: \.price)
        } throws: { error in
            guard case StoreError.unanswerable("PushedTask", let reason) = error else { return false }
            return reason.contains("price")
        }
        await #expect(throws: StoreError.self) {
            _ = try await context.import(PushedTask.self, from: Data("{}".utf8), ifNewer: \.labels)
        }
    }
}
