import ObjectStore
import RESTTransport

/// The outcome of a creation, as far as the server's objects show it.
enum CreationLookup {
    /// The model has no natural key, or the object has no values of it.
    case impossible
    /// There is no such object: the creation was not done.
    case missing
    /// This object was created by it.
    case found(any Model)
    /// More than one object has these values.
    case several
}

extension Model {
    /// Asks the server for the objects with this one's natural key (`@Model(natural:)`).
    ///
    /// The request is the GET of the collection with the values in its query: `GET /issues?title=Crash`. All pages are
    /// fetched and imported, and the values compared here, since a server may ignore such parameters.
    nonisolated(nonsending) func lookUpCreation(
        by client: APIClient, in context: ObjectContext
    ) async throws(APIError) -> CreationLookup {
        let names = client.naturalKey(of: _object.model)
        let properties = names.compactMap { _object.model.property(named: $0) }
        let values = properties.map { _object.storedValue($0) }
        guard !properties.isEmpty, !values.contains(where: \.isNull) else { return .impossible }
        var query = RouteQuery()
        for property in properties {
            let text: String?
            do { text = try OutboundJSON(_object.sentText(property)).routeText } catch { return .impossible }
            guard let text else { return .impossible }
            query.append(property.documentPath.last ?? property.name, text)
        }
        let url = try client.collectionURL(for: _object).adding(query, at: client)
        let trip = client.roundTrip(.get, url, about: _object.model, asking: .list, in: context)
        let course = try await PageWalk(first: trip).fetch(.all())
        let found = context.objects(Self.self, of: course.ids).filter { object in
            let known = object._object.known
            return object !== self && zip(properties, values).allSatisfy { known.storedValue($0) == $1 }
        }
        let distinct = Set(found.map(\._object.record)).count
        guard let first = found.first else { return .missing }
        return distinct == 1 ? .found(first) : .several
    }

    /// Unifies this object with the one that its creation has made at the server.
    ///
    /// Edits with the values that the server has are acknowledged. The others stay pending.
    nonisolated(nonsending) func adopt(
        _ found: any Model, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) {
        let model = _object.model
        var json = OutboundJSON.object([])
        for property in model.identity.map({ model[$0] }) where property.link == nil {
            let text: WireText
            do { text = try found._object.sentText(property) } catch {
                throw .undecidedCreation(model: model.modelName)
            }
            json.set(OutboundJSON(text), at: property.documentPath[...])
        }
        await context.finishSaves()
        guard var outgoing = try Outgoing(self, to: .create, at: client, in: context, after: []) else { return }
        let (own, server) = (_object.values(of: outgoing.confirmed), found._object.values(of: outgoing.confirmed))
        let same = outgoing.confirmed.filter { own.hasSame($0.name, as: server) }
        let edits = _object.unsentEdits(of: same)
        outgoing.confirmations = outgoing.confirmations.map { $0.acknowledging(edits) }
        var request = _object.importRequest
        request.isCreation = true
        request.teachesShapes = false
        let deed = Deed(importing: json.bytes, as: request, confirming: outgoing.confirmations)
        context.underway.beginSend(outgoing.atRisk, of: _object.record)
        let sent = outgoing
        try await whileSending(sent, in: context) { (outcome) throws(APIError) in
            do throws(StoreError) {
                _ = try await deed.store(in: context)
            } catch {
                throw .store(error)
            }
            outcome = .confirmed
            noteStored(sent, sent.confirmations, in: context)
        }
    }
}

extension APIClient {
    /// The attributes of a model's natural key; empty for none.
    func naturalKey(of model: ModelSchema) -> [String] {
        model.options.natural.isEmpty ? schema[model.table].options.natural : model.options.natural
    }
}
