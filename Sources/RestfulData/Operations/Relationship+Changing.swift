import Conventions
import HTTPTypes
public import ObjectStore
import RESTTransport

// MARK: Adding

extension Relationship {
    /// Creates an object as a member of this list: `POST` to its route with what was set, the reply imported into this
    /// same instance, and both linked.
    ///
    /// ```swift
    /// let issue = Issue(in: store.main)
    /// issue.title = "Found a bug"
    /// try await repository.$issues.add(issue)      // POST /repos/octocat/Hello-World/issues
    /// ```
    ///
    /// A member that the server knows already isn't created again but linked:
    ///
    /// - when the list is the other direction of a to-one link, by that link, `PATCH /posts/5 {"author_id":7}` (a PUT
    ///   of the whole when the member's model says so);
    /// - else, and when the link is part of the member's URL or is never sent, by a `POST` to the list's route with the
    ///   member in the way that the relationship is sent: `{"label_ids":[1]}`, or `{"labels":["bug"]}` for `sentAs:
    ///   .key("name")`, or as ``MembershipMethod`` says otherwise. Of the reply, a list is merged in, and an object is
    ///   imported if it is the member.
    ///
    /// Other unsaved edits of the member stay unsaved. What is sent, what the reply says and the membership are written
    /// in one transaction. It waits for requests about the member that are on their way, and where the list goes out
    /// with its owner, for saves of that, as these wait for it.
    ///
    /// The member's own ``Model/validate()`` is asked before, and sees the member as linked.
    ///
    /// - Parameters:
    ///   - member: the object to add.
    ///   - settings: the call's own ``Call``; names of its ``Call/path`` take their values from the owner.
    /// - Throws: ``APIError``, as the member's `create()` or `save()`; neither object has changed, and the member can
    ///   be added again.
    public nonisolated(nonsending) func add<D: Model>(
        _ member: D, with settings: Call.Settings? = nil
    ) async throws(APIError) where Value == [D] {
        if owner.isQueued(settings) { return try await add(member, .queued) }
        try await addNow(member, settings)
    }

    nonisolated(nonsending) func addNow<D: Model>(
        _ member: D, _ settings: Call.Settings?
    ) async throws(APIError) where Value == [D] {
        let told = LinkTold(of: member, by: self, joins: true, in: try liveContext(with: member))
        do throws(APIError) {
            try await inTurn(with: member, by: settings) { (context, client) throws(APIError) in
                try await told.mark()
                let creation = try await member.storeCreation(by: client, in: context)
                if let list = creation?.list, list == ListOwner(compiled.index, of: owner._object.record) { return }
                if member._object.isAtServer {
                    try await link(member, telling: told, by: client, in: context)
                } else {
                    let url = try client.callURL(try route(client, to: .add).url, for: owner._object)
                    var delivery = Delivery(.post, at: url, to: .create)
                    (delivery.membership, delivery.owner) = (importMembership, listedOwner)
                    (delivery.batches, delivery.told) = (ownerBatch(in: context), told)
                    try await member.send(delivery, by: client, in: context)
                }
            }
        } catch {
            await told.end(error.outcome)
            throw error
        }
        noteAdded(member, told)
        await told.end(.confirmed)
    }

    /// Shows the new member in the context's list, also if that has edits of its own.
    private func noteAdded<D: Model>(_ member: D, _ told: LinkTold) where Value == [D] {
        told.forgetEdits()
        guard !owner.isDeleted, !member.isDeleted, owner.context?.isEnded == false, !told.isOverruled else { return }
        owner._object.noteAccepted(member._object.localID, in: compiled, isMember: true)
        // What the outbox sends was saved before.
        guard OutboxScope.current == nil else { return }
        // A list with edits of its own isn't what the file says.
        let list: [D] = members()
        if !list.contains(where: { $0._object.localID == member._object.localID }) { setMembers(list + [member]) }
    }

    /// Does something about a member with the server, after what was begun before about it, and apart from saves of the
    /// owner that carry the list: else one would undo the other at the server. Other members may join or leave at once.
    private nonisolated(nonsending) func inTurn<D: Model, Result>(
        with member: D, by settings: Call.Settings?,
        _ body: (ObjectContext, APIClient) async throws(APIError) -> Result
    ) async throws(APIError) -> Result {
        let (own, other) = (owner._object.record, member._object.record)
        guard compiled.list?.options.sentAs != .never, own != other else {
            return try await member.inTurn(with: settings, body)
        }
        // In one order, whichever of the two is the owner, so that nobody waits for who waits for it.
        if (own.table, own.row) < (other.table, other.row) {
            return try await owner.inTurn(isQuestion: true) { (_, _) throws(APIError) in
                try await member.inTurn(with: settings, body)
            }
        }
        return try await member.inTurn { (_, _) throws(APIError) in
            try await owner.inTurn(with: settings, isQuestion: true) { (context, _) throws(APIError) in
                // The requests are about the member.
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

    /// The owner, as the members' links lead to it; nil where they don't.
    private var listedOwner: ListedOwner? {
        compiled.list?.inverse.map { ListedOwner(row: owner._object.known, link: $0) }
    }

    /// The list, for what is merged into it.
    private var importMembership: ImportRequest.Membership {
        owner._object.importMembership(of: compiled, isWhole: false)
    }

    /// Whether the list was edited here and not saved: then what the server does to it is one edit more.
    private var isEdited: Bool { owner._object.hasEdited(compiled) }

    /// What the server has done with a member.
    ///
    /// - Parameter isRepeated: whether it may have the member more than once by now.
    private func confirmed(
        _ change: WriteBatch.Membership.Change, _ member: RowID, by told: LinkTold, isRepeated: Bool = false
    ) -> WriteBatch {
        let owner = ListOwner(compiled.index, of: owner._object.record)
        var membership = WriteBatch.Membership(member, change, of: owner, askedAt: told.begun, taking: told.known)
        membership.isRepeated = isRepeated
        return WriteBatch.confirmed(memberships: [membership])
    }
}

// MARK: Linking what the server knows

extension Relationship {
    /// Makes an object that the server knows a member.
    private nonisolated(nonsending) func link<D: Model>(
        _ member: D, telling told: LinkTold, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        do {
            let list = ListOwner(compiled.index, of: owner._object.record)
            try context.validate([member], adding: member, to: list)
        } catch {
            throw .store(error)
        }
        if let link = linkBack(in: client.schema), (try? client.objectRoute(of: member._object.model)) != nil {
            try await save(link, of: member, telling: told, in: context)
        } else {
            try await post(member, telling: told, by: client, in: context)
        }
    }

    /// The members' link to this owner, if it can be sent.
    func linkBack(in schema: Schema) -> Property? {
        guard let list = compiled.list, case .column(let index, _, _) = list.storage else { return nil }
        let target = schema[list.target]
        let property = target[index]
        guard let link = property.link, link.options.sentAs != .never, !target.hasInURL(property) else { return nil }
        return property
    }

    /// Saves the member's own link.
    private nonisolated(nonsending) func save<D: Model>(
        _ link: Property, of member: D, telling told: LinkTold, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let client = try client(in: context)
        let state = member._object
        let model = state.model
        let method = client.saveMethod(of: model)
        let isWhole = method == .put
        await context.finishSaves()
        let unsent = state.unsentProperties
        let others = isWhole ? state.knownProperties(with: unsent) : state.alwaysSent(beside: [link])
        var outbound = try OutboundObject(
            linking: state, by: link, to: [owner._object], with: others, in: client.schema)
        if isWhole { outbound.addType() }
        let body = try outbound.body(as: method.changeFormat, changing: [link.name], by: client)
        var trip = client.roundTrip(
            HTTPRequest.Method(method), try member.requestURL(to: .update, by: client).naming(body),
            body: .json(body), about: model, asking: .object, in: context)
        trip.subject = Subject(state, sending: [link], to: client)
        trip.subject?.takesName = client.isRenamedByServer(model)
        trip.address = { client.urlAroundKey(of: state, below: nil) }
        // The whole, and what is always sent, have what is edited beside the link, which stays unsent.
        let sent = Set(others.map(\.index)).subtracting([link.index])
        let along = SentAlong(unsent.filter { sent.contains($0.index) }, of: state)
        let wasInDoubt = context.underway.isInDoubt(state.record)
        var outcome = Underway.Outcome.unknown
        along.begin(in: context)
        defer { along.end(outcome, wasInDoubt: wasInDoubt, in: context) }
        let reply: Reply
        do throws(APIError) { reply = try await trip.send() } catch {
            outcome = error.outcomeOfChange
            throw error
        }
        let taken = Taken(
            batches: ownerBatch(in: context) + trip.validators(in: reply, of: state.record),
            confirmations: told.confirmations, membership: importMembership)
        let deed = try trip.deed(reply, about: state, taking: taken)
        let report = try await trip.confirm(deed, of: reply)
        outcome = .confirmed
        try trip.tellConfirmed(report, of: reply)
    }

    /// Posts the member's identity to the list's route. Of the reply, a list is merged in, and an object is imported if
    /// it is the member.
    private nonisolated(nonsending) func post<D: Model>(
        _ member: D, telling told: LinkTold, by client: APIClient, in context: ObjectContext
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
        var body = Array("[]".utf8)
        request.teachesShapes = false
        if reply.hasBody, reply.isList {
            body = reply.body
            (request.keyPath, request.elementPath) = (reply.keyPath, reply.elementPath)
            request.teachesShapes = true
            request.membership = importMembership
        } else if case let objectReply = reply.asking(for: .object, from: client),
            try Subject(state, sending: [], to: client).isSubject(of: objectReply) == true
        {
            body = reply.body
            request = state.importRequest
            request.keyPath = objectReply.keyPath
        }
        request.isOfParts = trip.asksForParts
        // A list in the reply shows by itself how often it has the member.
        let isRepeated = isAgain && request.membership == nil
        let added =
            isEdited && !isRepeated ? [] : [confirmed(.joins, state.localID, by: told, isRepeated: isRepeated)]
        let deed = Deed(
            reply, saying: body, as: request, after: ownerBatch(in: context) + added, confirming: told.confirmations)
        let report = try await trip.confirm(deed, of: reply)
        try trip.tellConfirmed(report, of: reply)
    }

    /// Whether the server may have an object in the list twice once it has added it, as it has it already: of
    /// sequences, a POST adds to the end. In JSON:API it must not
    /// (https://jsonapi.org/format/1.1/#crud-updating-to-many-relationships).
    private func mayStandTwice(_ member: ObjectState, by client: APIClient, in context: ObjectContext) -> Bool {
        guard client.api.conventions.document != .jsonAPI, compiled.list?.isOfLinks == false,
            compiled.list?.options.sentAs != .never,
            !owner._object.unsentProperties.contains(where: { $0.index == compiled.index })
        else { return false }
        return context.storesMembers([member.localID], of: owner._object, compiled.index) == true
    }

    /// The request that makes an object a member: to the list's URL, or to the member's below it.
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

    /// Where JSON:API changes linkage
    /// (https://jsonapi.org/format/1.1/#document-resource-object-related-resource-links): `/posts/1/relationships/tags`
    /// for the related resources at `/posts/1/tags`.
    func linkageURL(_ client: APIClient, to verb: RelationshipVerbs) throws(APIError) -> RequestURL {
        try checkVerb(verb)
        guard client.routes.route(of: compiled, in: owner._object.model) != nil else {
            let name = compiled.jsonPath.joined(separator: ".")
            return try client.ownURL(of: owner._object, to: .fetch).member(RouteValue("relationships"), isPath: false)
                .member(RouteValue(name), isPath: false)
        }
        return try route(client, to: verb).url.asLinkage
    }

    /// Members as the list is sent, or, in JSON:API, as linkage
    /// (https://jsonapi.org/format/1.1/#crud-updating-to-many-relationships).
    func body(naming members: [ObjectState], in schema: Schema) throws(APIError) -> [UInt8] {
        guard let target = schema.target(of: compiled) else { return [] }
        if schema.style(of: target).document == .jsonAPI {
            let types = schema.resourceTypes(beside: target)
            return OutboundJSON.object([("data", .array(members.map { .linkage(to: $0, in: types) }))]).bytes
        }
        guard owner._object.model.api == target.api else {
            // In the words of the API that it goes to, which has the members.
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
    /// Where this is the member's own URL, the member is deleted here too, as it is at the server; a route that is
    /// derived from the members' base URL gives that. At any other URL, `DELETE /issues/1/labels/bug`, it only leaves
    /// the list, unless `@Relationship(removal:)` says otherwise. In JSON:API the request for the latter has the member
    /// as linkage, and goes to the list's `/relationships/` URL; ``APIConventions/removals`` has another way.
    ///
    /// A member whose move into the list was saved and not sent yet is in no list from then on, which is sent with its
    /// next save, as the server has it where it was before.
    ///
    /// A reply of 410 says that it is gone already, and has the same effect; so does 404, once that is checked by a GET
    /// of the object or the list (``APIConventions/notFoundDeletions``). It waits for the same requests as
    /// ``add(_:with:)``.
    ///
    /// - Parameters:
    ///   - member: the object to remove.
    ///   - settings: the call's own ``Call``; names of its ``Call/path`` take their values from the owner.
    /// - Throws: ``APIError``; nothing has changed here. ``RouteProblem/otherOwner(model:list:)`` where the member's
    ///   own URL has another owner for the server.
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
        let told = LinkTold(of: member, by: self, joins: false, in: context)
        do throws(APIError) {
            try await delete(member, told, with: settings)
        } catch {
            await told.end(error.outcome)
            throw error
        }
        await told.end(.confirmed)
    }

    private nonisolated(nonsending) func delete<D: Model>(
        _ member: D, _ told: LinkTold, with settings: Call.Settings?
    ) async throws(APIError) where Value == [D] {
        // Which URL it has, who had the turn before may have changed.
        try await inTurn(with: member, by: settings) { (context, client) throws(APIError) in
            try await told.mark()
            let (url, list, body) = try removalRequest(of: member._object, by: client)
            try checkOwner(of: member._object, at: isDerived(client) ? url : nil, below: list, client)
            let isDeletion =
                switch compiled.list?.options.removal ?? .byURL {
                case .deletes: true
                case .unlinks: false
                case .byURL: isDerived(client) || (try? client.url(of: member._object)) == url
                }
            let callURL = try client.callURL(url, for: owner._object)
            if isDeletion {
                try await member.delete(at: callURL, from: list, in: context)
            } else {
                let trip = client.roundTrip(
                    .delete, callURL, body: .json(body), about: member._object.model, in: context)
                try await trip.sendDeletion {
                    guard let property = compiled.list else { return false }
                    return await trip.isMemberGone(member._object, from: property, at: list)
                }
                // Before who waits for its turn sends the list.
                try await leave(member, told, by: trip, in: context)
            }
        }
    }

    /// Whether the list's route is made of the members' own URLs.
    func isDerived(_ client: APIClient) -> Bool {
        client.routes.route(of: compiled, in: owner._object.model)?.isDerived == true
    }

    /// The DELETE of a member: at its URL below the list's, or at the list's with the member in the body.
    ///
    /// - Returns: its URL, the list's, and the body; nil for none.
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

    /// - Parameters:
    ///   - url: the member's own one, if this owner has it.
    ///   - list: the list's.
    /// - Throws: ``RouteProblem/otherOwner(model:list:)``.
    private func checkOwner(
        of member: ObjectState, at url: RequestURL?, below list: RequestURL, _ client: APIClient
    ) throws(APIError) {
        let isOther: Bool
        if let url {
            isOther = (try? client.url(of: member)).map { $0 != url } ?? false
        } else {
            // A route of its own may be the members' base URL all the same.
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

    /// - Parameter isOwn: whether it is the member's own URL.
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

    /// Takes the member out of the list.
    private nonisolated(nonsending) func leave<D: Model>(
        _ member: D, _ told: LinkTold, by trip: RoundTrip, in context: ObjectContext
    ) async throws(APIError) where Value == [D] {
        let id = member._object.localID
        func leaveEdited() {
            guard !context.isEnded, !owner.isDeleted, !told.isOverruled else { return }
            let list: [D] = members()
            guard list.contains(where: { $0._object.localID == id }) else { return }
            owner._object.noteAccepted(id, in: compiled, isMember: false)
            setMembers(list.filter { $0._object.localID != id })
        }
        if isEdited, !told.isOverruled { return leaveEdited() }
        try await trip.store([confirmed(.leaves, id, by: told)], confirming: told.confirmations)
        told.forgetEdits()
        // What the server has said stands beneath newer edits of the list, whichever they are.
        if owner._object.unsentProperties.contains(where: { $0.index == compiled.index }) { leaveEdited() }
    }
}

/// Both sides of a membership, while a request about it is on its way: what is set there meanwhile is an edit, even to
/// what it is, and has the last word.
struct LinkTold {
    /// A property of an object that says whether the member is in the list: its link back, or a list of either.
    private struct Side {
        let object: any Model
        let property: Property
        /// The row at the other end.
        let other: RowID
        let token: ToldLink
        /// The edits that were made before.
        let known: Set<ChangeStamp>

        init(_ property: Property, of object: any Model, to other: ObjectState, in context: ObjectContext) {
            (self.object, self.property, self.other) = (object, property, other.localID)
            token = context.underway.tell(property.index, of: object._object.record)
            known = object._object.unsentEdits(of: [property])
        }

        /// Whether it was set since, and the other way round.
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
    /// When the server is asked.
    let begun = ChangeStamp.now()
    private let sides: [Side]
    /// The older edits of the link, which give way.
    private let edits: Set<ChangeStamp>
    /// What the server confirms by doing it.
    let confirmations: [WriteBatch.Confirmation]

    /// - Parameter joins: whether the member joins the list, or leaves it.
    init<D: Model>(of member: D, by list: Relationship<some Model, [D]>, joins: Bool, in context: ObjectContext) {
        (self.member, self.context, self.joins) = (member, context, joins)
        let (state, owner) = (member._object, list.owner._object)
        let inverse = list.compiled.list?.inverse.map { state.model[$0] }
        let link = inverse.flatMap { $0.link == nil ? nil : $0 }
        self.link = link
        var sides = inverse.map { [Side($0, of: member, to: owner, in: context)] } ?? []
        // A list that is its members' links is what these say.
        if case .join = list.compiled.list?.storage {
            sides.append(Side(list.compiled, of: list.owner, to: state, in: context))
        }
        self.sides = sides
        // Who is taken out of a list may have been given to another one before.
        let isOlder =
            link.map { joins || state.storedValue($0) == StoredValue.integer(owner.localID.rawValue) } ?? false
        let edits = isOlder ? sides[0].known : []
        self.edits = edits
        let (target, former) = joins ? (owner, nil) : (nil, owner)
        confirmations = link.map { [state.confirmation(of: $0, to: target, leaving: former, edits: edits)] } ?? []
    }

    /// The edits of either side that were made before.
    var known: Set<ChangeStamp> { sides.reduce(into: []) { $0.formUnion($1.known) } }

    /// Whether somebody has said since that it is not to be.
    var isOverruled: Bool { sides.contains { $0.isOverruled(joins: joins) } }

    /// The server has the last word on what was edited before.
    func forgetEdits() {
        if let link, !context.isEnded { context.forgetEdit(of: link, in: member, among: edits) }
    }

    /// The server has answered, or will not. What was set meanwhile to what it is by now is no edit, unless nobody
    /// knows what the server has.
    nonisolated(nonsending) func end(_ outcome: Underway.Outcome) async {
        for side in sides { side.token.end(edits, outcome) }
        if let link { context.forgetStoredEdit(of: link, in: member) }
        await context.unmark(facts)
    }

    /// Marks the membership in the file, as it is about to be sent.
    nonisolated(nonsending) func mark() async throws(APIError) {
        do { try await context.mark(facts) } catch { throw .store(error) }
    }

    private var facts: [SentFact] {
        sides.map { SentFact(.relationship($0.property.index), of: $0.object._object.record) }
    }
}

extension RequestURL {
    /// The same with `relationships/` before the last segment of its path, unless that is there.
    fileprivate var asLinkage: RequestURL {
        let end = text.firstIndex(of: "?") ?? text.endIndex
        let path = text[..<end]
        guard !path.contains("/relationships/") else { return self }
        let last = path.hasSuffix("/") ? path.dropLast().lastIndex(of: "/") : path.lastIndex(of: "/")
        guard let last else { return self }
        return RequestURL(path[...last] + "relationships" + path[last...] + text[end...])
    }
}
