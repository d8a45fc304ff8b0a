import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

// Gone is what the server confirms: by a success, by 410, or by a 404 or a redirect by 303 that something else bears
// out.

extension RoundTrip {
    /// Sends a DELETE, to which 410 says that there is nothing to delete. So does 404 when that is checked, and a
    /// redirect by 303, which may say that it was done.
    ///
    /// - Parameter isGone: asks the server otherwise.
    nonisolated(nonsending) func sendDeletion(checking isGone: () async -> Bool) async throws(APIError) {
        do {
            _ = try await send()
        } catch {
            if error.reply?.status == 410 { return }
            guard error.mayBeOfDone else { throw error }
            guard client.api.conventions.notFoundDeletions == .checked, await isGone() else { throw error }
        }
    }

    /// Whether an object is gone: a GET of its URL finds none, and one of its collection shows that the address is
    /// right.
    ///
    /// - Parameter own: the object's URL; nil for the one that the request was sent to.
    /// - Returns: nil if the server gave no answer.
    func isObjectGone(at own: RequestURL?, from collection: RequestURL?) async -> Bool? {
        guard let status = await status(of: own ?? url), Self.isAnswer(status) else { return nil }
        if status == 410 { return true }
        guard status == 404, let collection else { return false }
        // A singular resource is in no collection.
        if model?.options.singular == true { return true }
        guard let status = await self.status(of: collection), Self.isAnswer(status) else { return nil }
        // 405: it is there, and not to be read.
        return (200...299).contains(status) || status == 405
    }

    /// Whether a status says something of the URL, rather than of the server's state.
    private static func isAnswer(_ status: Int) -> Bool { status < 500 && ![408, 429].contains(status) }

    /// Whether a list is read whole and doesn't have the member of an identity.
    ///
    /// - Parameter url: where the list is read.
    func isMemberGone(_ member: ObjectState, from list: List, at url: RequestURL) async -> Bool {
        let model = member.model
        guard let part = model.identity.last(where: { model[$0].link == nil }).map({ model[$0] }),
            case let get = checking(url, about: model, asking: .list),
            let reply = try? await get.send(), reply.isList
        else { return false }
        var reader = ObjectReader(client.schema)
        guard
            let members = try? reader.list(
                [part.index], in: reply.body, at: reply.documentKeyPath, within: reply.elementPath, of: model),
            reply.isWhole(list, of: members.count)
        else { return false }
        let own = [member.known.storedValue(part), member.storedValue(part)]
        // What can't be read may be the member.
        return !members.contains { found in
            guard let value = found?.attributes[part.name], !value.isNull, value != .text("") else { return true }
            return own.contains(value)
        }
    }

    /// The status of a GET, nothing of which is stored; nil for what is no reply of the API.
    private func status(of url: RequestURL) async -> Int? {
        let get = checking(url)
        do {
            let reply = try await get.send()
            return reply.response.isForeign ? nil : reply.response.status.code
        } catch {
            return error.reply?.status
        }
    }
}

extension APIError {
    /// Whether the server may answer so to a deletion of what is gone: by 404, or by leading to another URL (303).
    fileprivate var mayBeOfDone: Bool {
        if case .redirected = self { return true }
        return reply?.kind == .notFound
    }
}
