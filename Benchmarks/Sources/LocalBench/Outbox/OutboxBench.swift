import Foundation
import HTTPTypes
import RestfulData

/// The cost of queueing a change, of sending queued ones, and of having many of them.
@MainActor
struct OutboxBench {
    @Model("/memos")
    final class Memo {
        var identifier: Int?
        var text = ""
        var votes = 0
    }

    /// Accepts every change at once.
    private struct Server: Transport {
        func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            APIResponse(HTTPResponse(status: .noContent), to: request)
        }
    }

    private enum Question: String, CaseIterable {
        case queue = "queue an edit of each of 1,000 objects, one by one"
        case queueBehindMany = "the same behind 100,000 entries"
        case send = "send 1,000 queued edits, 8 at a time"
        case open = "open a file with 100,000 entries"

        var other: String {
            switch self {
            case .queue: "save each by `context.save()`"
            case .queueBehindMany: "the same in an empty outbox"
            case .send: "send each by `save()`, 8 at a time"
            case .open: "the same objects, without entries"
            }
        }

        var target: Double {
            switch self {
            case .queue: 1.3
            case .queueBehindMany, .open: 1.2
            case .send: 1.25
            }
        }
    }

    private static let count = 1000
    private static let many = 100_000

    private let folder: URL
    private var times: [Question: [(here: Double, there: Double)]] = [:]

    init(folder: URL) { self.folder = folder }

    private func open(_ name: String) throws -> Store {
        try Store(
            .file(folder.appendingPathComponent("\(name).sqlite").path), models: [Memo.self],
            api: API("https://api.example.com", limits: .unlimited, transport: Server()))
    }

    private func filled(_ name: String, _ count: Int) async throws -> Store {
        let store = try open(name)
        for start in stride(from: 1, through: count, by: 10_000) {
            let memos = (start..<min(start + 10_000, count + 1)).map { #"{"id":\#($0),"text":"memo","votes":1}"# }
            _ = try await store.main.importReporting(Memo.self, from: Data("[\(memos.joined(separator: ","))]".utf8))
        }
        return store
    }

    mutating func measure(rounds: Int) async throws -> String {
        let (few, crowded) = (try await filled("few", Self.count), try await filled("crowded", Self.many))
        _ = try await filled("plain", Self.many)
        try await queue(Array(try crowded.main.query(Memo.self).fetch()))
        for round in 0...rounds {
            let memos = Array(try few.main.query(Memo.self).order(by: { $0.identifier }).fetch())
            let queued = try await time { try await queue(memos) }
            let sent = await time { await few.outbox.drain() }
            guard few.main.outboxCount == 0 else { throw Failure(description: "\(few.main.outboxCount) are left") }
            let saved = try await time {
                for memo in memos {
                    memo.votes += 1
                    try await few.main.save()
                }
            }
            let direct = try await time { try await send(memos) }
            let behind = try await time {
                try await queue(Array(try crowded.main.query(Memo.self).limit(Self.count).fetch()))
            }
            let opened = try await time { try touch(try open("crowded")) }
            let plain = try await time { try touch(try open("plain")) }
            guard round > 0 else { continue }
            times[.queue, default: []].append((queued, saved))
            times[.queueBehindMany, default: []].append((behind, queued))
            times[.send, default: []].append((sent, direct))
            times[.open, default: []].append((opened, plain))
        }
        return markdown
    }

    private func queue(_ memos: [Memo]) async throws {
        for memo in memos {
            memo.votes += 1
            try await memo.save(.queued)
        }
    }

    private func send(_ memos: [Memo]) async throws {
        var next = 0
        let tasks = (0..<8).map { _ in
            Task { @MainActor in
                while next < memos.count {
                    next += 1
                    try await memos[next - 1].save()
                }
            }
        }
        for task in tasks { try await task.value }
    }

    private func touch(_ store: Store) throws { _ = try store.main.find(Memo.self, 1) }

    /// Milliseconds of processor time.
    private func time(_ body: () async throws -> Void) async rethrows -> Double {
        let begin = Program.processorTime
        try await body()
        return (Program.processorTime - begin) / .milliseconds(1)
    }

    private var markdown: String {
        var lines = ["| the outbox, processor time in ms | here | beside | there | ratio | at most |"]
        lines.append("| --- | ---: | --- | ---: | ---: | ---: |")
        for question in Question.allCases {
            let pairs = times[question] ?? []
            let ratio = median(pairs.map { $0.here / $0.there })
            let (here, there) = (median(pairs.map(\.here)), median(pairs.map(\.there)))
            lines.append(
                "| \(question.rawValue) | \(text(here)) | \(question.other) | \(text(there)) | \(text(ratio))× "
                    + "| \(text(question.target))× |")
        }
        return lines.joined(separator: "\n")
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func text(_ value: Double) -> String { String(format: "%.2f", value) }
}
