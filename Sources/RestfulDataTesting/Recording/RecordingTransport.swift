public import Foundation
public import RestfulData
import Synchronization

/// A transport that sends by another one and keeps what is said, for ``ReplayTransport``.
///
/// ```swift
/// let recorder = RecordingTransport(HTTPTransport.standard)
/// let api = API("https://api.github.com", conventions: .github, transport: recorder) { BearerToken(token) }
/// …
/// try recorder.write(to: URL(filePath: "Recordings/issues.har"))
/// ```
///
/// The file is [HAR 1.2](https://w3c.github.io/web-performance/specs/HAR/Overview.html), which the developer tools of
/// browsers open, with bodies as text. Secrets are left out by ``Redaction``; read it before you share it. A request
/// without a reply is not in it.
public final class RecordingTransport: Transport {
    private let transport: any Transport
    private let rules: Redaction
    private let now: @Sendable () -> Date
    private let entries = Mutex<[HARFile.Entry]>([])

    /// - Parameters:
    ///   - transport: what sends.
    ///   - rules: what is left out.
    ///   - now: the date that entries have.
    public init(
        _ transport: any Transport, redacting rules: Redaction = .standard,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.transport, self.rules, self.now) = (transport, rules, now)
    }

    /// What was recorded so far, in the order of the replies.
    public var har: Data { HARFile(entries.withLock { $0 }).data }

    /// Writes what was recorded to a file, in place of what is there, and makes the folders that it is in.
    ///
    /// - Throws: an error of the file system.
    public func write(to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try har.write(to: file, options: .atomic)
    }

    /// Sends the request and keeps it with its reply.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let date = now()
        var body: [UInt8] = []
        if let sent = request.body, sent.canBeSentAgain {
            // A stream that can't be read twice is recorded without its bytes.
            body = sent.bytes ?? []
        }
        let response = try await transport.send(request)
        let entry = HARFile.Entry(request, body: body, response, at: date, by: rules)
        entries.withLock { $0.append(entry) }
        return response
    }
}

/// A transport that answers from a recording: each reply once, to the request that had it.
///
/// A request is the same if its method, its path and query, and its body are, after the same ``Redaction``; the host
/// doesn't count. Requests may come in another order than in the recording. Equal ones get their replies in its order.
///
/// A request that isn't in the recording fails with ``TransportError/Reason/other(_:)``, which names it, the nearest
/// one, and how to record it.
public final class ReplayTransport: Transport {
    /// Why a recording can't be read.
    public enum RecordingError: Error, Sendable, CustomStringConvertible {
        /// There is no such file, or it can't be read.
        case unreadable(String, String)
        /// It is no HAR.
        case malformed(String, String)

        /// What happened, where, and what to do.
        public var description: String {
            switch self {
            case .unreadable(let name, let why):
                "the recording \(name) can't be read (\(why)); make it with RecordingTransport.write(to:)"
            case .malformed(let name, let why): "the recording \(name) is no HAR 1.2 file: \(why)"
            }
        }
    }

    fileprivate struct Recorded: Sendable {
        let key: String
        let reply: StubTransport.Reply
        var isUsed = false
    }

    private let name: String
    private let rules: Redaction
    private let entries: Mutex<[Recorded]>

    /// - Parameters:
    ///   - har: the bytes of a HAR file, of ``RecordingTransport`` or of another tool.
    ///   - name: what messages call it.
    ///   - rules: what the recording leaves out.
    /// - Throws: ``RecordingError/malformed(_:_:)``.
    public init(
        har: Data, named name: String = "recording", redacting rules: Redaction = .standard
    ) throws(RecordingError) {
        (self.name, self.rules) = (name, rules)
        let file: HARFile
        do { file = try JSONDecoder().decode(HARFile.self, from: har) } catch { throw .malformed(name, "\(error)") }
        entries = Mutex(file.log.entries.map { Recorded($0) })
    }

    /// Reads a file.
    ///
    /// - Throws: ``RecordingError``.
    public convenience init(
        contentsOf file: URL, redacting rules: Redaction = .standard
    ) throws(RecordingError) {
        let har: Data
        do { har = try Data(contentsOf: file) } catch { throw .unreadable(file.lastPathComponent, "\(error)") }
        try self.init(har: har, named: file.lastPathComponent, redacting: rules)
    }

    /// The requests of the recording that nobody has sent.
    public var unused: [String] { entries.withLock { $0.filter { !$0.isUsed }.map(\.key) } }

    /// Answers from the recording.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let key = Recorded.key(request, by: rules)
        let reply = entries.withLock { entries -> StubTransport.Reply? in
            guard let index = entries.firstIndex(where: { $0.key == key && !$0.isUsed }) else { return nil }
            entries[index].isUsed = true
            return entries[index].reply
        }
        guard let reply else { throw TransportError(.other(problem(of: key)), request) }
        return try reply.response(to: request, of: "the recording \(name)")
    }

    private func problem(of key: String) -> String {
        let all = entries.withLock { $0 }
        if all.contains(where: { $0.key == key }) {
            return "all replies of the recording \(name) to \(key) were given; record it again with one more"
        }
        let line = key.split(separator: " ").prefix(2).joined(separator: " ")
        let near = all.map(\.key).filter { $0.hasPrefix(line + " ") || $0 == line }
        let nearest = near.first ?? nearestName(to: key, among: all.map(\.key))
        return "the recording \(name) has no \(key)" + (nearest.map { "; it has \($0)" } ?? "")
            + "; record it with RecordingTransport, or with RESTFULDATA_RECORD=1 where a test has the trait `.replay`"
    }
}

extension ReplayTransport.Recorded {
    fileprivate init(_ entry: HARFile.Entry) {
        var fields: HTTPFields = [:]
        // The body is as it was decoded.
        for field in entry.response.headers
        where !["content-encoding", "content-length"].contains(field.name.lowercased()) {
            if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
        }
        reply = StubTransport.Reply(
            status: entry.response.status, headerFields: fields, body: entry.response.content.bytes ?? [])
        let url = URL(string: entry.request.url) ?? URL(filePath: "/")
        key = Self.key(entry.request.method, url, sending: entry.request.postData?.text)
    }

    /// What tells requests apart: `POST /issues {"title":"Crash"}`.
    fileprivate static func key(_ request: APIRequest, by rules: Redaction) -> String {
        let bytes = request.body?.bytes ?? []
        let text = rules.text(bytes, type: request.headerFields[.contentType]) ?? Data(bytes).base64EncodedString()
        let url = URL(string: rules.url(request.url)) ?? request.url
        return key(request.method.rawValue, url, sending: bytes.isEmpty ? nil : text)
    }

    private static func key(_ method: String, _ url: URL, sending body: String?) -> String {
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let path = url.path(percentEncoded: true)
        // JSON counts by its values, so that a file that a person has formatted is the same.
        let text = body.map { body in JSONValue(Array(body.utf8)).flatMap(\.text) ?? body }
        return "\(method) \(path.isEmpty ? "/" : path)\(query)" + (text.map { " " + $0 } ?? "")
    }
}
