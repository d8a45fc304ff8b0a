import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension APIRequest {
    /// The request to send next after a redirect.
    ///
    /// - Parameters:
    ///   - location: The value of `Location`, absolute or relative to this request's URL.
    ///   - status: The redirect's status.
    ///   - original: The request that the caller sent: the one that errors name.
    func redirected(
        to location: String, status: Int, for original: APIRequest
    ) throws(TransportError) -> APIRequest {
        let target = try target(of: location, for: original)
        var next = self
        next.url = target
        if becomesGet(status) {
            next.method = .get
            next.dropBody()
        } else if status == 303 {
            next.dropBody()
        }
        if Origin(target) != Origin(url) { next.dropCredentials() }
        return next
    }

    private func target(of location: String, for original: APIRequest) throws(TransportError) -> URL {
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL, let origin = Origin(target),
            target.user() == nil, target.password() == nil
        else {
            let shown = RequestSummary(method: "", url: location).url
            throw TransportError(.invalidRedirect(to: shown), original)
        }
        if url.scheme?.lowercased() == "https", origin.scheme == "http" {
            throw TransportError(
                .insecureRedirect(to: RequestSummary(method: "", url: target.absoluteString).url), original)
        }
        return target
    }

    private func becomesGet(_ status: Int) -> Bool {
        switch status {
        case 301, 302: method == .post
        case 303: method != .get && method != .head
        default: false
        }
    }

    private mutating func dropBody() {
        body = nil
        // The fields of https://fetch.spec.whatwg.org/#request-body-header-name.
        for name in [HTTPField.Name.contentEncoding, .contentLanguage, .contentLocation, .contentType] {
            headerFields[name] = nil
        }
    }

    private mutating func dropCredentials() {
        for name in credentialFields.union([.authorization, .proxyAuthorization, .cookie]) {
            headerFields[name] = nil
        }
        // Credentials must not come back when a later redirect leads home: it was the other origin that sent it there.
        apiOrigin = nil
    }
}
