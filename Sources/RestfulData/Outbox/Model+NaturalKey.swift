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
    /// The list isn't whole, so the object may be there.
    case unclear
}

extension Model {
    /// The values of the natural key (`@Model(natural:)`), as texts; nil if there is none, or it has no value.
    func naturalKey(by client: APIClient) -> [String]? {
        let texts = client.naturalKey(of: _object.model).map { name -> String? in
            guard let property = _object.model.property(named: name), !_object.storedValue(property).isNull else {
                return nil
            }
            return try? OutboundJSON(_object.sentText(property)).routeText
        }
        let values = texts.compactMap(\.self)
        return values.isEmpty || values.count < texts.count ? nil : values
    }

    /// Asks the server for the objects with these values of the natural key.
    ///
    /// The request is the GET of the collection with the values in its query: `GET /issues?title=Crash`. All pages are
    /// fetched and imported, and the values compared here, since a server may ignore such parameters.
    nonisolated(nonsending) func lookUpCreation(
        _ natural: [String]?, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) -> CreationLookup {
        guard let natural else { return .impossible }
        var query = RouteQuery()
        for (name, text) in zip(client.naturalKey(of: _object.model), natural) {
            query.append(_object.model.property(named: name)?.documentPath.last ?? name, text)
        }
        let url = try client.collectionURL(for: _object).adding(query, at: client)
        let trip = client.roundTrip(.get, url, about: _object.model, asking: .list, in: context)
        let course = try await PageWalk(first: trip).fetch(.all())
        let found = context.objects(Self.self, of: course.ids).filter { object in
            object !== self && object.naturalKey(by: client) == natural
        }
        switch Set(found.map(\._object.record)).count {
        case 0: return course.isWhole ? .missing : .unclear
        case 1: return .found(found[0])
        default: return .several
        }
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
        // Only a creation sends attributes that never change, and links that are in the URL.
        let same = outgoing.confirmed.filter { property in
            own.hasSame(property.name, as: server) || property.isFixed
                || property.link != nil && model.hasInURL(property)
        }
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
