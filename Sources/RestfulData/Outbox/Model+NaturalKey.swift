import ObjectStore
import RESTTransport

/// The outcome of a creation, as far as a fetch of the collection shows it.
enum CreationLookup {
    case impossible
    /// The creation failed.
    case missing
    case found(any Model)
    case several
    /// The fetched list is a part, so the object may exist.
    case unclear
}

extension OutboundRow {
    /// The natural key; nil if a value is missing.
    func naturalKey(by client: APIClient) -> [String]? {
        let texts = client.naturalKey(of: model).map { name -> String? in
            guard let property = model.property(named: name), !storedValue(property).isNull else { return nil }
            return try? OutboundJSON(sentText(property)).routeText
        }
        let values = texts.compactMap(\.self)
        return values.isEmpty || values.count < texts.count ? nil : values
    }
}

extension ObjectContext {
    /// Fetches all pages of the collection with the values in its query: `GET /issues?title=Crash`. The values are
    /// compared again here, since a server may ignore such parameters.
    ///
    /// - Parameter record: the row itself, which is left out of the result.
    nonisolated(nonsending) func lookUpCreation(
        of row: any OutboundRow, at record: RecordID, _ natural: [String]?, by client: APIClient
    ) async throws(APIError) -> CreationLookup {
        guard let natural else { return .impossible }
        let url = try client.lookUpURL(of: row, natural)
        let trip = client.roundTrip(.get, url, about: row.model, asking: .list, in: self)
        let course = try await PageWalk(first: trip).fetch(.all())
        let records = Set(course.ids.map { RecordID(table: row.model.table, row: $0) }).subtracting([record])
        let found = records.compactMap { object(for: $0) }.filter { object in
            !object.isDeleted && object._object.naturalKey(by: client) == natural
        }
        switch found.count {
        case 0: return course.isWhole ? .missing : .unclear
        case 1: return .found(found[0])
        default: return .several
        }
    }
}

extension Model {
    /// Unifies this object with the one that its creation made. Edits that equal the server's values are acknowledged.
    nonisolated(nonsending) func adopt(
        _ found: any Model, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) {
        let model = _object.model
        let json = try found._object.identityJSON()
        await context.finishSaves()
        guard var outgoing = try Outgoing(self, to: .create, at: client, in: context, after: []) else { return }
        let (own, server) = (_object.values(of: outgoing.confirmed), found._object.values(of: outgoing.confirmed))
        // Only the creation could have sent fixed attributes, and links in the URL.
        let same = outgoing.confirmed.filter { property in
            own.hasSame(property.name, as: server) || property.isFixed
                || property.link != nil && model.hasInURL(property)
        }
        let edits = _object.unsentEdits(of: same)
        outgoing.confirmations = outgoing.confirmations.map { $0.acknowledging(edits) }
        var request = _object.importRequest
        request.isCreation = true
        request.teachesShapes = false
        let acceptedChange = AcceptedChange(importing: json, as: request, confirming: outgoing.confirmations)
        context.operations.beginSend(outgoing.atRisk, of: _object.record)
        let sent = outgoing
        try await whileSending(sent, in: context) { (outcome) throws(APIError) in
            do throws(StoreError) {
                _ = try await acceptedChange.store(in: context)
            } catch {
                throw .store(error)
            }
            outcome = .confirmed
            noteStored(sent, sent.confirmations, in: context)
        }
    }
}

extension OutboundRow {
    /// - Throws: ``APIError/undecidedCreation(model:)`` if JSON can't express a value.
    func identityJSON() throws(APIError) -> [UInt8] {
        var json = OutboundJSON.object([])
        for property in model.identity.map({ model[$0] }) where property.link == nil {
            let text: WireText
            do { text = try sentText(property) } catch { throw .undecidedCreation(model: model.modelName) }
            json.set(OutboundJSON(text), at: property.documentPath[...])
        }
        return json.bytes
    }
}

extension APIClient {
    func lookUpURL(of row: any OutboundRow, _ natural: [String]) throws(APIError) -> RequestURL {
        var query = RouteQuery()
        for (name, text) in zip(naturalKey(of: row.model), natural) {
            query.append(row.model.property(named: name)?.documentPath.last ?? name, text)
        }
        return try collectionURL(for: row).adding(query, at: self)
    }

    func naturalKey(of model: ModelSchema) -> [String] {
        model.options.natural.isEmpty ? schema[model.table].options.natural : model.options.natural
    }
}
