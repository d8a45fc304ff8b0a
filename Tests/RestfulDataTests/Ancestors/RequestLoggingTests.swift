import Logging
import RestfulData
import RestfulDataTesting
import Synchronization
import Testing

@Model("/loud", log: .notice)
private final class Loud {
    var identifier: Int?
}

@Model("/quiet")
private final class Quiet {
    var identifier: Int?
}

/// Requests in the log.
@MainActor @Suite struct RequestLoggingTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])

        struct Handler: LogHandler {
            let lines: Lines
            var metadata: Logger.Metadata = [:]
            var logLevel = Logger.Level.trace
            subscript(metadataKey key: String) -> Logger.Metadata.Value? {
                get { metadata[key] }
                set { metadata[key] = newValue }
            }

            func log(event: LogEvent) {
                lines.all.withLock {
                    $0.append("\(event.level) \(event.message)".replacing(#/ in \d+ ms| after \d+ ms/#, with: ""))
                }
            }
        }

        var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }
    }

    private static func lines(log: RequestLogLevel?, status: Int = 200) async throws -> [String] {
        let lines = Lines()
        let stub = StubTransport { _ in .json("[]", status: status) }
        var api = API("https://api.example.com", log: log, transport: stub)
        api.makeLogger = { lines.logger }
        let store = try Store(.temporary, models: [Loud.self, Quiet.self], api: api)
        _ = try? await Loud.fetchAll(query: ["token": "s3cr3t"], in: store.main)
        _ = try? await Quiet.fetchAll(in: store.main)
        return lines.all.withLock { $0 }
    }

    @Test func `Logging can be switched on for one model`() async throws {
        #expect(
            try await Self.lines(log: nil) == [
                "notice GET https://api.example.com/loud?token=REDACTED → 200, 2 bytes"
            ])
    }

    @Test func `Logging uses the API's level, or the model's own`() async throws {
        #expect(
            try await Self.lines(log: .debug) == [
                "notice GET https://api.example.com/loud?token=REDACTED → 200, 2 bytes",
                "debug GET https://api.example.com/quiet → 200, 2 bytes",
            ])
    }
}
