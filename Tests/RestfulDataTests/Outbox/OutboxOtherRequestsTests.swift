import RestfulData
import TestSupport
import Testing

/// Code that runs while an entry is sent, such as middleware, can make requests about other objects.
@MainActor @Suite struct OutboxOtherRequestsTests {
    typealias Issue = Tracker.Issue
    typealias Label = Tracker.Label

    @Model("/notes") final class Memo {
        var identifier: Int?
        var title = ""
    }

    @Test func `Creating another object during a queued deletion's request leaves the deletion in the outbox`()
        async throws
    {
        let program = try Program()
        let server = program.server
        let issue = try await program.imported(Issue.self, #"{"id": 1, "title": "old"}"#)
        let label = Label(in: program.main)
        label.name = "bug"
        try await issue.delete(.queued)
        server.fail("/issues/1", .status(422))
        server.whenArriving { @MainActor [server] _ in
            server.whenArriving(nil)
            try? await label.create()
        }
        let report = await program.outbox.drain()
        #expect(server.log == ["DELETE /issues/1", #"POST /labels {"name":"bug"}"#])
        #expect(label.identifier == 101)
        #expect((report.sent, report.waiting, report.rejected) == (0, 0, 1))
    }

    @Test func `Creating another object in a conflict policy's closure leaves the entry in the outbox`() async throws {
        let server = try VersionedServer()
        let current = Box<Store?>(nil)
        var conventions = APIConventions.default
        conventions.conditionalWrites = .entityTags
        conventions.conflicts = .decide { @MainActor _ in
            if let context = current.value?.main {
                let other = Memo(in: context)
                other.title = "other"
                try? await other.create()
            }
            return .ask
        }
        let store = try Store(
            .temporary, models: [Memo.self],
            api: API("https://api.example.com", conventions: conventions, transport: server))
        current.value = store
        try server.put(1, ["title": "old"])
        let memo = try await Memo.fetch(key: 1, in: store.main)
        try await memo.delete(.queued)
        try server.put(1, ["title": "theirs"])
        let report = await store.outbox.drain()
        #expect(server.log.contains { $0.hasPrefix("POST /notes") })
        #expect((report.sent, report.waiting, report.rejected) == (0, 0, 1))
    }
}
