public import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension APIRequest {
    /// The request as the HTTP currency type: method, scheme, authority, path with query, header fields.
    public var head: HTTPRequest {
        let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        var path = components?.percentEncodedPath ?? url.path
        if path.isEmpty { path = "/" }
        if let query = components?.percentEncodedQuery { path += "?" + query }
        return HTTPRequest(
            method: method, scheme: url.scheme?.lowercased(), authority: Origin(url)?.authority, path: path,
            headerFields: headerFields)
    }

    /// Refuses a URL that no transport may be given.
    package func checkURL() throws(TransportError) {
        guard let scheme = url.scheme?.lowercased() else { throw refusal("it has no scheme") }
        guard scheme == "http" || scheme == "https" else { throw refusal("its scheme is neither http nor https") }
        guard Origin(url) != nil else { throw refusal("it names no host, or a port that does not exist") }
        guard url.user() == nil, url.password() == nil else {
            throw refusal("it carries a user name or password; use BasicAuthentication instead")
        }
    }

    private func refusal(_ why: String) -> TransportError {
        TransportError(.invalidURL(why), RequestSummary(self))
    }
}
