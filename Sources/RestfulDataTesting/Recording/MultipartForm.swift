/// The parts of a `multipart/form-data` body ([RFC 7578](https://www.rfc-editor.org/rfc/rfc7578)).
struct MultipartForm {
    struct Part {
        /// The header lines up to the empty line.
        let head: [UInt8]
        let name: String
        var content: [UInt8]
    }

    /// The boundary of recorded forms. A random boundary would make equal requests differ.
    static let recordedBoundary = "recorded-boundary"

    var parts: [Part] = []

    /// - Returns: nil for other bytes than such a form.
    init?(_ bytes: [UInt8], type: String) {
        guard let boundary = Self.boundary(in: type) else { return nil }
        let pieces = bytes.split(separator: Array("--\(boundary)".utf8), omittingEmptySubsequences: false)
        guard pieces.count > 1 else { return nil }
        for piece in pieces.dropFirst().dropLast() {
            guard let blank = piece.firstRange(of: Array("\r\n\r\n".utf8)), piece.starts(with: Array("\r\n".utf8)),
                piece[blank.upperBound...].suffix(2).elementsEqual(Array("\r\n".utf8))
            else { return nil }
            let head = Array(piece[..<blank.lowerBound].dropFirst(2))
            guard let name = Self.name(in: String(decoding: head, as: UTF8.self)) else { return nil }
            parts.append(Part(head: head, name: name, content: Array(piece[blank.upperBound...].dropLast(2))))
        }
    }

    /// The body with the recorded boundary.
    var bytes: [UInt8] {
        var all: [UInt8] = []
        for part in parts {
            all += "--\(Self.recordedBoundary)\r\n".utf8
            all += part.head
            all += "\r\n\r\n".utf8
            all += part.content
            all += "\r\n".utf8
        }
        all += "--\(Self.recordedBoundary)--\r\n".utf8
        return all
    }

    static func isForm(_ type: String) -> Bool { type.lowercased().hasPrefix("multipart/form-data") }

    /// The media type with the recorded boundary; other types as they are.
    static func recordedType(_ type: String) -> String {
        isForm(type) ? "multipart/form-data; boundary=\(recordedBoundary)" : type
    }

    private static func boundary(in type: String) -> String? {
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1).map { part in
                String(part).filter { $0 != " " && $0 != "\"" }
            }
            if parts.count == 2, parts[0].lowercased() == "boundary" { return parts[1] }
        }
        return nil
    }

    private static func name(in head: String) -> String? {
        head.firstMatch(of: #/[;\s][Nn][Aa][Mm][Ee]="(?<name>[^"]*)"/#).map { String($0.name) }
    }
}
