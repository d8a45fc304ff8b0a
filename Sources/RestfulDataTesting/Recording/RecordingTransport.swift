public import Foundation
public import RestfulData
import Synchronization

/// A transport that records requests and replies of another one for ``ReplayTransport``.
///
/// ```swift
/// let recorder = RecordingTransport(HTTPTransport.standard)
/// let api = API("https://api.github.com", conventions: .github, transport: recorder) { BearerToken(token) }
/// …
/// try recorder.write(to: URL(filePath: "Recordings/issues.har"))
/// ```
///
/// The format is [HAR 1.2](https://w3c.github.io/web-performance/specs/HAR/Overview.html), with bodies as text.
/// ``Redaction`` removes secrets, but read the file before you share it. Failed requests, and the bytes of a request's
/// file or stream, are left out. A downloaded file is recorded, and a reply in pieces as far as it was read.
public final class RecordingTransport: Transport {
    private let transport: any Transport
    private let rules: Redaction
    private let now: @Sendable () -> Date
    private let exchanges = Mutex<[Exchange]>([])

    private struct Exchange {
        let request: APIRequest
        let sentBody: [UInt8]
        var response: APIResponse
        let date: Date
    }

    /// Creates a recording transport.
    ///
    /// - Parameter now: Returns the date of an entry.
    public init(
        _ transport: any Transport, redacting rules: Redaction = .standard,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.transport, self.rules, self.now) = (transport, rules, now)
    }

    /// The recording so far, as a HAR file in the order of the replies.
    public var har: Data {
        let exchanges = exchanges.withLock { $0 }
        let entries = exchanges.map { exchange in
            HARFile.Entry(
                exchange.request, body: exchange.sentBody, exchange.response, at: exchange.date, by: rules)
        }
        return HARFile(entries).data
    }

    /// Writes the recording to a file, replaces an existing one, and creates missing folders.
    ///
    /// - Throws: An error of the file system.
    public func write(to file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try har.write(to: file, options: .atomic)
    }

    /// Sends the request and records it with its reply.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let date = now()
        var body: [UInt8] = []
        if let sent = request.body, sent.canBeSentAgain {
            // The bytes of a file or stream are left out.
            body = sent.bytes ?? []
        }
        var response = try await transport.send(request)
        let pieces = response.pieces
        // The reader owns the pieces alone, so that the connection closes with it.
        response.pieces = nil
        var recordedResponse = response
        if let file = response.file, let data = try? Data(contentsOf: file) { recordedResponse.body = [UInt8](data) }
        let exchange = Exchange(request: request, sentBody: body, response: recordedResponse, date: date)
        let index = exchanges.withLock { exchanges in
            exchanges.append(exchange)
            return exchanges.count - 1
        }
        guard let pieces else { return response }
        // The transport's own pieces already report progress.
        var reading = request
        reading.transfer = nil
        let recorded = pieces.map { (piece: [UInt8]) -> [UInt8] in
            self.exchanges.withLock { $0[index].response.body += piece }
            return piece
        }
        response.pieces = BodyPieces(recorded, to: reading)
        return response
    }
}

/// A transport that replies from a recording. Each reply is used once, for its own request.
///
/// A request matches if its method, path, query and body are equal after the same ``Redaction``, in any order; the host
/// is ignored. Equal requests get their replies in the recorded order.
///
/// An unrecorded request fails with ``TransportError/Reason/other(_:)``, which names the nearest recorded one.
public final class ReplayTransport: Transport {
    /// The reason why a recording is unreadable.
    public enum RecordingError: Error, Sendable, CustomStringConvertible {
        /// The file is missing or unreadable.
        case unreadable(String, String)
        /// The file has another format than HAR.
        case malformed(String, String)

        /// The problem, its place, and the way to solve it.
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

    /// Creates a transport from the bytes of a recording.
    ///
    /// - Parameters:
    ///   - har: A HAR file of ``RecordingTransport`` or another tool.
    ///   - name: The name in messages.
    ///   - rules: The redaction of the recording. It is applied to a file of another tool.
    /// - Throws: ``RecordingError/malformed(_:_:)``.
    public init(
        har: Data, named name: String = "recording", redacting rules: Redaction = .standard
    ) throws(RecordingError) {
        (self.name, self.rules) = (name, rules)
        let file: HARFile
        do { file = try JSONDecoder().decode(HARFile.self, from: har) } catch { throw .malformed(name, "\(error)") }
        entries = Mutex(file.log.entries.map { Recorded(file.isRedacted ? $0 : $0.redacted(by: rules)) })
    }

    /// Creates a transport from a file.
    ///
    /// - Throws: ``RecordingError``.
    public convenience init(
        contentsOf file: URL, redacting rules: Redaction = .standard
    ) throws(RecordingError) {
        let har: Data
        do { har = try Data(contentsOf: file) } catch { throw .unreadable(file.lastPathComponent, "\(error)") }
        try self.init(har: har, named: file.lastPathComponent, redacting: rules)
    }

    /// The recorded requests that the test has left unsent.
    public var unused: [String] { entries.withLock { $0.filter { !$0.isUsed }.map(\.key) } }

    /// Replies from the recording.
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
        // The recorded body is already decoded.
        for field in entry.response.headers
        where !["content-encoding", "content-length"].contains(field.name.lowercased()) {
            if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
        }
        reply = StubTransport.Reply(
            status: entry.response.status, headerFields: fields, body: entry.response.content.bytes ?? [])
        let url = URL(string: entry.request.url) ?? URL(filePath: "/")
        key = Self.key(entry.request.method, url, sending: entry.request.postData?.text)
    }

    /// The text by which requests match: `POST /issues {"title":"Crash"}`.
    fileprivate static func key(_ request: APIRequest, by rules: Redaction) -> String {
        let bytes = request.body?.bytes ?? []
        let type = request.headerFields[.contentType] ?? request.body?.contentType
        let text = rules.body(bytes, type: type, encoding: request.headerFields[.contentEncoding]).text
        let url = URL(string: rules.url(request.url)) ?? request.url
        return key(request.method.rawValue, url, sending: bytes.isEmpty ? nil : text)
    }

    private static func key(_ method: String, _ url: URL, sending body: String?) -> String {
        let query = url.query(percentEncoded: true).map { "?" + $0 } ?? ""
        let path = url.path(percentEncoded: true)
        // Some tools write an empty text for no body.
        let sent = body.flatMap { $0.isEmpty ? nil : $0 }
        // JSON is compared by its values, so you can reformat the file.
        let text = sent.map { sent in JSONValue(Array(sent.utf8)).flatMap(\.text) ?? sent }
        return "\(method) \(path.isEmpty ? "/" : path)\(query)" + (text.map { " " + $0 } ?? "")
    }
}
