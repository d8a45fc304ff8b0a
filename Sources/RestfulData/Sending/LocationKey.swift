import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// The key that the `Location` of a reply names: what follows the URL that was posted to, or the model's base URL.
///
/// `Location: /posts/5` to `POST /posts` is the key 5.
struct LocationKey {
    /// JSON that says so much of the object.
    let body: [UInt8]

    /// - Parameter bases: URLs below which an object's own may be.
    init?(_ response: APIResponse, below bases: [String], _ table: ModelSchema) {
        guard let location = response.headerFields[.location], let key = table.key,
            let path = URL(string: location, relativeTo: response.url)?.absoluteURL.pathText
        else { return nil }
        let keys = bases.compactMap { base -> String? in
            guard let base = URL(string: base)?.pathText, path.hasPrefix(base + "/") else { return nil }
            return path.dropFirst(base.count + 1).removingPercentEncoding
        }
        guard let text = keys.first(where: { !$0.isEmpty }) else { return nil }
        var json = OutboundJSON.object([])
        json.set(.string(text), at: table.properties[key].documentPath[...])
        body = json.bytes
    }
}

extension URL {
    /// The path as it stands in the URL, without a slash at its end.
    fileprivate var pathText: String {
        let path = path(percentEncoded: true)
        return path.hasSuffix("/") ? String(path.dropLast()) : path
    }
}
