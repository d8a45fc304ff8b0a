import Conventions
import Foundation
import OpenAPIFiles

/// A path with names in place of values.
struct PathPattern: Hashable {
    enum Piece: Hashable {
        case text(String)
        case name
    }

    let segments: [[Piece]]

    /// - Parameters:
    ///   - template: a route's template, whose query and host are ignored.
    ///   - base: the path of the API's base URL.
    init(template: String, below base: String = "") {
        var path = template.prefix { $0 != "?" && $0 != "#" }
        if let scheme = path.range(of: "://") { path = path[scheme.upperBound...].drop { $0 != "/" } }
        let joined = template.contains("://") ? String(path) : base + path
        segments = Self.segments(
            of: joined.replacing(/:\{[^{}]*\}|:[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*/) { match in
                // In `:id.json`, the name ends before the format.
                let format = [".json", ".xml", ".csv"].first { match.output.hasSuffix($0) } ?? ""
                return "{}\(match.output.hasPrefix(":{") ? "" : format)"
            })
    }

    /// - Parameters:
    ///   - path: has names in braces.
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

    /// Whether a template makes the path's URLs. A name can cover several names of the path: `octocat/Hello-World`.
    func covers(_ path: PathPattern) -> Bool { Self.covers(segments[...], path.segments[...]) }

    private static func covers(_ template: ArraySlice<[Piece]>, _ path: ArraySlice<[Piece]>) -> Bool {
        guard let first = template.first else { return path.isEmpty }
        guard let other = path.first else { return false }
        guard first == [.name] else { return first == other && covers(template.dropFirst(), path.dropFirst()) }
        guard other.contains(.name) else { return false }
        if other == [.name] || other.count > 1, covers(template.dropFirst(), path.dropFirst()) { return true }
        // The next name belongs to the same value.
        return other == [.name] && path.dropFirst().first == [.name] && covers(template, path.dropFirst())
    }

    /// For messages, and to find similar paths.
    var text: String {
        "/"
            + segments.map { $0.map { if case .text(let text) = $0 { text } else { "{}" } }.joined() }
            .joined(separator: "/")
    }
}
