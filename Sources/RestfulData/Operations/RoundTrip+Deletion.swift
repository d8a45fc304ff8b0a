import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

extension RoundTrip {
    /// Sends the deletion. A success or a 410 is enough. After a 404 or a 303, `isGone` asks the server.
    nonisolated(nonsending) func sendDeletion(checking isGone: () async -> Bool) async throws(APIError) {
        do {
            _ = try await send()
        } catch {
            if error.reply?.status == 410 { return }
            guard error.mayBeOfDone else { throw error }
            guard client.api.conventions.notFoundDeletions == .checked, await isGone() else { throw error }
        }
    }

    /// Whether a GET of the object finds none, while a GET of its collection shows that the address is right.
    ///
    /// - Parameter own: nil for this request's URL.
    /// - Returns: nil if the replies leave it open.
    func isObjectGone(at own: RequestURL?, from collection: RequestURL?) async -> Bool? {
        guard let status = await status(of: own ?? url), Self.isAnswer(status) else { return nil }
        if status == 410 { return true }
        guard status == 404, let collection else { return false }
        if model?.options.singular == true { return true }
        guard let status = await self.status(of: collection), Self.isAnswer(status) else { return nil }
        // A 405 means that the collection exists but can't be read.
        return (200...299).contains(status) || status == 405
    }

    /// Whether a status is about the URL, rather than the server's state.
    private static func isAnswer(_ status: Int) -> Bool { status < 500 && ![408, 429].contains(status) }

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
        // A member with an unreadable identity may be this one.
        return !members.contains { found in
            guard let value = found?.attributes[part.name], !value.isNull, value != .text("") else { return true }
            return own.contains(value)
        }
    }

    /// The status of a GET; nil without the API's reply.
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
    fileprivate var mayBeOfDone: Bool {
        if case .redirected = self { return true }
        return reply?.kind == .notFound
    }
}
