#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The body of a request: bytes in memory, a file, the parts of a form, or a stream.
///
/// ```swift
/// try await user.send(.put, "/users/:id/avatar", body: .data(png, type: "image/png"))
/// try await api.send(.post, "/uploads", body: .multipart([.file("photo", url), .field("title", "Sunset")]))
/// ```
///
/// Files are read in pieces of 64 KB while they are sent, and again if a request is repeated.
///
/// Bodies are equal if they have the same bytes, file or parts. A stream equals only its copies.
public struct RequestBody: Sendable, Hashable {
    enum Content: Sendable, Hashable {
        case bytes([UInt8])
        case file(URL)
        case multipart(Multipart)
        case stream(BodyStream)
    }

    let content: Content

    /// The media type, sent as `Content-Type` unless the header fields have one.
    public let contentType: String?

    /// The encoding, sent as `Content-Encoding` unless the header fields have one.
    public let contentEncoding: String?

    init(content: Content, contentType: String?, contentEncoding: String? = nil) {
        (self.content, self.contentType, self.contentEncoding) = (content, contentType, contentEncoding)
    }

    /// Bytes in memory.
    ///
    /// - Parameter type: The media type, such as `application/json`; nil for none.
    public static func bytes(_ bytes: [UInt8], type: String? = nil) -> RequestBody {
        RequestBody(content: .bytes(bytes), contentType: type)
    }

    /// Data in memory.
    public static func data(_ data: Data, type: String) -> RequestBody { .bytes([UInt8](data), type: type) }

    /// A text in UTF-8.
    public static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> RequestBody {
        .bytes([UInt8](text.utf8), type: type)
    }

    /// A file, which is read while it is sent.
    ///
    /// If it is missing or unreadable, or its length changes meanwhile, the request ends with
    /// ``TransportError/Reason/unreadableBody(_:)``.
    ///
    /// - Parameter type: The media type; nil selects it by the file's extension, or else `application/octet-stream`.
    public static func file(_ url: URL, type: String? = nil) -> RequestBody {
        RequestBody(content: .file(url), contentType: type ?? MediaTypeOfFile.named(url.pathExtension))
    }

    /// A form with files: `multipart/form-data` ([RFC 7578](https://www.rfc-editor.org/rfc/rfc7578)).
    ///
    /// - Parameter boundary: The text between the parts: up to 70 letters, digits and `'+_-.`, which must not occur in
    ///   a part; else a random one.
    public static func multipart(_ parts: [MultipartPart], boundary: String? = nil) -> RequestBody {
        let form = Multipart(parts, boundary: boundary)
        return RequestBody(
            content: .multipart(form), contentType: "multipart/form-data; boundary=\(form.boundary)")
    }

    /// A stream of bytes that your program produces while they are sent.
    ///
    /// ```swift
    /// let body = RequestBody.stream(type: "text/csv") {
    ///     AsyncStream { continuation in
    ///         for row in rows { continuation.yield([UInt8](row.csv.utf8)) }
    ///         continuation.finish()
    ///     }
    /// }
    /// ```
    ///
    /// An error of the stream ends the request with ``TransportError/Reason/unreadableBody(_:)``, with the error's
    /// type.
    ///
    /// - Parameters:
    ///   - length: The number of bytes, sent as `Content-Length`. Nil sends chunks, which some servers reject. Any
    ///     other length is a ``TransportError/Reason/unreadableBody(_:)``.
    ///   - isRepeatable: Whether `chunks` can be called again; if false, the request ends with its first reply or
    ///     error.
    ///   - chunks: Makes the stream, in pieces of any size, each time the request is sent.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        type: String = "application/octet-stream", length: Int? = nil, isRepeatable: Bool = true,
        _ chunks: @escaping @Sendable () throws -> Chunks
    ) -> RequestBody where Chunks.Element == [UInt8] {
        let stream = BodyStream(length: length, isRepeatable: isRepeatable) { ErasedChunks(base: try chunks()) }
        return RequestBody(content: .stream(stream), contentType: type)
    }

    /// The bytes of a body in memory; nil for files, forms with files and streams.
    public var bytes: [UInt8]? {
        switch content {
        case .bytes(let bytes): bytes
        case .multipart(let form): form.bytesInMemory
        case .file, .stream: nil
        }
    }

    /// The number of bytes; nil for a stream of unknown length, and for unreadable files.
    public var length: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
        case .file(let url): try? BodySegment.file(url).length()
        case .multipart(let form): try? form.segments.reduce(0) { try $0 + $1.length() }
        case .stream(let stream): stream.length
        }
    }

    /// Whether the body can be sent again; false for a stream that can be read only once and was sent.
    public var canBeSentAgain: Bool { if case .stream(let stream) = content { stream.canOpen } else { true } }

    package var isInMemory: Bool {
        switch content {
        case .bytes: true
        case .multipart(let form): form.isInMemory
        case .file, .stream: false
        }
    }

    /// Reads the whole body into memory, for stubs and tests.
    ///
    /// - Throws: An error of the file or stream.
    public func readAll() async throws -> [UInt8] {
        if let bytes { return bytes }
        var all: [UInt8] = []
        for try await chunk in try chunks() { all.append(contentsOf: chunk) }
        return all
    }
}

extension RequestBody: CustomStringConvertible, CustomReflectable {
    /// The body's kind and length, without the content.
    public var description: String {
        let kind =
            switch content {
            case .bytes: "bytes"
            case .file: "file"
            case .multipart(let form): "form of \(form.parts.count) parts"
            case .stream: "stream"
            }
        return "\(kind), \(length.map { "\($0) bytes" } ?? "of unknown length")"
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// Media types as registered with IANA, for common extensions.
enum MediaTypeOfFile {
    /// - Parameter pathExtension: After the dot, in any case.
    static func named(_ pathExtension: String) -> String {
        types[pathExtension.lowercased()] ?? "application/octet-stream"
    }

    private static let types = [
        "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv", "gif": "image/gif",
        "gz": "application/gzip", "heic": "image/heic", "htm": "text/html", "html": "text/html",
        "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json",
        "m4a": "audio/mp4", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff",
        "tiff": "image/tiff", "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp",
        "xml": "application/xml", "zip": "application/zip",
    ]
}
