import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

extension Model {
    /// Creates this object at the server: `POST base` (or a PUT, see ``CreateMethod``) with what was set, and imports
    /// the reply into this same instance.
    ///
    /// The object gets its identity from the reply's body, or its key from the `Location` of a reply without one, and
    /// keeps its links. When the reply names an object that is here already, the two become one. What was sent is
    /// stored, in the same transaction as the reply, except write-only attributes, which are forgotten once the server
    /// has them.
    ///
    /// It waits for requests about this object that are on their way.
    ///
    /// Where the server has created it and the file can't take that (``APIError/unstored(_:_:)``), the reply is kept as
    /// long as the store is open, and the next call stores it and sends nothing. What was edited in between stays
    /// unsent.
    ///
    /// After a time-out, or a connection that was lost, nobody knows whether the server has made it: to create it again
    /// may make a second one, unless the service takes identities or keys that were made here.
    ///
    /// - Parameter settings: the call's own ``Call``: `{ $0.timeout = .seconds(120) }`.
    /// - Throws: ``APIError``; the object is as it was, including unsaved edits and links, and can be sent again; but
    ///   for ``APIError/leftOut(_:_:)`` of a strict API, when it is created and stored.
    ///   ``APIError/alreadyCreated(model:)`` for an object that the server knows; nothing was sent.
    ///   ``StoreError/validation(_:)`` in ``APIError/store(_:)`` when the object, or what goes out with it, is wrong by
    ///   its own ``Model/validate()``; nothing was sent. ``StoreError/several(_:)`` where edits of it were not made, too.
    ///   ``StoreError/closedStore(unsaved:)`` once the store is closed. ``APIError/unidentified(model:property:target:)`` when a
    ///   relationship that goes out leads to an object that isn't created yet.
    public nonisolated(nonsending) func create(with settings: Call.Settings? = nil) async throws(APIError) {
        if isQueued(settings) { return try await save(.queued) }
        try await createNow(settings)
    }

    nonisolated(nonsending) func createNow(_ settings: Call.Settings?) async throws(APIError) {
        try await inTurn(with: settings) { (context, client) throws(APIError) in
            if try await storeCreation(by: client, in: context) != nil { return }
            // Another task may have created it while this one waited.
            guard !_object.isAtServer else { throw .alreadyCreated(model: _object.model.modelName) }
            let url = try requestURL(to: .create, by: client)
            let method: HTTPRequest.Method = client.createMethod(of: _object.model) == .post ? .post : .put
            try await send(Delivery(method, at: url, to: .create), by: client, in: context)
        }
    }

    /// Sends what changed since the server last spoke: `PATCH base/:key` with those properties alone, and imports the
    /// reply.
    ///
    /// Nothing is sent when nothing changed. A nil that was set goes out as `null`. With ``SaveMethod/put`` all goes
    /// out that the server has said, nulls included but for those within key paths, and what was set here; lists that
    /// are empty only where they were set. So fetch the object first. What is edited while this runs stays unsaved.
    ///
    /// The URL is made of what the server last said, so an edited key is in the body only.
    ///
    /// It waits for requests about this object that are on their way, and sends what has changed by then.
    ///
    /// - Parameters:
    ///   - method: the HTTP method, and how the body says what has changed; nil for the model's own
    ///     (`@Model(saveMethod: .put)`), or else the API's.
    ///   - settings: the call's own ``Call``: `{ $0.timeout = .seconds(120) }`.
    /// - Throws: ``APIError``, as ``create(with:)``. ``APIError/unencodable(_:)`` for a way to save that the API's
    ///   bodies don't have, such as a JSON Patch where they are forms. ``APIError/conflict(_:)`` with both versions when the server has
    ///   another one. ``APIError/otherObject(model:_:)`` when the reply is about another object, unless the model says
    ///   that the server renames its objects (``IdentityRenaming/byServer``); nothing was stored then. ``RouteProblem/changedParent(model:property:)`` when a link was changed that stands in the URL only.
    ///   ``APIError/notYetCreated(model:)`` for an object that was not created yet and has no key.
    ///   ``StoreError/readOnlyProperty(model:property:)`` in ``APIError/store(_:)`` when an edit of the object was not
    ///   made; it says so once, and nothing was sent.
    public nonisolated(nonsending) func save(
        using method: SaveMethod? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) {
        if method == nil, isQueued(settings) { return try await save(.queued) }
        try await saveNow(method, settings)
    }

    /// - Returns: whether there was something to send.
    @discardableResult
    nonisolated(nonsending) func saveNow(
        _ method: SaveMethod?, _ settings: Call.Settings?
    ) async throws(APIError) -> Bool {
        try await inTurn(with: settings) { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            let method = method ?? client.saveMethod(of: _object.model)
            let url = try requestURL(to: .update, by: client)
            return try await send(Delivery(saving: method, at: url), by: client, in: context)
        }
    }

    /// Sends these properties alone, whether or not they were edited: `PATCH base/:key`, and imports the reply.
    ///
    /// ```swift
    /// try await user.save(only: \.email, \.name)                     // PATCH /users/7 {"email":…,"name":…}
    /// try await user.save(only: \.password, using: .put)             // PUT, with these keys only
    /// ```
    ///
    /// Edits of these properties are acknowledged by the server's success, also by a reply without a body. Edits of
    /// other properties stay unsent. A property that a save doesn't send, as a read-only one, is
    /// ``APIError/unsendable(model:property:value:)``.
    ///
    /// - Parameters:
    ///   - properties: the properties to send; a relationship goes out as it does in a save.
    ///   - method: PATCH, PUT or POST; nil for the model's own, or else the API's.
    ///   - settings: the call's own ``Call``.
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
            let url = try requestURL(to: .update, by: client)
            let method = method ?? client.saveMethod(of: _object.model)
            // A row that has become another model's may lack a property of this one.
            let indexes = chosen.compactMap { _object.model.index(of: $0) }
            var delivery = Delivery(saving: method, at: url)
            delivery.purpose = .saveOnly(indexes, method.changeFormat)
            try await send(delivery, by: client, in: context)
        }
    }

    /// Sends the object, if there is something to send, and stores what was sent with what the reply says.
    ///
    /// - Returns: whether there was.
    @discardableResult
    nonisolated(nonsending) func send(
        _ delivery: Delivery, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) -> Bool {
        let (purpose, membership, told) = (delivery.purpose, delivery.membership, delivery.told)
        let (url, owner) = (delivery.url, delivery.owner)
        await context.finishSaves()
        if purpose == .create { try context.checkDoubt(creating: self) }
        var outgoing: Outgoing
        repeat {
            await context.waitForOtherSides(of: _object)
            let prepared = Result { () throws(APIError) -> Outgoing? in
                try Outgoing(self, to: purpose, at: client, in: context, after: delivery.batches)
            }
            try check(try? prepared.get(), joining: membership?.owner, in: context)
            guard let next = try prepared.get() else { return false }
            outgoing = next.repeating(OutboxScope.current?.repeated)
            // Another context may have begun to send the inverse list meanwhile.
        } while !context.beginSend(outgoing.atRisk, of: _object)
        try await whileSending(outgoing, in: context) { (outcome) throws(APIError) in
            let model = _object.model
            var trip = client.roundTrip(
                delivery.method, url.naming(outgoing.body), body: .json(outgoing.body), about: model, asking: .object,
                in: context)
            trip.subject = Subject(_object, sending: outgoing.confirmed, to: client)
            trip.subject?.edits = Set(outgoing.confirmations.flatMap(\.edits))
            trip.subject?.isNew = purpose == .create
            trip.subject?.takesName = purpose != .create && client.isRenamedByServer(model)
            trip.address = { [_object] in client.urlAroundKey(of: _object, below: owner) }
            if purpose != .create { trip.addCondition(about: self) }
            trip.inPassing = outgoing.inPassing
            trip.within = outgoing.within
            let facts = outgoing.facts(of: _object, in: context)
            let kept = purpose == .create ? OutboxScope.keeping(outgoing, delivery.method, to: url) : []
            let reply = try await reply(to: trip, with: facts, keeping: kept, in: context, &outcome)
            let outgoing = outgoing.leavingStored(in: context)
            let bases = [url, try? client.collectionURL(for: _object)].compactMap { $0.map(client.api.url) }
            // That of a save leads to something else: a revision, or what tells when it is done.
            let location =
                purpose != .create
                ? nil
                : reply.location(
                    at: client.urlAroundKey(of: _object, below: owner), below: bases,
                    isPath: client.keyIsPath(of: model))
            let taken = Taken(
                batches: outgoing.stored + trip.validators(in: reply, of: _object.record),
                confirmations: outgoing.confirmations + repeatedConfirmations(of: told),
                membership: membership, location: location)
            let deed = try trip.deed(reply, about: _object, taking: taken)
            let report: ImportReport
            do throws(APIError) {
                report = try await trip.confirm(deed, of: reply)
            } catch {
                if purpose == .create, case .unstored = error {
                    let creation = UnstoredCreation(
                        deed: deed, outgoing: outgoing, list: membership?.owner, request: reply.request)
                    keep(creation, answering: reply.question, in: context)
                }
                throw error
            }
            outcome = .confirmed
            noteStored(outgoing, outgoing.confirmations, in: context)
            try trip.tellConfirmed(report, of: reply)
        }
        return true
    }

    /// The edits of a list that its request acknowledges. A repeated body has those that it had at first.
    private nonisolated func repeatedConfirmations(of told: LinkTold?) -> [WriteBatch.Confirmation] {
        let confirmations = told?.confirmations ?? []
        guard let sent = OutboxScope.current?.repeated, sent.key != nil, sent.body != nil else { return confirmations }
        return confirmations.map { $0.acknowledging(sent.stamps) }
    }

    /// Reports all that is wrong with what is to be sent at once: edits that were not made, and what the objects' own
    /// rules say, with the object linked to the list that it is to join.
    private nonisolated func check(
        _ outgoing: Outgoing?, joining list: ListOwner?, in context: ObjectContext
    ) throws(APIError) {
        let sent = outgoing.map { context.objects(in: $0.sent) } ?? []
        let asked = Set(sent.map { ObjectIdentifier($0) })
        let along = outgoing?.along.compactMap { context.object(for: $0.record) } ?? []
        let known = along.filter { !asked.contains(ObjectIdentifier($0)) }
        do {
            try context.validate(
                sent + known, adding: self, to: list, besides: context.takeRefusals(of: _object))
        } catch {
            throw .store(error)
        }
    }

    /// Sends a request, whose facts are marked in the file before.
    ///
    /// - Parameters:
    ///   - changes: what the outbox keeps of the request.
    ///   - outcome: is set if the server has rejected the request, or wasn't asked.
    private nonisolated(nonsending) func reply(
        to trip: RoundTrip, with facts: [SentFact], keeping changes: [OutboxChange], in context: ObjectContext,
        _ outcome: inout Underway.Outcome
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

    /// Runs `body`, which sends the object and sets the outcome. Until it returns, the object is in flight. Begin the
    /// send before (``ObjectContext/beginSend(_:of:)``).
    nonisolated(nonsending) func whileSending(
        _ outgoing: Outgoing, in context: ObjectContext,
        _ body: (inout Underway.Outcome) async throws(APIError) -> Void
    ) async throws(APIError) {
        let facts = outgoing.facts(of: _object, in: context)
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
        _ body: (inout Underway.Outcome) async throws(APIError) -> Void
    ) async throws(APIError) {
        var outcome = Underway.Outcome.unknown
        let record = _object.record
        context.underway.noteSent(outgoing.parts, in: outgoing.lists, within: record)
        context.beginVersions(outgoing.confirmations)
        defer { context.endVersions(outgoing.confirmations, outcome) }
        for batch in outgoing.sent { context.noteInFlight(batch) }
        let links = outgoing.tellLinks(in: context)
        let along = outgoing.along.map { ($0, wasInDoubt: context.underway.isInDoubt($0.record)) }
        for (part, _) in along { part.begin(in: context) }
        defer {
            for (link, edits) in links {
                link.end(edits ?? [], edits == nil && outcome == .confirmed ? .refused : outcome)
            }
            context.underway.endSend(of: record, Set(outgoing.confirmations.flatMap(\.edits)), outcome)
            context.noteEnd(outcome, ofSending: _object)
            for batch in outgoing.sent { context.noteLanded(batch) }
            for (part, wasInDoubt) in along { part.end(outcome, wasInDoubt: wasInDoubt, in: context) }
        }
        try await body(&outcome)
    }

    /// The server has taken what was sent, and the file has it.
    nonisolated func noteStored(
        _ outgoing: Outgoing, _ confirmations: [WriteBatch.Confirmation], in context: ObjectContext
    ) {
        for batch in outgoing.sent { context.noteSaved(batch) }
        guard !context.isEnded else { return }
        context.noteConfirmed(confirmations)
    }
}

extension Submodel {
    /// Sends properties that the class itself declares, and no others.
    public nonisolated(nonsending) func save<each Token: PropertyToken>(
        only properties: repeat KeyPath<OwnProperties, each Token>, using method: SaveMethod? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) {
        var chosen: [PropertyDescription] = []
        for keyPath in repeat each properties { chosen.append(Self.ownProperties[keyPath: keyPath].description) }
        try await save(chosen, using: method, with: settings)
    }
}

/// How an object is sent.
struct Delivery {
    let method: HTTPRequest.Method
    let url: RequestURL
    /// What of the object goes out, and what the reply is to say.
    var purpose: Outgoing.Purpose
    /// The list that the object is to be a member of, by the same request.
    var membership: ImportRequest.Membership?
    /// The owner of that list.
    var owner: ListedOwner?
    /// What is to be in the file before.
    var batches: [WriteBatch] = []
    /// The link that this changes with it.
    var told: LinkTold?

    init(_ method: HTTPRequest.Method, at url: RequestURL, to purpose: Outgoing.Purpose) {
        (self.method, self.url, self.purpose) = (method, url, purpose)
    }

    /// A save of what has changed, or of the whole.
    init(saving method: SaveMethod, at url: RequestURL) {
        self.init(HTTPRequest.Method(method), at: url, to: Outgoing.Purpose(saving: method))
    }
}

extension APIError {
    /// Whether the server has said that it did not do what it was asked to, or was not asked, as the body can't be said
    /// in a form. That an object isn't found where it was may be because it was.
    var isRefusal: Bool {
        let status: Int
        switch self {
        case .unsendable, .unjoinable, .wrongContentType: return true
        // A success is an error where it says that nothing was done.
        case .reply(let error): status = error.status
        case .conflict(let conflict): status = conflict.reply.status
        default: return false
        }
        return 200..<300 ~= status || 400..<500 ~= status && ![404, 408, 410].contains(status)
    }

    /// What has come of a change of an object that the server knew: an object that it doesn't find was not changed.
    var outcomeOfChange: Underway.Outcome { reply?.kind == .notFound ? .refused : outcome }

    /// What has come of a request that ended so, whether or not it was sent.
    var outcome: Underway.Outcome {
        if isRefusal { return .refused }
        switch self {
        case .transport(let error): return error.saysUnsent ? .refused : .unknown
        case .store(.file), .store(.timedOut), .store(.cancelled): return .unknown
        case .store, .noAPI, .notStored, .route, .unknownTarget, .partialList, .repeatedMember, .unidentified,
            .alreadyCreated, .notYetCreated, .undecidedCreation, .unencodable:
            return .refused
        default: return .unknown
        }
    }
}
