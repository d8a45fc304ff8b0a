public import Foundation

/// One event of a stream (``API/stream(_:_:query:after:options:with:)``).
///
/// You can pass an event as `from:` of every import.
public struct ServerEvent: Sendable, Hashable {
    /// The ID of the event, or of the last one before it with an ID; empty if there is none, and in JSON lines.
    public let id: String
    /// The event's name; `message` by default, and in JSON lines.
    public let type: String
    /// The data as the server sent it: one JSON text, or several `data` lines joined by line feeds.
    public let bytes: [UInt8]

    /// Creates an event, for example in a test.
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
    /// The type and the ID, both shortened, and the length, without the data.
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

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
