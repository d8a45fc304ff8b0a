import Conventions
import Foundation
import OpenAPIFiles

/// A path in which names stand for values, to be compared with others.
struct PathPattern: Hashable {
    enum Piece: Hashable {
        case text(String)
        case name
    }

    /// By segment: its texts and names.
    let segments: [[Piece]]

    /// - Parameters:
    ///   - template: of a route; its query and host are left out.
    ///   - base: the path of the API's base URL.
    init(template: String, below base: String = "") {
        var path = template.prefix { $0 != "?" && $0 != "#" }
        if let scheme = path.range(of: "://") { path = path[scheme.upperBound...].drop { $0 != "/" } }
        let joined = template.contains("://") ? String(path) : base + path
        segments = Self.segments(
            of: joined.replacing(/:\{[^{}]*\}|:[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/) { match in
                // `:id.json` ends in a format.
                let format = [".json", ".xml", ".csv"].first { match.output.hasSuffix($0) } ?? ""
                return "{}\(match.output.hasPrefix(":{") ? "" : format)"
            })
    }

    /// - Parameters:
    ///   - path: of a description, with names in braces.
    ///   - server: the path of the server's URL.
    init(path: String, below server: String = "") {
        segments = Self.segments(
            of: (server + path.prefix { $0 != "?" && $0 != "#" }).replacing(/\{[^{}]*\}/, with: "{}"))
    }

    private static func segments(of text: String) -> [[Piece]] {
        text.split(separator: "/").map { segment in
            var pieces: [Piece] = []
            var rest = Substring(segment)
            while !rest.isEmpty {
                if rest.hasPrefix("{}") {
                    pieces.append(.name)
                    rest = rest.dropFirst(2)
                } else {
                    let end = rest.firstRange(of: "{}")?.lowerBound ?? rest.endIndex
                    pieces.append(.text(RedactedURL.decoded(rest[..<end])))
                    rest = rest[end...]
                }
            }
            return pieces
        }
    }

    /// Whether a template gives the URLs of a path. One name may stand for several names: `octocat/Hello-World`.
    func covers(_ path: PathPattern) -> Bool { Self.covers(segments[...], path.segments[...]) }

    private static func covers(_ template: ArraySlice<[Piece]>, _ path: ArraySlice<[Piece]>) -> Bool {
        guard let first = template.first else { return path.isEmpty }
        guard let other = path.first else { return false }
        guard first == [.name] else { return first == other && covers(template.dropFirst(), path.dropFirst()) }
        guard other.contains(.name) else { return false }
        if other == [.name] || other.count > 1, covers(template.dropFirst(), path.dropFirst()) { return true }
        // The next segment, a name as well, is a part of the same value.
        return other == [.name] && path.dropFirst().first == [.name] && covers(template, path.dropFirst())
    }

    /// The pattern as text, by which patterns are told apart and near ones found.
    var text: String {
        "/"
            + segments.map { $0.map { if case .text(let text) = $0 { text } else { "{}" } }.joined() }
            .joined(separator: "/")
    }
}
