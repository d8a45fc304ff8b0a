#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A field or file of a form (``RequestBody/multipart(_:boundary:)``).
public struct MultipartPart: Sendable, Hashable {
    let name: String
    let filename: String?
    let contentType: String?
    let content: BodySegment

    /// A field with a text, sent as UTF-8.
    public static func field(_ name: String, _ value: String) -> MultipartPart {
        MultipartPart(name: name, filename: nil, contentType: nil, content: .bytes([UInt8](value.utf8)))
    }

    /// Data that is sent as a file.
    ///
    /// - Parameter type: The media type; nil selects it by the extension of `filename`.
    public static func data(_ name: String, _ data: Data, filename: String, type: String? = nil) -> MultipartPart {
        MultipartPart(
            name: name, filename: filename, contentType: type ?? typeOfFile(named: filename),
            content: .bytes([UInt8](data)))
    }

    /// A file, which is read while the form is sent.
    ///
    /// - Parameters:
    ///   - url: A file URL.
    ///   - filename: The name for the server; nil for its own.
    ///   - type: The media type; nil selects it by the extension of the file's name.
    public static func file(
        _ name: String = "file", _ url: URL, filename: String? = nil, type: String? = nil
    ) -> MultipartPart {
        let filename = filename ?? url.lastPathComponent
        return MultipartPart(
            name: name, filename: filename, contentType: type ?? typeOfFile(named: filename), content: .file(url))
    }

    private static func typeOfFile(named name: String) -> String {
        MediaTypeOfFile.named(name.split(separator: ".").dropFirst().last.map(String.init) ?? "")
    }

    /// The part's header fields, including the empty line after them.
    fileprivate var head: String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let filename { head += "; filename=\"\(Self.escaped(filename))\"" }
        head += "\r\n"
        if let contentType { head += "Content-Type: \(contentType.filter { !$0.isControl })\r\n" }
        return head + "\r\n"
    }

    /// Escapes a quoted name as browsers do
    /// (https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data).
    /// Other control characters are escaped too, because a server might end the name there.
    ///
    /// Byte by byte, as servers read: a quotation mark with a combining accent is one `Character`.
    private static func escaped(_ name: String) -> String {
        let bytes = name.utf8.flatMap { byte -> [UInt8] in
            guard byte == UInt8(ascii: "\"") || byte < 0x20 || byte == 0x7F else { return [byte] }
            return Array(percentEncoded(byte).utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func percentEncoded(_ byte: UInt8) -> String {
        (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
}

extension Character {
    /// Whether it has an ASCII control character, such as a line break.
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } }
}

struct Multipart: Sendable, Hashable {
    let parts: [MultipartPart]
    let boundary: String

    init(_ parts: [MultipartPart], boundary: String?) {
        self.parts = parts
        self.boundary = boundary.flatMap { Self.isBoundary($0) ? $0 : nil } ?? Self.randomBoundary()
    }

    /// Whether it can be a boundary without quotes ([RFC 2046
    /// §5.1.1](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1)).
    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "'+_-.".utf8.contains($0) }
    }

    /// About 150 random bits, which content doesn't have by chance.
    private static func randomBoundary() -> String {
        let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return "form-" + String((0..<29).map { _ in letters[Int.random(in: 0..<letters.count)] })
    }

    var segments: [BodySegment] {
        var segments: [BodySegment] = []
        for part in parts {
            segments.append(.bytes([UInt8]("--\(boundary)\r\n\(part.head)".utf8)))
            segments.append(part.content)
            segments.append(.bytes([UInt8]("\r\n".utf8)))
        }
        segments.append(.bytes([UInt8]("--\(boundary)--\r\n".utf8)))
        return segments
    }

    var isInMemory: Bool { parts.allSatisfy { if case .bytes = $0.content { true } else { false } } }

    /// Nil if a part is a file.
    var bytesInMemory: [UInt8]? {
        var all: [UInt8] = []
        for segment in segments {
            guard case .bytes(let bytes) = segment else { return nil }
            all += bytes
        }
        return all
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
