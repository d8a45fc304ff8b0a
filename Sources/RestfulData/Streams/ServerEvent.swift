public import Foundation

/// One event of a stream that a server sends (``API/stream(_:_:query:after:options:with:)``).
///
/// ```swift
/// for try await event in api.stream("/events") where event.type == "issue" {
///     try await context.import(Issue.self, from: event, ifNewer: \.updatedAt)
/// }
/// ```
///
/// Its bytes are what every `from:` of an import takes.
public struct ServerEvent: Sendable, Hashable {
    /// The ID of the event, or of the last one before it that had one: the point after which a stream can be taken up
    /// again. Empty where the server has sent none, and in JSON lines.
    public let id: String
    /// The name that the server gave the event: `message` where it gave none, and in JSON lines.
    public let type: String
    /// The data, as it came: several `data` lines with a line feed between them, or one JSON text.
    public let bytes: [UInt8]

    /// Makes an event, as a test needs it.
    ///
    /// - Parameters:
    ///   - bytes: The data.
    ///   - type: The name of the event.
    ///   - id: The ID.
    public init(_ bytes: [UInt8], type: String = Self.standardType, id: String = "") {
        (self.bytes, self.type, self.id) = (bytes, type, id)
    }

    /// The type of events without one: `message`.
    public static let standardType = "message"

    /// The data as text. Bytes that are not UTF-8 read U+FFFD.
    public var data: String { String(decoding: bytes, as: UTF8.self) }
}

extension ServerEvent: ContiguousBytes {
    /// Calls a function with the bytes of the data, which stay where they are until it returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // The array's bytes stay for as long as the closure runs.
        try unsafe bytes.withUnsafeBytes(body)
    }
}

extension ServerEvent: CustomStringConvertible, CustomReflectable {
    /// The type, the ID and the length; never the data, as it may be private.
    public var description: String {
        "\(type)\(id.isEmpty ? "" : " \(id)") with \(bytes.count) bytes"
    }

    /// The description, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
