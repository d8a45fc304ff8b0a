import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

// A 303 turns a change into a GET (RFC 9110 §15.4.4). The GET's reply counts as the change's if it comes from the
// object's own URL and has the object (§9.3.3). Any other reply leaves the outcome unknown.

extension RoundTrip {
    func isRedirected(_ response: APIResponse) -> Bool {
        !isSafe && model != nil && response.method != method
    }

    /// The reply to the GET after a 303, newer than the values sent.
    func replyAtOwnURL(_ response: APIResponse) async throws(APIError) -> Reply {
        let error = APIError.redirected(
            to: APIError.shown(response.url.absoluteString), RequestSummary(response.request))
        guard method != .delete, response.isSuccess, !response.hasLeftOrigin, client.api.isOwn(response.url),
            let subject
        else { throw error }
        let list = await Reply.read(response, as: form, from: client)
        let reply = list.isList ? await list.onlyObject(from: client) ?? list : list
        guard subject.isFound(in: reply, at: address?(), own: client.api.url(url)) else { throw error }
        return reply
    }
}

extension Subject {
    /// Whether a reply has this object and comes from its own URL. If the reply lacks the key, that is the save's URL
    /// `own`.
    fileprivate func isFound(in reply: Reply, at address: URLAroundKey?, own: String) -> Bool {
        guard reply.hasObject, let key = model.key.map({ model[$0] }),
            let found = read(reply.body, at: reply.documentKeyPath, with: key)
        else { return false }
        let isNamed = isNew ? nil : self.isNamed(by: found, among: fixedIdentity)
        guard isNamed != false else { return false }
        let keyValues = found.values(of: key)
        guard !keyValues.isEmpty else {
            return isNamed == true && URL(string: own)?.pathText == reply.response.url.pathText
        }
        return isKey(keyValues, of: key, in: reply, at: address)
    }

    private func isKey(_ keyValues: [StoredValue], of key: Property, in reply: Reply, at address: URLAroundKey?) -> Bool
    {
        let url = reply.response.url
        if case .attribute(.url, _, _) = key.kind, case .text(let text)? = keyValues.first,
            let own = URL(string: text, relativeTo: url)?.absoluteURL
        {
            // In hyperlinked APIs the URL is the key.
            return Origin(own) == Origin(url) && own.pathText == url.pathText
        }
        guard let text = address?.key(in: url)?.removingPercentEncoding else { return false }
        return read(Reply.json(key: text, as: key), at: [], with: key)?.values(of: key) == keyValues
    }

    private func read(_ body: [UInt8], at keyPath: [String], with key: Property) -> PropertyValues? {
        var reader = ObjectReader(schema)
        return try? reader.attributes(fixedIdentity + [key.index], in: body, at: keyPath, of: model)
    }
}

extension PropertyValues {
    /// An attribute's value, or the identities of a relationship's targets; empty for null.
    func values(of property: Property) -> [StoredValue] {
        let values = relationships[property.name] ?? attributes[property.name].map { [$0] } ?? []
        return values.filter { !$0.isNull && $0 != .text("") }
    }
}
