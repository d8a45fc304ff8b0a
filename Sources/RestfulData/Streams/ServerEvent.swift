public import Foundation

/// One event of a stream that a server sends (``API/stream(_:_:query:after:options:with:)``).
///
/// ```swift
/// for try await event in api.stream("/events") where event.type == "issue" {
///     try await context.import(Issue.self, from: event, ifNewer: \.updatedAt)
/// }
/// ```
///
/// You can pass an event as `from:` of every import.
public struct ServerEvent: Sendable, Hashable {
    /// The ID of the event, or of the last event before it with an ID. A stream can continue after this ID. Empty if
    /// the server has sent none, and in JSON lines.
    public let id: String
    /// The name that the server gave the event: `message` by default, and in JSON lines.
    public let type: String
    /// The data as the server sent it: one JSON text, or several `data` lines joined by line feeds.
    public let bytes: [UInt8]

    /// Creates an event, for example in a test.
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

    /// The data as text. Invalid UTF-8 is replaced by U+FFFD.
    public var data: String { String(decoding: bytes, as: UTF8.self) }
}

extension ServerEvent: ContiguousBytes {
    /// Calls a function with the bytes of the data. The pointer is valid until the function returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        // Safe: the array keeps its bytes alive and in place while the closure runs.
        try unsafe bytes.withUnsafeBytes(body)
    }
}

extension ServerEvent: CustomStringConvertible, CustomReflectable {
    /// The type and the ID, both shortened, and the length. The data is left out because it may be private.
    public var description: String {
        "\(Self.shortened(type))\(id.isEmpty ? "" : " \(Self.shortened(id))") with \(bytes.count) bytes"
    }

    /// Cuts by scalars, because one character can have any number of them.
    private static func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let end = scalars.index(scalars.startIndex, offsetBy: 100, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return "\(text[..<end])…"
    }

    /// The description, for `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
