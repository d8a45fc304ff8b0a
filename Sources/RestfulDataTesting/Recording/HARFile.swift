import Foundation
import RestfulData

/// A name with a value, the form of header fields and parameters in HAR.
struct RecordedPair: Codable, Sendable, Hashable {
    let name: String
    let value: String
}

/// A file of requests and replies, [HAR 1.2](https://w3c.github.io/web-performance/specs/HAR/Overview.html), which
/// browsers and other tools can read. Fields beyond the needs of replay are written, and optional when a file is read.
struct HARFile: Codable, Sendable {
    struct Log: Codable, Sendable {
        var version = "1.2"
        var creator = Creator()
        var entries: [Entry]
    }

    struct Creator: Codable, Sendable {
        var name = "RestfulDataTesting"
        var version = "1"
    }

    struct Entry: Codable, Sendable {
        var startedDateTime: String?
        var time: Double?
        var request: Request
        let response: Response
        var cache: Cache?
        var timings: Timings?
    }

    struct Cache: Codable, Sendable {}

    struct Timings: Codable, Sendable {
        var send: Double? = 0
        var wait: Double? = 0
        var receive: Double? = 0
    }

    struct Request: Codable, Sendable {
        let method: String
        var url: String
        var httpVersion: String?
        var cookies: [RecordedPair]?
        let headers: [RecordedPair]
        var queryString: [RecordedPair]?
        var postData: Content?
        var headersSize: Int?
        var bodySize: Int?
    }

    struct Response: Codable, Sendable {
        let status: Int
        var statusText: String?
        var httpVersion: String?
        var cookies: [RecordedPair]?
        let headers: [RecordedPair]
        var content: Content
        var redirectURL: String?
        var headersSize: Int?
        var bodySize: Int?
    }

    struct Content: Codable, Sendable {
        var size: Int?
        var mimeType: String?
        var text: String?
        var encoding: String?

        /// The bytes of a body; nil for invalid Base64.
        var bytes: [UInt8]? {
            guard let text else { return [] }
            return encoding == "base64" ? Data(base64Encoded: text).map { [UInt8]($0) } : Array(text.utf8)
        }
    }

    var log: Log

    init(_ entries: [Entry]) { log = Log(entries: entries) }

    /// Whether ``RecordingTransport`` made the file, so that its entries are free of secrets.
    var isRedacted: Bool { log.creator.name == Creator().name }

    /// The bytes of the file: JSON with a stable order.
    var data: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Safe: encoding strings and finite numbers never fails.
        return (try? encoder.encode(self)) ?? Data()
    }
}

extension HARFile.Entry {
    /// Creates an entry in which the rules' values are redacted.
    init(_ request: APIRequest, body: [UInt8], _ response: APIResponse, at date: Date, by rules: Redaction) {
        func content(_ bytes: [UInt8], _ type: String?, in fields: HTTPFields) -> HARFile.Content {
            let redacted = rules.body(bytes, type: type, encoding: fields[.contentEncoding])
            return HARFile.Content(
                size: bytes.count, mimeType: MultipartForm.recordedType(type ?? ""), text: redacted.text,
                encoding: redacted.isBase64 ? "base64" : nil)
        }
        let url = rules.url(request.url)
        let items = URLComponents(string: url)?.queryItems ?? []
        let type = request.headerFields[.contentType] ?? request.body?.contentType
        let sent = body.isEmpty ? nil : content(body, type, in: request.headerFields)
        let posted = HARFile.Request(
            method: request.method.rawValue, url: url, httpVersion: "HTTP/1.1", cookies: [],
            headers: rules.fields(request.headerFields),
            queryString: items.map { RecordedPair(name: $0.name, value: $0.value ?? "") }, postData: sent,
            headersSize: -1, bodySize: request.body.map { $0.length ?? -1 } ?? 0)
        let fields = rules.fields(response.headerFields)
        let answered = HARFile.Response(
            status: response.status.code, statusText: response.status.reasonPhrase, httpVersion: "HTTP/1.1",
            cookies: [], headers: fields,
            content: content(response.body, response.headerFields[.contentType], in: response.headerFields),
            redirectURL: fields.first { $0.name.lowercased() == "location" }?.value ?? "", headersSize: -1,
            bodySize: response.body.count)
        self.init(
            startedDateTime: date.ISO8601Format(.init(includingFractionalSeconds: true)), time: 0, request: posted,
            response: answered, cache: HARFile.Cache(), timings: HARFile.Timings())
    }
}

extension HARFile.Entry {
    /// The entry with its request as ``RecordingTransport`` would have recorded it.
    func redacted(by rules: Redaction) -> HARFile.Entry {
        var entry = self
        if let url = URL(string: request.url) { entry.request.url = rules.url(url) }
        if let sent = request.postData, let bytes = sent.bytes {
            entry.request.postData?.text = rules.body(bytes, type: sent.mimeType, encoding: nil).text
        }
        return entry
    }
}
