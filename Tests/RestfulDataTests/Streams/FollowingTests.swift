import Foundation
import Logging
import RESTTransport
import RestfulData
import RestfulDataTesting
import Synchronization
import TestSupport
import Testing

@Model("/notes")
final class FollowedNote {
    var identifier: Int?
    var text = ""
    var revision: Int?
}

@Model("/tags")
final class FollowedTag {
    var identifier: Int?
    var name = ""
    var revision: Int?
}

/// Streams of events that feed a store.
@MainActor @Suite(.timeLimit(.minutes(10))) struct FollowingTests {
    private let log = Box<[String]>([])

    private func context(
        _ transport: any Transport, reports: ReplyReports = .silent
    ) throws -> (API, Store) {
        var api = API("https://api.example.com", reports: reports, limits: .unlimited, transport: transport)
        api.time = NotedWaits().source
        api.makeLogger = { [log] in Logger(label: "test") { _ in StreamLog(log) } }
        return (api, try Store(.temporary, models: [FollowedNote.self, FollowedTag.self], api: api))
    }

    private func texts(_ store: Store) throws -> [String] {
        try store.main.query(FollowedNote.self).order { $0.identifier }.fetch().map(\.text)
    }

    private static func event(_ json: String, type: String? = nil) -> String {
        (type.map { "event: \($0)\n" } ?? "") + "data: \(json)\n\n"
    }

    @Test func `An event is imported as a pushed object`() async throws {
        let transport = ScriptedStream(
            .pieces([
                Self.event(#"{"id": 1, "text": "new", "revision": 2}"#),
                Self.event(#"{"id": 1, "text": "old", "revision": 1}"#),
            ]))
        let (api, store) = try context(transport)
        for try await event in api.stream("/events") {
            try await store.main.import(FollowedNote.self, from: event, ifNewer: \.revision)
        }
        #expect(try texts(store) == ["new"])
    }

    @Test func `Repeated, late and reordered events lead to the newest state`()
        async throws
    {
        let (add, change) = (#"{"id": 1, "text": "a", "revision": 1}"#, #"{"id": 1, "text": "b", "revision": 2}"#)
        let other = #"{"id": 2, "text": "c", "revision": 7}"#
        let transport = ScriptedStream(
            .pieces([Self.event(change), Self.event(add), Self.event(other)], .broken()),
            .pieces([
                Self.event(other), Self.event(#"{"id": 2, "revision": 8}"#, type: "deleted"), Self.event(other),
                Self.event(change), Self.event(#"{"id": 1, "name": "tag", "revision": 1}"#, type: "tag"),
                Self.event("{}", type: "ping"),
            ]))
        let (api, store) = try context(transport)
        try await store.main.follow(
            api.stream("/events"), .imports(FollowedNote.self, on: "message", ifNewer: \.revision),
            .deletes(FollowedNote.self, on: "deleted", ifNewer: \.revision),
            .imports(FollowedTag.self, on: "tag", "label", ifNewer: \.revision))
        #expect(try texts(store) == ["b"])
        #expect(try store.main.query(FollowedTag.self).fetch().map(\.name) == ["tag"])
        #expect(log.value.contains { $0.hasPrefix("debug") && $0.contains("no import takes the event ping") })
    }

    @Test func `Pending edits survive events, and an import without types takes the other events`() async throws {
        let transport = ScriptedStream(
            .pieces([
                Self.event(#"{"note": {"id": 1, "text": "server's", "revision": 2}}"#, type: "whatever"),
                Self.event(#"{"id": 1, "name": "tag", "revision": 1}"#, type: "tag"),
            ]))
        let (api, store) = try context(transport)
        let note = try await store.imported(FollowedNote.self, #"{"id": 1, "text": "old", "revision": 1}"#)
        note.text = "mine"
        try await store.main.follow(
            api.stream("/events"), .imports(FollowedNote.self, at: "note", ifNewer: \.revision),
            .imports(FollowedTag.self, on: "tag", ifNewer: \.revision))
        #expect(note.text == "mine" && note.revision == 2 && note.hasChanges)
        #expect(try store.main.query(FollowedTag.self).fetch().count == 1)
    }

    @Test func `An event that can't be imported is logged without values, and others are imported`() async throws {
        let transport = ScriptedStream(
            .pieces([
                Self.event("{s3cr3t"), Self.event(#"{"id": 1, "text": "a", "revision": 1}"#), Self.event(""),
                Self.event(#"{"id": 2, "text": "b", "revision": 1}"#),
            ]))
        let (api, store) = try context(transport)
        try await store.main.follow(api.stream("/events"), .imports(FollowedNote.self, ifNewer: \.revision))
        #expect(try texts(store) == ["a", "b"])
        let warnings = log.value.filter { $0.hasPrefix("warning") }
        #expect(
            warnings.count == 2
                && warnings.allSatisfy { !$0.contains("s3cr3t") && $0.contains("could not be imported") })
    }

    @Test func `An event without the expected object is left out, and the others are imported`() async throws {
        let pieces = [
            Self.event(#"{"other": 1}"#), Self.event("[]"),
            Self.event(#"{"note": {"id": 1, "text": "a", "revision": 1}}"#),
        ]
        for reports in [ReplyReports.silent, .strict] {
            let (api, store) = try context(ScriptedStream(.pieces(pieces)), reports: reports)
            try await store.main.follow(
                api.stream("/events"), .imports(FollowedNote.self, at: "note", ifNewer: \.revision))
            #expect(try texts(store) == ["a"])
        }
        // With strict reports, each such event has failed.
        #expect(log.value.filter { $0.hasPrefix("warning") }.count == 2)
    }

    @Test func `A handler receives events that can't be imported and may end the stream`() async throws {
        let transport = ScriptedStream(
            .pieces([Self.event("nonsense"), Self.event("more"), Self.event(#"{"id": 1, "revision": 1}"#)], .open))
        let (api, store) = try context(transport)
        var failed: [String] = []
        let error = await failure {
            try await store.main.follow(
                api.stream("/events"), .imports(FollowedNote.self, ifNewer: \.revision)
            ) { event, error throws(APIError) in
                failed.append(event.data)
                if failed.count == 2 { throw error }
            }
        }
        guard case .store(.json) = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(failed == ["nonsense", "more"])
        await until { transport.closed == 1 }
        #expect(try texts(store) == [])
    }

    @Test func `Rejected values of an event are reported, and are errors of a strict API`() async throws {
        let event = Self.event(#"{"id": 1, "text": ["a"], "revision": 1}"#)
        let heard = Box<[Int]>([])
        let reports = ReplyReports.silent.telling { report, _ in heard.value.append(report.mismatchedCount) }
        let (api, store) = try context(ScriptedStream(.pieces([event])), reports: reports)
        try await store.main.follow(api.stream("/events"), .imports(FollowedNote.self, ifNewer: \.revision))
        #expect(heard.value == [1])
        let (strict, other) = try context(ScriptedStream(.pieces([event])), reports: .strict)
        let failures = Box(0)
        try await other.main.follow(strict.stream("/events"), .imports(FollowedNote.self, ifNewer: \.revision)) {
            _, error in
            if case .leftOut = error { failures.value += 1 }
        }
        #expect(failures.value == 1)
    }

    @Test func `A failed follow that collects reports tells those of its newest thousand events`() async throws {
        let events = (1...1001).map { Self.event(#"{"id": \#($0), "text": ["a"], "revision": 1}"#) }
        let transport = ScriptedStream { number, _ in number == 0 ? .pieces([events.joined()]) : .reply(400) }
        let heard = Box(0)
        let reports = ReplyReports.silent.telling { _, _ in heard.value += 1 }
        let (api, store) = try context(transport, reports: reports)
        let error = await failure {
            _ = try await API.reporting { () async throws(APIError) in
                try await store.main.follow(api.stream("/events"), .imports(FollowedNote.self, ifNewer: \.revision))
            }
        }
        #expect(error?.reply?.status == 400 && heard.value == 1000)
    }

    @Test func `Closing the store ends the stream before the event that wasn't imported`() async throws {
        let second = #"{"id": 2, "text": "b", "revision": 1}"#
        let transport = ScriptedStream(
            .pieces(
                ["id: 1\n" + Self.event(#"{"id": 1, "text": "a", "revision": 1}"#), "id: 2\n" + Self.event(second)],
                .open))
        let (api, store) = try context(transport)
        let stream = api.stream("/events")
        var events = stream.makeAsyncIterator()
        let first = try #require(try await events.next())
        try await store.main.import(FollowedNote.self, from: first, ifNewer: \.revision)
        let next = try #require(try await events.next())
        #expect(next.id == "2" && stream.lastEventID == "1")
        store.close()
        do throws(StoreError) {
            try await store.main.import(FollowedNote.self, from: next, ifNewer: \.revision)
            Testing.Issue.record("a closed store has taken an event")
        } catch {
            guard case .closedStore = error else { throw error }
        }
        let (again, _) = try context(ScriptedStream(.pieces([Self.event(second)], .open)))
        guard
            case .store(.closedStore) = await failure({
                try await store.main.follow(again.stream("/events"), .imports(FollowedNote.self, ifNewer: \.revision))
            })
        else {
            Testing.Issue.record("a closed store has taken an event")
            return
        }
        #expect(stream.lastEventID == "1")
    }

    @Test(arguments: [true, false])
    func `Closing the store ends a stream that waits`(isConnected: Bool) async throws {
        let event = Self.event(#"{"id": 1, "text": "a", "revision": 1}"#)
        let transport = ScriptedStream(.pieces([event], isConnected ? .open : .end))
        let (made, store) = try context(transport)
        var api = made
        let (waits, waiting) = AsyncStream.makeStream(of: Void.self)
        api.time = TimeSource(
            elapsed: { .zero }, localTime: { 1_000_000 },
            sleep: { _ in
                waiting.yield()
                await untilCancelled()
                throw CancellationError()
            }, fraction: { 0.5 })
        let following = Task { [api, main = store.main] in
            await failure {
                try await main.follow(api.stream("/events"), .imports(FollowedNote.self, ifNewer: \.revision))
            }
        }
        if isConnected {
            try await until { try texts(store) == ["a"] }
        } else {
            for await _ in waits { break }
        }
        store.close()
        guard case .store(.closedStore(unsaved: [])) = await following.value else {
            Testing.Issue.record("\(String(describing: await following.value))")
            return
        }
        #expect(transport.requests.count == 1)
        await until { transport.closed == (isConnected ? 1 : 0) }
    }
}
