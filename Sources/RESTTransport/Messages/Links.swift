import Conventions
import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The links of a reply's `Link` header fields by relation ([RFC 8288](https://www.rfc-editor.org/rfc/rfc8288)).
///
/// Targets are absolute `http` or `https` URLs, resolved against the reply's URL, otherwise exactly as the server wrote
/// them. A link about another resource (`anchor`), or an unreadable one, is left out. Single quotes (`rel='next'`) are
/// read as double ones.
public struct Links: Sendable, Hashable {
    private var targets: [String: URL] = [:]
    /// Relations with unusable targets.
    private var unusable: Set<String> = []

    /// The next page, if there is one.
    public var next: URL? { self["next"] }
    /// The previous page, if there is one; `rel="previous"` counts as well.
    public var prev: URL? { self["prev"] ?? self["previous"] }
    /// The first page.
    public var first: URL? { self["first"] }
    /// The last page.
    public var last: URL? { self["last"] }

    /// The first target of a relation, ignoring case.
    public subscript(relation: String) -> URL? { targets[relation.lowercased()] }

    /// Whether there is a link, even with an unusable target, ignoring case.
    package func has(_ relation: String) -> Bool {
        self[relation] != nil || unusable.contains(relation.lowercased())
    }

    /// Reads a `Link` field, or several joined by commas.
    ///
    /// - Parameters:
    ///   - field: For example `<https://api.github.com/user/repos?page=2>; rel="next"`.
    ///   - base: The URL that relative targets are resolved against.
    public init(_ field: String, relativeTo base: URL) {
        var reader = LinkFieldReader(field)
        while let link = reader.next() {
            guard link.parameters["anchor"] == nil, let relations = link.parameters["rel"] else { continue }
            let target = URL(string: link.target, relativeTo: base)?.absoluteURL
            for relation in relations.withoutSingleQuotes.split(separator: " ") {
                let relation = relation.lowercased()
                if let target, Origin(target) != nil {
                    if targets[relation] == nil { targets[relation] = target }
                } else {
                    unusable.insert(relation)
                }
            }
        }
    }
}

extension Links: CustomStringConvertible, CustomReflectable {
    /// Each relation with its URL, with secrets replaced.
    public var description: String {
        let shown = targets.sorted { $0.key < $1.key }
            .map { "\($0.key): \(RedactedURL.text(ofRequest: $0.value.absoluteString))" }
        return "Links(\(shown.joined(separator: ", ")))"
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension String {
    fileprivate var withoutSingleQuotes: Substring {
        count > 1 && hasPrefix("'") && hasSuffix("'") ? dropFirst().dropLast() : self[...]
    }
}

extension APIResponse {
    /// The reply's links by relation.
    public var links: Links { Links(headerFields[.link] ?? "", relativeTo: url) }
}

extension HTTPField.Name {
    // Unreachable: this is a valid token.
    fileprivate static let link = Self("Link") ?? .location
}

/// Reads links in linear time, leniently by [RFC 8288, appendix B](https://www.rfc-editor.org/rfc/rfc8288#appendix-B).
/// It stops if a target's `<` is missing.
private struct LinkFieldReader: FieldReader {
    /// The target between `<` and `>`, and the first value of each parameter.
    struct Link {
        var target: String
        var parameters: [String: String] = [:]
    }

    let bytes: [UInt8]
    var position = 0

    init(_ field: String) { bytes = Array(field.utf8) }

    mutating func next() -> Link? {
        skip { $0 == .comma || $0.isFieldBlank }
        guard take(.less) else { return nil }
        var link = Link(target: text { $0 != .greater }.trimmingSpaces)
        guard take(.greater) else { return nil }
        skip { $0.isFieldBlank }
        while take(.semicolon) {
            readParameter(into: &link)
            skip { $0.isFieldBlank }
        }
        skip { $0 != .comma }
        return link
    }

    private mutating func readParameter(into link: inout Link) {
        skip { $0.isFieldBlank }
        let name = text { $0 != .equals && $0 != .semicolon && $0 != .comma && !$0.isFieldBlank }.lowercased()
        skip { $0.isFieldBlank }
        var value = ""
        if take(.equals) {
            skip { $0.isFieldBlank }
            value = take(.quote) ? quoted() : text { $0 != .semicolon && $0 != .comma }.trimmingSpaces
        }
        if !name.isEmpty, link.parameters[name] == nil { link.parameters[name] = value }
    }

    private mutating func quoted() -> String {
        var value: [UInt8] = []
        while position < bytes.count, !take(.quote) {
            if take(.backslash), position == bytes.count { break }
            value.append(bytes[position])
            position += 1
        }
        return String(decoding: value, as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let semicolon = UInt8(ascii: ";")
    fileprivate static let equals = UInt8(ascii: "=")
    fileprivate static let less = UInt8(ascii: "<")
    fileprivate static let greater = UInt8(ascii: ">")
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
}
