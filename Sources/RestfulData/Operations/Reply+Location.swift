import Conventions
import Foundation
import ObjectStore
import RESTTransport

extension Reply {
    /// JSON with only the key of a created object, from the `Location` of an empty reply.
    ///
    /// The key is the varying part of the object's own URL, or else the rest after the request's URL or one of the
    /// `bases`: 5 of `/Products(5)` and `/posts/5`.
    ///
    /// - Parameters:
    ///   - own: the object's URL; nil if parts of it other than the key are unknown.
    ///   - isPath: whether the key may have several segments. If false, several segments are the URL of something else.
    func location(at own: @autoclosure () -> URLAroundKey?, below bases: [String], isPath: Bool) -> [UInt8]? {
        guard let location = response.headerFields[.location], let model, let key = model.key.map({ model[$0] }),
            let url = URL(string: location, relativeTo: response.url)?.absoluteURL
        else { return nil }
        let path = url.pathText
        // A redirect that keeps the method (307, 308) may lead to another collection.
        let below = (bases + [response.url.absoluteString]).map { base -> String? in
            guard let base = URL(string: base)?.pathText, path.hasPrefix(base + "/") else { return nil }
            return String(path.dropFirst(base.count + 1))
        }
        let keys = ([own()?.key(in: url)] + below).compactMap { key -> String? in
            guard let key, isPath || !key.contains("/") else { return nil }
            return key.removingPercentEncoding
        }
        guard var text = keys.first(where: { !$0.isEmpty }) else { return nil }
        if case .attribute(.url, _, _) = key.kind { text = url.absoluteString }
        return Self.json(key: text, as: key)
    }

    static func json(key text: String, as key: Property) -> [UInt8] {
        var json = OutboundJSON.object([])
        json.set(.string(text), at: key.documentPath[...])
        return json.bytes
    }
}

/// An object's URL, split at its key, which may occur several times.
struct URLAroundKey {
    private let pieces: [String]
    private let hasQuery: Bool

    /// Stands for the key while the URL is made.
    static let mark = "0B7E9C54-5A0D-4C57-9D0B-6F1C0A6B7D21"

    /// - Parameter text: an absolute URL; nil without the ``mark``.
    init?(_ text: String) {
        guard let url = URL(string: text) else { return nil }
        let inPath = url.pathText.components(separatedBy: Self.mark)
        hasQuery = inPath.count < 2
        pieces = hasQuery ? url.queryText.components(separatedBy: Self.mark) : inPath
        guard pieces.count > 1 else { return nil }
    }

    /// The percent-encoded key; nil for the URL of something else.
    func key(in url: URL) -> String? {
        let text = hasQuery ? url.queryText : url.pathText
        let count = pieces.count - 1
        let rest = text.count - pieces.reduce(0) { $0 + $1.count }
        guard rest > 0, rest.isMultiple(of: count) else { return nil }
        let key = String(text.dropFirst(pieces[0].count).prefix(rest / count))
        return pieces.joined(separator: key) == text ? key : nil
    }
}

extension URL {
    /// The path, percent-encoded, without a slash at the end.
    var pathText: String {
        let path = path(percentEncoded: true)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    fileprivate var queryText: String { pathText + "?" + (query(percentEncoded: true) ?? "") }
}
