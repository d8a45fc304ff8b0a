import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Creates this object at the server, and imports the reply into it: `POST base`, or a PUT (``CreateMethod``), with
    /// the values set.
    ///
    /// The object gets its identity from the body, or its key from the `Location` of a reply without one. If the store
    /// has that object already, the two become one. The values sent are stored in one transaction with the reply.
    /// Write-only attributes are forgotten once the server has them.
    ///
    /// This waits for requests in flight about this object, and for those that create, delete or rename an object that
    /// it links to, such as its owner.
    ///
    /// After ``APIError/unstored(_:_:)``, the reply is kept while the store is open. The next call stores it and sends
    /// nothing. Edits made meanwhile stay pending.
    ///
    /// After a timeout or a lost connection, another creation may make a second object, unless the service accepts
    /// identities or keys that you choose.
    ///
    /// - Throws: ``APIError``. The object is unchanged and can be sent again, except after ``APIError/leftOut(_:_:)``
    ///   of a strict API. ``APIError/alreadyCreated(model:)`` for an object that the server knows; nothing was sent.
    ///   ``StoreError/validation(_:)`` in ``APIError/store(_:)`` if ``Model/validate()`` finds faults in the object or
    ///   in objects sent with it; nothing was sent. ``StoreError/several(_:)`` if some of its edits were also refused
    ///   when made. ``StoreError/closedStore(unsaved:)`` after the store is closed.
    ///   ``APIError/unidentified(model:property:target:)`` if a relationship leads to an object that isn't created yet.
    public nonisolated(nonsending) func create(with settings: Call.Settings? = nil) async throws(APIError) {
        if isQueued(settings) { return try await save(.queued) }
        try await createNow(settings)
    }

    nonisolated(nonsending) func createNow(_ settings: Call.Settings?) async throws(APIError) {
        try await inTurn(with: settings) { (context, client) throws(APIError) in
            if try await storeCreation(by: client, in: context) != nil { return }
            guard !_object.isAtServer else { throw .alreadyCreated(model: _object.model.modelName) }
            let method: HTTPRequest.Method = client.createMethod(of: _object.model) == .post ? .post : .put
            let delivery = Delivery(method, to: .create) { () throws(APIError) in
                try self.requestURL(to: .create, by: client)
            }
            try await send(delivery, by: client, in: context)
        }
    }

    /// Sends the pending edits, and imports the reply: `PATCH base/:key` with the edited properties alone.
    ///
    /// A request is sent only if there are edits. A property set to nil is sent as `null`. ``SaveMethod/put`` sends all
    /// values that the server has sent or that were set, with nulls, except within key paths, and with empty lists that
    /// were set. So fetch the object before you PUT it. Edits made meanwhile stay unsaved. The URL has the server's
    /// values; an edited key is in the body only.
    ///
    /// This waits for the same requests as ``create(with:)``, and for those that send the other side of an edited
    /// relationship. Then it sends the edits pending by then.
    ///
    /// - Parameters:
    ///   - method: the HTTP method and the format of the changes; nil for the model's (`@Model(saveMethod: .put)`), or
    ///     else the API's.
    ///   - settings: changes the call's ``Call``: `{ $0.timeout = .seconds(120) }`.
    /// - Throws: ``APIError``, as ``create(with:)``. ``APIError/unencodable(_:)`` if the format contradicts the API's
    ///   bodies, such as a JSON Patch for forms. ``APIError/conflict(_:)`` with both versions.
    ///   ``APIError/otherObject(model:_:)`` if the reply is about another object, unless the server renames the model's
    ///   objects (``IdentityRenaming/byServer``). ``RouteProblem/changedParent(model:property:)`` if a link was edited
    ///   that is sent in the URL only. ``APIError/notYetCreated(model:)`` for a new object without a key.
    ///   ``StoreError/readOnlyProperty(model:property:)`` in ``APIError/store(_:)`` if an edit was refused when made;
    ///   it is thrown once, and nothing was sent.
    public nonisolated(nonsending) func save(
        using method: SaveMethod? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) {
        if method == nil, isQueued(settings) { return try await save(.queued) }
        try await saveNow(method, settings)
    }

    @discardableResult
    nonisolated(nonsending) func saveNow(
        _ method: SaveMethod?, _ settings: Call.Settings?
    ) async throws(APIError) -> Bool {
        try await inTurn(with: settings) { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            return try await send(savingDelivery(method, by: client), by: client, in: context)
        }
    }

    /// Sends only these properties, edited or not, and imports the reply: `PATCH base/:key`.
    ///
    /// ```swift
    /// try await user.save(only: \.email, \.name)                     // PATCH /users/7 {"email":…,"name":…}
    /// try await user.save(only: \.password, using: .put)             // PUT, with these keys only
    /// ```
    ///
    /// Success, also without a body, acknowledges the edits of these properties. Other edits stay pending. A property
    /// that is never sent is an error: ``APIError/unsendable(model:property:value:)``.
    ///
    /// - Parameters:
    ///   - properties: the properties to send. A relationship is sent as in a save.
    ///   - method: PATCH, PUT or POST; nil for the model's method, or else the API's.
    ///   - settings: changes the call's ``Call``.
    /// - Throws: ``APIError``, as ``save(using:with:)``.
    public nonisolated(nonsending) func save<each Token: PropertyToken>(
        only properties: repeat KeyPath<Properties, each Token>, using method: SaveMethod? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) {
        var chosen: [PropertyDescription] = []
        for keyPath in repeat each properties { chosen.append(Self.properties[keyPath: keyPath].description) }
        try await save(chosen, using: method, with: settings)
    }

    fileprivate nonisolated(nonsending) func save(
        _ chosen: [PropertyDescription], using method: SaveMethod?, with settings: Call.Settings?
    ) async throws(APIError) {
        try await inTurn(with: settings) { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            // The row may now belong to another model without the property.
            let indexes = chosen.compactMap { _object.model.index(of: $0) }
            var delivery = savingDelivery(method, by: client)
            delivery.purpose = .saveOnly(indexes, (method ?? client.saveMethod(of: _object.model)).changeFormat)
            try await send(delivery, by: client, in: context)
        }
    }

    private nonisolated func savingDelivery(_ method: SaveMethod?, by client: APIClient) -> Delivery {
        let method = method ?? client.saveMethod(of: _object.model)
        return Delivery(HTTPRequest.Method(method), to: Outgoing.Purpose(saving: method)) { () throws(APIError) in
            try self.requestURL(to: .update, by: client)
        }
    }

    /// - Returns: whether there was something to send.
    @discardableResult
    nonisolated(nonsending) func send(
        _ delivery: Delivery, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) -> Bool {
        let (purpose, membership, sentMembership) = (delivery.purpose, delivery.membership, delivery.sentMembership)
        let owner = delivery.owner
        await context.finishSaves()
        if purpose == .create { try context.checkOutcome(creating: self) }
        let (prepared, request) = try await begin(
            in: context,
            scope: { (prepared: Prepared?) in
                guard let outgoing = try? prepared?.outgoing.get() else {
                    return context.scope(of: _object, naming: _object.unsentProperties)
                }
                return outgoing.scope(of: _object, joining: membership?.owner, in: context)
            },
            { () throws(APIError) in
                Prepared(
                    url: try delivery.url(),
                    outgoing: Result { () throws(APIError) in
                        try Outgoing(self, to: purpose, at: client, in: context, after: delivery.batches)
                    })
            })
        defer { request.end() }
        try check(try? prepared.outgoing.get(), joining: membership?.owner, in: context)
        guard let next = try prepared.outgoing.get() else { return false }
        let (url, outgoing) = (prepared.url, next.repeating(OutboxScope.current?.repeated))
        context.operations.beginSend(outgoing.atRisk, of: _object.record)
        try await whileSending(outgoing, in: context) { (outcome) throws(APIError) in
            let model = _object.model
            var trip = client.roundTrip(
                delivery.method, url.naming(outgoing.body), body: .json(outgoing.body), about: model, asking: .object,
                in: context)
            trip.subject = Subject(_object, sending: outgoing.confirmed, to: client)
            trip.subject?.edits = Set(outgoing.confirmations.flatMap(\.edits))
            trip.subject?.isNew = purpose == .create
            trip.subject?.mayRename = purpose != .create && client.isRenamedByServer(model)
            trip.address = { [_object] in client.urlAroundKey(of: _object, below: owner) }
            if purpose != .create { trip.addCondition(about: self) }
            trip.nestedCreations = outgoing.nestedCreations
            trip.nestedEdits = outgoing.nestedEdits
            let facts = outgoing.sentFacts(of: _object, in: context)
            let kept = purpose == .create ? OutboxScope.keeping(outgoing, delivery.method, to: url) : []
            let reply = try await reply(to: trip, with: facts, keeping: kept, in: context, &outcome)
            let outgoing = outgoing.leavingStored(in: context)
            let bases = [url, try? client.collectionURL(for: _object)].compactMap { $0.map(client.api.url) }
            // A save's `Location` leads to a revision or a progress monitor.
            let location =
                purpose != .create
                ? nil
                : reply.location(
                    at: client.urlAroundKey(of: _object, below: owner), below: bases,
                    isPath: client.keyIsPath(of: model))
            let sentChange = SentChange(
                batches: outgoing.stored + trip.validators(in: reply, of: _object.record),
                confirmations: outgoing.confirmations + repeatedConfirmations(of: sentMembership),
                membership: membership, location: location)
            let acceptedChange = try trip.acceptedChange(reply, about: _object, taking: sentChange)
            let report: ImportReport
            do throws(APIError) {
                report = try await trip.confirm(acceptedChange, of: reply)
            } catch {
                if purpose == .create, case .unstored = error {
                    let creation = UnstoredCreation(
                        acceptedChange: acceptedChange, outgoing: outgoing, list: membership?.owner,
                        request: reply.request)
                    keep(creation, answering: reply.requestStart, in: context)
                }
                throw error
            }
            outcome = .confirmed
            noteStored(outgoing, outgoing.confirmations, in: context)
            try trip.reportConfirmed(report, of: reply)
        }
        return true
    }

    /// A membership's confirmations; for a creation repeated with its key, of the edits in its first body.
    private nonisolated func repeatedConfirmations(of sentMembership: SentMembership?) -> [WriteBatch.Confirmation] {
        let confirmations = sentMembership?.confirmations ?? []
        guard let sent = OutboxScope.current?.repeated, sent.key != nil, sent.body != nil else { return confirmations }
        return confirmations.map { $0.acknowledging(sent.stamps) }
    }

    /// Throws refused edits and faults of `validate()` together. The object is validated in the list that it joins.
    private nonisolated func check(
        _ outgoing: Outgoing?, joining list: ListOwner?, in context: ObjectContext
    ) throws(APIError) {
        let sent = outgoing.map { context.objects(in: $0.sent) } ?? []
        let asked = Set(sent.map { ObjectIdentifier($0) })
        let includedEdits = outgoing?.includedEdits.compactMap { context.object(for: $0.record) } ?? []
        let known = includedEdits.filter { !asked.contains(ObjectIdentifier($0)) }
        do {
            try context.validate(
                sent + known, adding: self, to: list, besides: context.takeRefusals(of: _object))
        } catch {
            throw .store(error)
        }
    }

    /// Marks the facts as in flight in the file, then sends the request.
    private nonisolated(nonsending) func reply(
        to trip: RoundTrip, with facts: [SentFact], keeping changes: [OutboxChange], in context: ObjectContext,
        _ outcome: inout InFlightOperations.Outcome
    ) async throws(APIError) -> Reply {
        do {
            try await context.mark(facts, sending: _object, keeping: changes)
        } catch {
            outcome = .refused
            throw .store(error)
        }
        do {
            return try await trip.send()
        } catch {
            outcome = trip.isCreation ? error.outcome : error.outcomeOfChange
            throw error
        }
    }

    /// Runs `body`, which sets the outcome, with the values in flight. Call ``InFlightOperations/beginSend(_:of:)``
    /// before.
    nonisolated(nonsending) func whileSending(
        _ outgoing: Outgoing, in context: ObjectContext,
        _ body: (inout InFlightOperations.Outcome) async throws(APIError) -> Void
    ) async throws(APIError) {
        let facts = outgoing.sentFacts(of: _object, in: context)
        do throws(APIError) {
            try await whileInFlight(outgoing, in: context, body)
        } catch {
            await context.unmark(facts)
            throw error
        }
        await context.unmark(facts)
    }

    private nonisolated(nonsending) func whileInFlight(
        _ outgoing: Outgoing, in context: ObjectContext,
        _ body: (inout InFlightOperations.Outcome) async throws(APIError) -> Void
    ) async throws(APIError) {
        var outcome = InFlightOperations.Outcome.unknown
        let record = _object.record
        context.operations.noteSent(outgoing.parts, in: outgoing.lists, within: record)
        context.beginVersions(outgoing.confirmations)
        defer { context.endVersions(outgoing.confirmations, outcome) }
        for batch in outgoing.sent { context.noteInFlight(batch) }
        let links = outgoing.beginLinkSends(in: context)
        let includedEdits = outgoing.includedEdits.map {
            ($0, hadUnknownOutcome: context.operations.hasUnknownOutcome($0.record))
        }
        for (part, _) in includedEdits { part.begin(in: context) }
        defer {
            for (link, edits) in links {
                link.end(edits ?? [], edits == nil && outcome == .confirmed ? .refused : outcome)
            }
            context.operations.endSend(of: record, Set(outgoing.confirmations.flatMap(\.edits)), outcome)
            context.noteEnd(outcome, ofSending: _object)
            for batch in outgoing.sent { context.noteCompleted(batch) }
            for (part, hadUnknownOutcome) in includedEdits {
                part.end(outcome, hadUnknownOutcome: hadUnknownOutcome, in: context)
            }
        }
        try await body(&outcome)
    }

    nonisolated func noteStored(
        _ outgoing: Outgoing, _ confirmations: [WriteBatch.Confirmation], in context: ObjectContext
    ) {
        for batch in outgoing.sent { context.noteSaved(batch) }
        guard !context.isEnded else { return }
        context.noteConfirmed(confirmations)
    }
}

extension Submodel {
    /// Sends only these properties, which the class itself declares, as the model's `save(only:using:with:)` does.
    public nonisolated(nonsending) func save<each Token: PropertyToken>(
        only properties: repeat KeyPath<OwnProperties, each Token>, using method: SaveMethod? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) {
        var chosen: [PropertyDescription] = []
        for keyPath in repeat each properties { chosen.append(Self.ownProperties[keyPath: keyPath].description) }
        try await save(chosen, using: method, with: settings)
    }
}

private struct Prepared {
    let url: RequestURL
    let outgoing: Result<Outgoing?, APIError>
}

struct Delivery {
    let method: HTTPRequest.Method
    /// Makes the URL after requests in flight, which may rename the object's parents.
    let url: () throws(APIError) -> RequestURL
    var purpose: Outgoing.Purpose
    var membership: ImportRequest.Membership?
    var owner: ListedOwner?
    /// Rows that are stored before the reply, in the same transaction.
    var batches: [WriteBatch] = []
    var sentMembership: SentMembership?

    init(
        _ method: HTTPRequest.Method, to purpose: Outgoing.Purpose, at url: @escaping () throws(APIError) -> RequestURL
    ) {
        (self.method, self.url, self.purpose) = (method, url, purpose)
    }
}

extension APIError {
    /// Whether the server rejected the request, or its body couldn't be made. False for a 404 or 410: an earlier
    /// attempt may have deleted the object.
    var isRefusal: Bool {
        let status: Int
        switch self {
        case .unsendable, .unjoinable, .wrongContentType: return true
        // A success is an error if its body reports a failure.
        case .reply(let error): status = error.status
        case .conflict(let conflict): status = conflict.reply.status
        default: return false
        }
        return 200..<300 ~= status || 400..<500 ~= status && ![404, 408, 410].contains(status)
    }

    /// The outcome if the server knew the object: a 404 means unchanged.
    var outcomeOfChange: InFlightOperations.Outcome { reply?.kind == .notFound ? .refused : outcome }

    /// The outcome of a change. ``store(_:)`` is thrown before a change is sent; later errors of the store are
    /// ``unstored(_:_:)``.
    var outcome: InFlightOperations.Outcome {
        if isRefusal { return .refused }
        switch self {
        case .transport(let error): return error.saysUnsent ? .refused : .unknown
        case .store, .noAPI, .notStored, .route, .unknownTarget, .partialList, .repeatedMember, .unidentified,
            .alreadyCreated, .notYetCreated, .undecidedCreation, .unencodable:
            return .refused
        default: return .unknown
        }
    }
}
