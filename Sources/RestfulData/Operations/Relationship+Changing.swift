import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

// MARK: Adding

extension Relationship {
    /// Creates an object as a member of this list: a `POST` to the list's route, with the values set. Imports the reply
    /// into the object, and links both.
    ///
    /// ```swift
    /// let issue = Issue(in: store.main)
    /// issue.title = "Found a bug"
    /// try await repository.$issues.add(issue)      // POST /repos/octocat/Hello-World/issues
    /// ```
    ///
    /// An object that the server knows already is linked instead of created:
    ///
    /// - If the list is the inverse of a to-one link, by that link: `PATCH /posts/5 {"author_id":7}`. A model that
    ///   saves by PUT sends the whole object.
    /// - Otherwise, or if the link is part of the member's URL or is never sent, by a `POST` to the list's route. The
    ///   body has the member as the relationship is sent: `{"label_ids":[1]}`, or `{"labels":["bug"]}` for
    ///   `sentAs: .key("name")`. ``MembershipMethod`` declares other ways. A list in the reply is merged in. An object
    ///   in the reply is imported if it is the member.
    ///
    /// The member's other edits stay unsaved. Values and membership are stored in one transaction.
    ///
    /// This waits for requests in flight about the member, and, if the list is sent with its owner, for saves of the
    /// owner, which wait for it, too. The member's ``Model/validate()`` runs before, with the member in the list.
    ///
    /// - Parameters:
    ///   - member: the object to add.
    ///   - settings: changes the ``Call``. Names in its ``Call/path`` take their values from the owner.
    /// - Throws: ``APIError``, as the member's `create()` or `save()`. Both objects are then unchanged.
    public nonisolated(nonsending) func add<D: Model>(
        _ member: D, with settings: Call.Settings? = nil
    ) async throws(APIError) where Value == [D] {
        if owner.isQueued(settings) { return try await add(member, .queued) }
        try await addNow(member, settings)
    }

    nonisolated(nonsending) func addNow<D: Model>(
        _ member: D, _ settings: Call.Settings?
    ) async throws(APIError) where Value == [D] {
        let sentMembership = SentMembership(of: member, by: self, joins: true, in: try liveContext(with: member))
        do throws(APIError) {
            try await inTurn(with: member, by: settings) { (context, client) throws(APIError) in
                try await sentMembership.mark()
                let creation = try await member.storeCreation(by: client, in: context)
                if let list = creation?.list, list == listOwner { return }
                if member._object.isAtServer {
                    try await link(member, tracking: sentMembership, by: client, in: context)
                } else {
                    var delivery = Delivery(.post, to: .create) { () throws(APIError) in
                        try client.callURL(try route(client, to: .add).url, for: owner._object)
                    }
                    (delivery.membership, delivery.owner) = (importMembership, listedOwner)
                    (delivery.batches, delivery.sentMembership) = (ownerBatch(in: context), sentMembership)
                    try await member.send(delivery, by: client, in: context)
                }
            }
        } catch {
            await sentMembership.end(error.outcome)
            throw error
        }
        noteAdded(member, sentMembership)
        await sentMembership.end(.confirmed)
    }

    private func noteAdded<D: Model>(_ member: D, _ sentMembership: SentMembership) where Value == [D] {
        sentMembership.forgetEdits()
        guard !owner.isDeleted, !member.isDeleted, owner.context?.isEnded == false, !sentMembership.isOverruled else {
            return
        }
        owner._object.noteAccepted(member._object.localID, in: compiled, isMember: true)
        // The outbox sends saved edits, so the file has the member.
        guard OutboxScope.current == nil else { return }
        // A list with unsaved edits hides the file's members.
        let list: [D] = members()
        if !list.contains(where: { $0._object.localID == member._object.localID }) { setMembers(list + [member]) }
    }

    /// Runs `body` in turn: saves of the owner that send the list wait, since one request would undo the other at the
    /// server.
    private nonisolated(nonsending) func inTurn<D: Model, Result>(
        with member: D, by settings: Call.Settings?,
        _ body: (ObjectContext, APIClient) async throws(APIError) -> Result
    ) async throws(APIError) -> Result {
        let (own, other) = (owner._object.record, member._object.record)
        guard compiled.list?.options.sentAs != .never, own != other else {
            return try await member.inTurn(with: settings, body)
        }
        // The same order always, to avoid a deadlock.
        if (own.table, own.row) < (other.table, other.row) {
            return try await owner.inTurn(isFetch: true) { (_, _) throws(APIError) in
                try await member.inTurn(with: settings, body)
            }
        }
        return try await member.inTurn { (_, _) throws(APIError) in
            try await owner.inTurn(with: settings, isFetch: true) { (context, _) throws(APIError) in
                try await body(context, try context.client(of: member._object.model))
            }
        }
    }

    func liveContext(with member: some Model) throws(APIError) -> ObjectContext {
        let context = try owner.liveContext()
        guard try member.liveContext() === context else {
            throw .store(.foreignObject(model: member._object.model.modelName))
        }
        return context
    }

    private var listedOwner: ListedOwner? {
        compiled.list?.inverse.map { ListedOwner(row: owner._object.known, link: $0) }
    }

    var listOwner: ListOwner { ListOwner(compiled.index, of: owner._object.record) }

    private nonisolated(nonsending) func begin<D: Model>(
        with member: D, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) -> OpenRequest where Value == [D] {
        let isWhole = client.saveMethod(of: member._object.model) == .put
        let scope = { (_: Void?) in context.scope(of: member._object, inListOf: listOwner, sendingWhole: isWhole) }
        return try await member.begin(in: context, scope: scope) { () throws(APIError) in }.request
    }

    private var importMembership: ImportRequest.Membership {
        owner._object.importMembership(of: compiled, isWhole: false)
    }

    private var isEdited: Bool { owner._object.hasEdited(compiled) }

    /// - Parameter isRepeated: whether the server may now have the member more than once.
    private func confirmed(
        _ change: WriteBatch.Membership.Change, _ member: RowID, by sentMembership: SentMembership,
        isRepeated: Bool = false
    ) -> WriteBatch {
        var membership = WriteBatch.Membership(
            member, change, of: listOwner, requestedAt: sentMembership.begun, taking: sentMembership.known)
        membership.isRepeated = isRepeated
        return WriteBatch.confirmed(memberships: [membership])
    }
}

// MARK: Linking existing objects

extension Relationship {
    private nonisolated(nonsending) func link<D: Model>(
        _ member: D, tracking sentMembership: SentMembership, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let request = try await begin(with: member, by: client, in: context)
        defer { request.end() }
        do { try context.validate([member], adding: member, to: listOwner) } catch { throw .store(error) }
        if let link = sentLink(of: member._object, by: client) {
            try await save(link, of: member, tracking: sentMembership, in: context)
        } else {
            try await post(member, tracking: sentMembership, by: client, in: context)
        }
    }

    /// The link by which a save of a known member joins it to the list; nil if the member is sent to the list's route.
    func sentLink(of member: ObjectState, by client: APIClient) -> Property? {
        guard let list = compiled.list, case .column(let index, _, _) = list.storage,
            (try? client.objectRoute(of: member.model)) != nil
        else { return nil }
        let target = client.schema[list.target]
        let property = target[index]
        guard let link = property.link, link.options.sentAs != .never, !target.hasInURL(property) else { return nil }
        return property
    }

    private nonisolated(nonsending) func save<D: Model>(
        _ link: Property, of member: D, tracking sentMembership: SentMembership, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let client = try client(in: context)
        let state = member._object
        let model = state.model
        let method = client.saveMethod(of: model)
        let isWhole = method == .put
        await context.finishSaves()
        let unsent = state.unsentProperties
        let others = isWhole ? state.knownProperties(with: unsent) : state.alwaysSent(besides: [link])
        var outbound = try OutboundObject(
            linking: state, by: link, to: [owner._object], with: others, in: client.schema)
        if isWhole { outbound.addType() }
        let body = try outbound.body(as: method.changeFormat, changing: [link.name], by: client)
        var trip = client.roundTrip(
            HTTPRequest.Method(method), try member.requestURL(to: .update, by: client).naming(body),
            body: .json(body), about: model, asking: .object, in: context)
        trip.subject = Subject(state, sending: [link], to: client)
        trip.subject?.mayRename = client.isRenamedByServer(model)
        trip.address = { client.urlAroundKey(of: state, below: nil) }
        trip.addCondition(about: member)
        // A PUT, or an attribute that is always sent, sends other edits too. They stay pending, unless the reply
        // repeats them.
        let sent = Set(others.map(\.index)).subtracting([link.index])
        let includedEdits = IncludedEdits(unsent.filter { sent.contains($0.index) }, of: state)
        let hadUnknownOutcome = context.operations.hasUnknownOutcome(state.record)
        var outcome = InFlightOperations.Outcome.unknown
        includedEdits.begin(in: context)
        defer { includedEdits.end(outcome, hadUnknownOutcome: hadUnknownOutcome, in: context) }
        let reply: Reply
        do throws(APIError) { reply = try await trip.send() } catch {
            outcome = error.outcomeOfChange
            throw error
        }
        let sentChange = SentChange(
            batches: ownerBatch(in: context) + trip.validators(in: reply, of: state.record),
            confirmations: sentMembership.confirmations, membership: importMembership)
        let acceptedChange = try trip.acceptedChange(reply, about: state, taking: sentChange)
        let report = try await trip.confirm(acceptedChange, of: reply)
        outcome = .confirmed
        try trip.reportConfirmed(report, of: reply)
    }

    /// Adds the member at the list's route. A list in the reply is imported as a part, an object if it is the member.
    private nonisolated(nonsending) func post<D: Model>(
        _ member: D, tracking sentMembership: SentMembership, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let state = member._object
        let (method, url, hasBody) = try membershipRequest(of: state, by: client)
        let trip = client.roundTrip(
            method, try client.callURL(url, for: owner._object),
            body: .json(hasBody ? try body(naming: [state], in: client.schema) : nil), about: state.model,
            asking: .list, in: context)
        let isAgain = method == .post && mayStandTwice(state, by: client, in: context)
        let reply = try await trip.send()
        var request = ImportRequest(anyOf: state.model.table)
        if reply.isChangedList { request.membership = importMembership }
        var toImport = try trip.changedList(in: reply, as: request) { () throws(APIError) in Array("[]".utf8) }
        if !reply.isChangedList, case let objectReply = reply.asking(for: .object, from: client),
            try Subject(state, sending: [], to: client).isSubject(of: objectReply) == true
        {
            request = state.importRequest
            request.keyPath = objectReply.keyPath
            request.isOfParts = trip.asksForParts
            toImport = (body: reply.body, request: request)
        }
        let isRepeated = isAgain && toImport.request.membership == nil
        let added =
            isEdited && !isRepeated
            ? [] : [confirmed(.joins, state.localID, by: sentMembership, isRepeated: isRepeated)]
        let acceptedChange = AcceptedChange(
            reply, importing: toImport.body, as: toImport.request, after: ownerBatch(in: context) + added,
            confirming: sentMembership.confirmations)
        let report = try await trip.confirm(acceptedChange, of: reply)
        try trip.reportConfirmed(report, of: reply)
    }

    /// Whether a POST may have appended the member again. JSON:API forbids that
    /// (https://jsonapi.org/format/1.1/#crud-updating-to-many-relationships).
    private func mayStandTwice(_ member: ObjectState, by client: APIClient, in context: ObjectContext) -> Bool {
        guard client.api.conventions.document != .jsonAPI, compiled.list?.isOfLinks == false,
            compiled.list?.options.sentAs != .never,
            !owner._object.unsentProperties.contains(where: { $0.index == compiled.index })
        else { return false }
        return context.storesMembers([member.localID], of: owner._object, compiled.index) == true
    }

    func membershipRequest(
        of member: ObjectState, by client: APIClient
    ) throws(APIError) -> (HTTPRequest.Method, RequestURL, hasBody: Bool) {
        if client.api.conventions.document == .jsonAPI { return (.post, try linkageURL(client, to: .add), true) }
        let list = try route(client, to: .add).url
        switch compiled.list?.options.adds ?? client.api.conventions.memberships {
        case .post(let hasBody):
            return (.post, hasBody ? list : try url(of: member, below: list, isOwn: false, client), hasBody)
        case .put(let hasBody): return (.put, try url(of: member, below: list, isOwn: false, client), hasBody)
        }
    }

    /// A list's linkage: `/posts/1/relationships/tags` for related resources at `/posts/1/tags`
    /// (https://jsonapi.org/format/1.1/#document-resource-object-related-resource-links).
    func linkageURL(_ client: APIClient, to verb: RelationshipVerbs) throws(APIError) -> RequestURL {
        try checkVerb(verb)
        guard client.routes.route(of: compiled, in: owner._object.model) != nil else {
            let name = compiled.jsonPath.joined(separator: ".")
            return try client.ownURL(of: owner._object, to: .fetch).member(RouteValue("relationships"), isPath: false)
                .member(RouteValue(name), isPath: false)
        }
        return try route(client, to: verb).url.asLinkage
    }

    /// A body with the members as the list is sent; in JSON:API, linkage
    /// (https://jsonapi.org/format/1.1/#crud-updating-to-many-relationships).
    func body(naming members: [ObjectState], in schema: Schema) throws(APIError) -> [UInt8] {
        guard let target = schema.target(of: compiled) else { return [] }
        if schema.style(of: target).document == .jsonAPI {
            let types = schema.resourceTypes(ofAPIOf: target)
            return OutboundJSON.object([("data", .array(members.map { .linkage(to: $0, in: types) }))]).bytes
        }
        guard owner._object.model.api == target.api else {
            let names = AttributeMapping(schema.style(of: target).names)
            var identities: [OutboundJSON] = []
            for member in members { identities.append(try OutboundObject.identity(of: member, shaped: nil)) }
            return OutboundJSON.object([(names.identifierListName(for: compiled.name).name, .array(identities))]).bytes
        }
        return try OutboundObject(linking: owner._object, by: compiled, to: members, in: schema).body(in: [])
    }
}

// MARK: Deleting

extension Relationship {
    /// Removes a member at the server: `DELETE` of the list's route, `/` and the member's key.
    ///
    /// If this is the member's own URL, as for a route derived from the members' base URL, the member is deleted. At
    /// any other URL, `DELETE /issues/1/labels/bug`, it only leaves the list, unless `@Relationship(removal:)` declares
    /// otherwise. In JSON:API, the list's `/relationships/` URL gets the member as linkage. ``APIConventions/removals``
    /// has another way.
    ///
    /// If the member's move into this list was saved locally but not sent, the member is in no list afterwards, and its
    /// next save sends that.
    ///
    /// A 410 counts as a success, as does a 404 if a GET of the object or the list confirms it
    /// (``APIConventions/notFoundDeletions``). This waits for the same requests as ``add(_:with:)``.
    ///
    /// - Parameters:
    ///   - member: the object to remove.
    ///   - settings: changes the ``Call``. Names in its ``Call/path`` take their values from the owner.
    /// - Throws: ``APIError``; the list is unchanged here. ``RouteProblem/otherOwner(model:list:)`` if the server has
    ///   the member in another owner's list, by the member's own URL.
    public nonisolated(nonsending) func delete<D: Model>(
        _ member: D, with settings: Call.Settings? = nil
    ) async throws(APIError) where Value == [D] {
        if owner.isQueued(settings) { return try await delete(member, .queued) }
        try await deleteNow(member, settings)
    }

    nonisolated(nonsending) func deleteNow<D: Model>(
        _ member: D, _ settings: Call.Settings?
    ) async throws(APIError) where Value == [D] {
        let context = try liveContext(with: member)
        let sentMembership = SentMembership(of: member, by: self, joins: false, in: context)
        do throws(APIError) {
            try await delete(member, sentMembership, with: settings)
        } catch {
            await sentMembership.end(error.outcome)
            throw error
        }
        await sentMembership.end(.confirmed)
    }

    private nonisolated(nonsending) func delete<D: Model>(
        _ member: D, _ sentMembership: SentMembership, with settings: Call.Settings?
    ) async throws(APIError) where Value == [D] {
        // The previous turn may have changed the member's URL.
        try await inTurn(with: member, by: settings) { (context, client) throws(APIError) in
            try await sentMembership.mark()
            let (url, list, body) = try removalRequest(of: member._object, by: client)
            try checkOwner(of: member._object, at: isDerived(client) ? url : nil, below: list, client)
            let callURL = try client.callURL(url, for: owner._object)
            if deletes(member._object, at: url, by: client) {
                try await member.delete(in: context) { DeletionURLs(url: callURL, collection: list) }
            } else {
                let request = try await begin(with: member, by: client, in: context)
                defer { request.end() }
                let trip = client.roundTrip(
                    .delete, callURL, body: .json(body), about: member._object.model, in: context)
                try await trip.sendDeletion {
                    guard let property = compiled.list else { return false }
                    return await trip.isMemberGone(member._object, from: property, at: list)
                }
                // Stored before the next turn sends the list.
                try await leave(member, sentMembership, by: trip, in: context)
            }
        }
    }

    /// Whether a removal deletes the member, as at its own URL.
    ///
    /// - Parameter url: the URL of the removal; nil if it is unknown yet.
    func deletes(_ member: ObjectState, at url: RequestURL?, by client: APIClient) -> Bool {
        switch compiled.list?.options.removal ?? .byURL {
        case .deletes: true
        case .unlinks: false
        case .byURL: isDerived(client) || url != nil && (try? client.url(of: member)) == url
        }
    }

    func isDerived(_ client: APIClient) -> Bool {
        client.routes.route(of: compiled, in: owner._object.model)?.isDerived == true
    }

    /// The removal: at the member's URL below the list's, or at the list's URL with the member in the body.
    func removalRequest(
        of member: ObjectState, by client: APIClient
    ) throws(APIError) -> (url: RequestURL, list: RequestURL, body: [UInt8]?) {
        let removal = compiled.list?.options.removal ?? .byURL
        let mayHaveBody = !isDerived(client) && removal != .deletes
        if mayHaveBody, client.api.conventions.document == .jsonAPI {
            let list = try linkageURL(client, to: .delete)
            return (list, list, try body(naming: [member], in: client.schema))
        }
        let list = try route(client, to: .delete).url
        let url = try url(of: member, below: list, isOwn: isDerived(client), client)
        guard mayHaveBody, client.api.conventions.removals == .withBody,
            removal == .unlinks || (try? client.url(of: member)) != url
        else { return (url, list, nil) }
        return (list, list, try body(naming: [member], in: client.schema))
    }

    /// - Parameter url: the member's URL below the list's, if the list's route is derived.
    /// - Throws: ``RouteProblem/otherOwner(model:list:)`` if the server has the member in another owner's list.
    private func checkOwner(
        of member: ObjectState, at url: RequestURL?, below list: RequestURL, _ client: APIClient
    ) throws(APIError) {
        let isOther: Bool
        if let url {
            isOther = (try? client.url(of: member)).map { $0 != url } ?? false
        } else {
            // A registered route may equal the members' base URL.
            let links = member.model.properties.filter { $0.link?.target == owner._object.model.table }
            let link = compiled.list?.inverse ?? links.first(where: member.model.hasInURL)?.index
            let base = link.flatMap { link in
                try? client.collectionURL(for: member, below: ListedOwner(row: owner._object.known, link: link))
            }
            isOther = base == list && (try? client.collectionURL(for: member)).map { $0 != list } ?? false
        }
        guard isOther else { return }
        let name = "\(owner._object.model.modelName).\(compiled.name)"
        throw .route(.otherOwner(model: member.model.modelName, list: name))
    }

    func url(
        of member: ObjectState, below list: RequestURL, isOwn: Bool, _ client: APIClient
    ) throws(APIError) -> RequestURL {
        guard let key = member.model.key.map({ member.model[$0] }), case .attribute = key.kind else {
            throw .route(.noRoute(of: member.model.modelName, needs: "its key, as in @Model(key: \"number\")"))
        }
        if isOwn, let url = try client.specialURL(of: member) { return url }
        let value = KeyPathResolver.value(of: key, in: member.known).segment(of: key, in: client.schema)
        do {
            return try list.member(value, isPath: client.keyIsPath(of: member.model))
        } catch {
            throw client.explained(error, by: member)
        }
    }

    private nonisolated(nonsending) func leave<D: Model>(
        _ member: D, _ sentMembership: SentMembership, by trip: RoundTrip, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let id = member._object.localID
        func leaveEdited() {
            guard !context.isEnded, !owner.isDeleted, !sentMembership.isOverruled else { return }
            let list: [D] = members()
            guard list.contains(where: { $0._object.localID == id }) else { return }
            owner._object.noteAccepted(id, in: compiled, isMember: false)
            setMembers(list.filter { $0._object.localID != id })
        }
        if isEdited, !sentMembership.isOverruled { return leaveEdited() }
        try await trip.store([confirmed(.leaves, id, by: sentMembership)], confirming: sentMembership.confirmations)
        sentMembership.forgetEdits()
        // Pending edits hide the server's change, so the list is edited as well.
        if owner._object.unsentProperties.contains(where: { $0.index == compiled.index }) { leaveEdited() }
    }
}

/// A request that adds or removes a member, tracked on both sides. An edit made while it is in flight stays pending and
/// wins, even if it restores the current value.
struct SentMembership {
    /// The member's link, or a many-to-many list of either object.
    private struct Side {
        let object: any Model
        let property: Property
        let other: RowID
        let token: SentLink
        let known: Set<ChangeStamp>

        init(_ property: Property, of object: any Model, to other: ObjectState, in context: ObjectContext) {
            (self.object, self.property, self.other) = (object, property, other.localID)
            token = context.operations.beginLinkSend(property.index, of: object._object.record)
            known = object._object.unsentEdits(of: [property])
        }

        /// Whether an edit made since the request contradicts it.
        func isOverruled(joins: Bool) -> Bool {
            let state = object._object
            guard !state.unsentEdits(of: [property]).isSubset(of: known) else { return false }
            return property.link != nil || state.hasDecided(other, in: property, isMember: !joins, besides: known)
        }
    }

    private let member: any Model
    private let link: Property?
    private let context: ObjectContext
    private let joins: Bool
    let begun = ChangeStamp.now()
    private let sides: [Side]
    /// Older edits of the link, which the request replaces.
    private let edits: Set<ChangeStamp>
    let confirmations: [WriteBatch.Confirmation]

    init<D: Model>(of member: D, by list: Relationship<some Model, [D]>, joins: Bool, in context: ObjectContext) {
        (self.member, self.context, self.joins) = (member, context, joins)
        let (state, owner) = (member._object, list.owner._object)
        let inverse = list.compiled.list?.inverse.map { state.model[$0] }
        let link = inverse.flatMap { $0.link == nil ? nil : $0 }
        self.link = link
        var sides = inverse.map { [Side($0, of: member, to: owner, in: context)] } ?? []
        // Lists other than many-to-many ones consist of their members' links.
        if case .join = list.compiled.list?.storage {
            sides.append(Side(list.compiled, of: list.owner, to: state, in: context))
        }
        self.sides = sides
        // A removed member may have been moved to another list before. That edit stays.
        let isOlder =
            link.map { joins || state.storedValue($0) == StoredValue.integer(owner.localID.rawValue) } ?? false
        let edits = isOlder ? sides[0].known : []
        self.edits = edits
        let (target, former) = joins ? (owner, nil) : (nil, owner)
        confirmations = link.map { [state.confirmation(of: $0, to: target, leaving: former, edits: edits)] } ?? []
    }

    var known: Set<ChangeStamp> { sides.reduce(into: []) { $0.formUnion($1.known) } }

    var isOverruled: Bool { sides.contains { $0.isOverruled(joins: joins) } }

    func forgetEdits() {
        if let link, !context.isEnded { context.forgetEdit(of: link, in: member, among: edits) }
    }

    /// Ends the request. If its outcome is known, an edit made meanwhile to the value now stored is dropped.
    nonisolated(nonsending) func end(_ outcome: InFlightOperations.Outcome) async {
        for side in sides { side.token.end(edits, outcome) }
        if let link { context.forgetStoredEdit(of: link, in: member) }
        await context.unmark(facts)
    }

    nonisolated(nonsending) func mark() async throws(APIError) {
        do { try await context.mark(facts) } catch { throw .store(error) }
    }

    private var facts: [SentFact] {
        sides.map { SentFact(.relationship($0.property.index), of: $0.object._object.record) }
    }
}

extension RequestURL {
    fileprivate var asLinkage: RequestURL {
        let end = text.firstIndex(of: "?") ?? text.endIndex
        let path = text[..<end]
        guard !path.contains("/relationships/") else { return self }
        let last = path.hasSuffix("/") ? path.dropLast().lastIndex(of: "/") : path.lastIndex(of: "/")
        guard let last else { return self }
        return RequestURL(path[...last] + "relationships" + path[last...] + text[end...])
    }
}
