import Foundation
import RestfulData

/// The reverse of a URL template: finds the values in a path that the template has made.
struct RoutePattern: Sendable {
    enum Piece: Sendable, Hashable {
        /// Literal text, percent-encoded.
        case text(String)
        /// The value at a key path. The value of a segment has no slash.
        case value([String], isSegment: Bool)
    }

    let pieces: [Piece]
    /// The template for messages.
    let text: String

    /// - Parameters:
    ///   - template: A template with resolved names, or with plain names only.
    ///   - isSegmented: Whether each value is one segment, regardless of the template.
    init(_ template: RouteTemplate, isSegmented: Bool = false) {
        var names: [[String]] = []
        // The expansion escapes the slash in the mark if the value is one segment.
        let expanded = try? template.expand { placeholder in
            names.append(placeholder.keyPath)
            return RouteValue("~\(names.count - 1)~/~")
        }
        let path = expanded?.prefix { $0 != "?" } ?? ""
        pieces = Self.pieces(of: path, names, isSegmented: isSegmented)
        text = template.description
    }

    /// Creates the pattern of a path below the server's base URL, which a test has written. Each name is one segment.
    ///
    /// - Throws: ``TestServerError/template(_:_:)``, also for a host or query, which are invalid in a path.
    init(below template: String) throws(TestServerError) {
        let parsed: RouteTemplate
        do { parsed = try RouteTemplate(template) } catch { throw .template(template, "\(error)") }
        guard !parsed.namesItsHost, !template.contains("?") else {
            throw .template(template, "it is a path below the base URL, without a host or query")
        }
        self.init(parsed, isSegmented: true)
    }

    init(_ pieces: [Piece], text: String) { (self.pieces, self.text) = (pieces, text) }

    /// Returns the pattern with `/:key` appended, before a trailing slash if there is one.
    func appending(key: [String], isSegment: Bool) -> RoutePattern {
        var pieces = pieces
        let name = key.last ?? ""
        guard case .text(let last) = pieces.last, last.hasSuffix("/") else {
            return RoutePattern(
                Self.merged(pieces + [.text("/"), .value(key, isSegment: isSegment)]), text: "\(text)/:\(name)")
        }
        pieces += [.value(key, isSegment: isSegment), .text("/")]
        return RoutePattern(Self.merged(pieces), text: "\(text):\(name)/")
    }

    /// The pattern with `relationships/` before the last segment, the URL of linkage in JSON:API.
    var asLinkage: RoutePattern? {
        guard case .text(let last) = pieces.last, let slash = last.lastIndex(of: "/") else { return nil }
        let changed = last[...slash] + "relationships" + last[slash...]
        guard let end = text.lastIndex(of: "/") else { return nil }
        return RoutePattern(
            pieces.dropLast() + [.text(String(changed))], text: text[...end] + "relationships" + text[end...])
    }

    /// The number of literal characters. Of two matching patterns, the one with more literal characters wins.
    var literalCount: Int {
        pieces.reduce(0) { count, piece in if case .text(let text) = piece { count + text.count } else { count } }
    }

    private static func pieces(of path: Substring, _ names: [[String]], isSegmented: Bool) -> [Piece] {
        var (pieces, rest) = ([Piece](), path)
        for (index, name) in names.enumerated() {
            let marks = [("~\(index)~/~", isSegmented), ("~\(index)~%2F~", true)]
            let found = marks.lazy.compactMap { mark, isSegment in rest.firstRange(of: mark).map { ($0, isSegment) } }
            // Names in the query are excluded from the path.
            guard let (range, isSegment) = found.first else { continue }
            if range.lowerBound > rest.startIndex { pieces.append(.text(String(rest[..<range.lowerBound]))) }
            pieces.append(.value(name, isSegment: isSegment))
            rest = rest[range.upperBound...]
        }
        return rest.isEmpty ? pieces : pieces + [.text(String(rest))]
    }

    private static func merged(_ pieces: [Piece]) -> [Piece] {
        pieces.reduce(into: []) { merged, piece in
            if case .text(let second) = piece, case .text(let first) = merged.last {
                merged[merged.count - 1] = .text(first + second)
            } else {
                merged.append(piece)
            }
        }
    }
}

// MARK: Matching

extension RoutePattern {
    /// The values of a path, by key path.
    struct Match: Sendable, Hashable {
        var values: [[String]: String] = [:]
        var slashes = 0
    }

    /// Returns the ways in which the template can have made a path, sorted by the number of slashes within values. A
    /// pattern whose values may have slashes can match in several ways.
    ///
    /// - Parameter path: The path, percent-encoded.
    func matches(_ path: String) -> [Match] {
        var found: [Match] = []
        match(path[...], from: 0, Match(), into: &found)
        return found.sorted { $0.slashes < $1.slashes }
    }

    /// The maximum number of matches. Usable routes have fewer.
    private static let limit = 16

    private func match(_ rest: Substring, from index: Int, _ match: Match, into found: inout [Match]) {
        guard found.count < Self.limit else { return }
        guard index < pieces.count else { return rest.isEmpty ? found.append(match) : () }
        switch pieces[index] {
        case .text(let text):
            guard rest.hasPrefix(text) else { return }
            self.match(rest.dropFirst(text.count), from: index + 1, match, into: &found)
        case .value(let name, let isSegment):
            var end = rest.startIndex
            while end < rest.endIndex {
                if isSegment, rest[end] == "/" { return }
                end = rest.index(after: end)
                guard isEnd(end, of: rest, after: index) else { continue }
                guard let next = match.adding(rest[..<end], as: name) else { continue }
                self.match(rest[end...], from: index + 1, next, into: &found)
            }
        }
    }

    /// Whether a value may end here: before the text that follows, or at the end.
    private func isEnd(_ end: Substring.Index, of rest: Substring, after index: Int) -> Bool {
        guard index + 1 < pieces.count else { return end == rest.endIndex }
        guard case .text(let text) = pieces[index + 1] else { return true }
        return rest[end...].hasPrefix(text)
    }
}

extension RoutePattern.Match {
    fileprivate func adding(_ text: Substring, as name: [String]) -> RoutePattern.Match? {
        let value = text.removingPercentEncoding ?? String(text)
        guard values[name] == nil || values[name] == value else { return nil }
        var match = self
        match.values[name] = value
        match.slashes += text.count { $0 == "/" }
        return match
    }
}
