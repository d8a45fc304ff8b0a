import Conventions
import Foundation
import ObjectStore
import RESTTransport

// The `Location` of a reply without a body: the URL of what was created, out of which its key is read.

extension Reply {
    /// JSON with the key that the `Location` names, and nothing else of the object: what stands in the key's place in
    /// an object's own URL, or else what follows the URL that was posted to, or the model's base URL. `Location:
    /// /posts/5` to `POST /posts` is the key 5, and so is `/Products(5)` where the model says that one is at
    /// `/Products(:id)`.
    ///
    /// - Parameters:
    ///   - own: the object's own URL; nil where it is not known but for the key.
    ///   - bases: absolute URLs below which an object's own may be.
    ///   - isPath: whether the key may be several segments; else those are the URL of something else.
    func location(at own: @autoclosure () -> URLAroundKey?, below bases: [String], isPath: Bool) -> [UInt8]? {
        guard let location = response.headerFields[.location], let model, let key = model.key.map({ model[$0] }),
            let url = URL(string: location, relativeTo: response.url)?.absoluteURL
        else { return nil }
        let path = url.pathText
        // A redirect that keeps the method (307, 308) leads to another collection.
        let below = (bases + [response.url.absoluteString]).map { base -> String? in
            guard let base = URL(string: base)?.pathText, path.hasPrefix(base + "/") else { return nil }
            return String(path.dropFirst(base.count + 1))
        }
        let keys = ([own()?.key(in: url)] + below).compactMap { key -> String? in
            guard let key, isPath || !key.contains("/") else { return nil }
            return key.removingPercentEncoding
        }
        guard var text = keys.first(where: { !$0.isEmpty }) else { return nil }
        // In hyperlinked APIs the URL is the key.
        if case .attribute(.url, _, _) = key.kind { text = url.absoluteString }
        return Self.json(key: text, as: key)
    }

    /// JSON with a key, as text, and nothing else of an object.
    static func json(key text: String, as key: Property) -> [UInt8] {
        var json = OutboundJSON.object([])
        json.set(.string(text), at: key.documentPath[...])
        return json.bytes
    }
}

/// The URL of an object, but for its key: what stands before that, between where it stands twice, and behind it.
struct URLAroundKey {
    private let pieces: [String]
    /// Whether the key is in the query.
    private let hasQuery: Bool

    /// Stands in the key's place while the URL is made: no URL has it otherwise.
    static let mark = "0B7E9C54-5A0D-4C57-9D0B-6F1C0A6B7D21"

    /// - Parameter text: an absolute URL, with the ``mark`` in the key's place; nil for one without.
    init?(_ text: String) {
        guard let url = URL(string: text) else { return nil }
        let inPath = url.pathText.components(separatedBy: Self.mark)
        hasQuery = inPath.count < 2
        pieces = hasQuery ? url.queryText.components(separatedBy: Self.mark) : inPath
        guard pieces.count > 1 else { return nil }
    }

    /// What stands in the key's place in a URL, as it is escaped there; nil for the URL of something else.
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
    /// The path as it is in the URL, without a slash at its end.
    var pathText: String {
        let path = path(percentEncoded: true)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    /// The same with the query.
    fileprivate var queryText: String { pathText + "?" + (query(percentEncoded: true) ?? "") }
}
