import Conventions
public import ObjectStore
import RESTTransport

// MARK: Objects

extension Model {
    /// Saves the object now or by way of the store's outbox.
    ///
    /// ```swift
    /// let issue = Issue(in: store.main)
    /// issue.title = "Found a bug"
    /// try await issue.save(.queued)              // in the file; POST as soon as possible
    /// ```
    ///
    /// With ``WriteTiming/queued`` the object's edits and its entry in the ``Outbox`` are written to the file in one
    /// transaction, with the new objects that it leads to. Other unsaved edits of the context stay unsaved. The outbox
    /// creates the object if the server doesn't know it; otherwise it sends all edits that the server doesn't have when
    /// the request is made. So several saves become one request. An object without such edits gets no entry. An entry
    /// that was rejected is tried again.
    ///
    /// With ``WriteTiming/immediate`` it is ``create(with:)`` or ``save(using:with:)``.
    ///
    /// - Throws: ``APIError``. ``StoreError/validation(_:)`` in ``APIError/store(_:)`` if the object is wrong by its
    ///   own ``Model/validate()``; the edits stay unsaved then. ``StoreError/file(_:path:)`` if the file can't be written.
    public nonisolated(nonsending) func save(_ timing: WriteTiming) async throws(APIError) {
        guard timing == .queued else {
            if isKnownToServer { try await saveNow(nil, nil) } else { try await createNow(nil) }
            return
        }
        let context = try liveContext()
        let client = try context.client(of: _object.model)
        _ = try client.routes(of: _object.model)
        let change = OutboxChange.queue(.save, QueuedSubject(_object.record), account: client.api.account)
        do { try await context.save(context.stored(with: [self]), queueing: [change]) } catch { throw .store(error) }
    }

    /// Deletes the object now or by way of the store's outbox.
    ///
    /// With ``WriteTiming/queued`` the object is deleted here and in the file, in one transaction with its entry in the
    /// ``Outbox``, and stays away while replies still have it. An object that the server doesn't know is only deleted
    /// here. If the server refuses the deletion, the entry is rejected: ``Outbox/discard(_:)`` brings the object back.
    ///
    /// If the object's creation has an unknown outcome, the server may have the object. The entry finds out first: it
    /// repeats the creation with the same idempotency key and body, or looks the object up by its natural key
    /// (`@Model(natural:)`), and then deletes what is there. See <doc:WritingOffline#Deleting-what-may-not-exist>.
    ///
    /// It waits for requests about this object that are on their way.
    ///
    /// - Throws: ``APIError``; the object is still there. ``APIError/unstored(_:_:)`` if the server has created the
    ///   object, and the file can't store that. ``APIError/route(_:)`` if the URL that the object computes
    ///   (``CustomURLs``) lacks a value.
    public nonisolated(nonsending) func delete(_ timing: WriteTiming) async throws(APIError) {
        guard timing == .queued else { return try await deleteNow(nil) }
        try await inTurn { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            let address = try deletionAddress(by: client)
            do throws(StoreError) {
                // The server may have an object that the file doesn't have yet.
                if isInserted, context.isInDoubt(self) {
                    try await context.save(context.stored(with: [self]), queueing: [])
                }
                try await context.deleteQueued(self, account: client.api.account, at: address)
            } catch {
                throw .store(error)
            }
        }
    }

    /// Whether the server has the object as it is, and if not, what becomes of it. It can be observed.
    public var syncState: SyncState {
        let state = _object
        guard let context = state.context, !state.isDeleted else { return .synced }
        let entry = context.queuedWrite(of: self)
        let engine = (context.file.companion as? APIClients)?.outbox
        if let entry {
            if engine?.isSending(entry.subject) == true { return .sending }
            if let text = entry.rejection { return .rejected(Rejection(text: text)) }
            return .waiting(since: entry.date)
        }
        return hasChanges || !unsentProperties.isEmpty || !isKnownToServer ? .unsent : .synced
    }

    /// Whether a call without settings is queued, as the store's options say.
    func isQueued(_ settings: Call.Settings?) -> Bool {
        settings == nil && _object.context?.file.writes == .queued
    }
}

extension ObjectContext {
    /// The number of changes that wait in the store's outbox, rejected ones included. It can be observed, for a badge.
    public var outboxCount: Int { (try? countsOfQueuedWrites().all) ?? 0 }
}

// MARK: Lists

extension Relationship {
    /// Makes an object a member of this list now or by way of the store's outbox.
    ///
    /// ```swift
    /// try await repository.$issues.add(issue, .queued)      // also if the repository is still to be created
    /// ```
    ///
    /// With ``WriteTiming/queued`` the list has the member at once, and the file has both, with an entry in the
    /// ``Outbox``. What is sent later is what ``add(_:with:)`` sends.
    ///
    /// - Throws: ``APIError``, as ``Model/save(_:)``; ``RouteProblem/noRoute(of:needs:)`` for a list without a route.
    public nonisolated(nonsending) func add<D: Model>(
        _ member: D, _ timing: WriteTiming
    ) async throws(APIError) where Value == [D] {
        guard timing == .queued else { return try await addNow(member, nil) }
        let (context, client) = try queueing(member, to: .add)
        let list: [D] = members()
        if !list.contains(where: { $0 === member }) { setMembers(list + [member]) }
        // The member says itself what it is in.
        let isLink = member.isKnownToServer && linkBack(in: client.schema) != nil
        try await queue(isLink ? nil : .add, member, by: client, in: context)
    }

    /// Removes a member from this list now or by way of the store's outbox.
    ///
    /// With ``WriteTiming/queued`` the member leaves the list at once. Where ``delete(_:with:)`` deletes the member,
    /// this is its ``Model/delete(_:)``.
    ///
    /// - Throws: ``APIError``, as ``Model/save(_:)``; ``RouteProblem/noRoute(of:needs:)`` for a list without a route.
    public nonisolated(nonsending) func delete<D: Model>(
        _ member: D, _ timing: WriteTiming
    ) async throws(APIError) where Value == [D] {
        guard timing == .queued else { return try await deleteNow(member, nil) }
        let (context, client) = try queueing(member, to: .delete)
        if deletesMembers(client) { return try await member.delete(.queued) }
        setMembers(members().filter { $0 !== member })
        try await queue(.remove, member, by: client, in: context)
    }

    private func queueing(
        _ member: some Model, to verb: RelationshipVerbs
    ) throws(APIError) -> (ObjectContext, APIClient) {
        let context = try liveContext(with: member)
        let client = try client(in: context)
        if verb == .delete || linkBack(in: client.schema) == nil || !member.isKnownToServer {
            do throws(APIError) { _ = try route(client, to: verb) } catch {
                // The owner is still to be created.
                guard owner.isKnownToServer, case .route = error else { return (context, client) }
                throw error
            }
        }
        return (context, client)
    }

    /// - Parameter action: nil for a member whose own edit says it.
    private nonisolated(nonsending) func queue(
        _ action: QueuedWrite.Action?, _ member: some Model, by client: APIClient, in context: ObjectContext
    ) async throws(APIError) {
        let subject = action.map { _ in
            QueuedSubject(
                owner._object.record, QueuedSubject.Membership(member._object.localID, in: compiled.index))
        }
        let change = OutboxChange.queue(
            action ?? .save, subject ?? QueuedSubject(member._object.record), account: client.api.account)
        do {
            try await context.save(context.stored(with: [owner, member]), queueing: [change])
        } catch {
            throw .store(error)
        }
    }

    /// Whether the removal of a member deletes it.
    private func deletesMembers(_ client: APIClient) -> Bool {
        switch compiled.list?.options.removal ?? .byURL {
        case .deletes: true
        case .unlinks: false
        case .byURL: client.routes.route(of: compiled, in: owner._object.model)?.isDerived == true
        }
    }
}

extension Model {
    /// A list that is known by its property alone.
    func relationship<D: Model>(_ list: Property) -> Relationship<Self, [D]> {
        let options = list.list?.options ?? RelationshipOptions()
        return Relationship(of: self, ToMany<Self, D>(at: list.index.rawValue, named: list.name, options: options))
    }

    /// Changes a list that is known by its property alone.
    nonisolated(nonsending) func change<D: Model>(
        _ list: Property, _ member: D, isAdded: Bool, with settings: Call.Settings?
    ) async throws(APIError) {
        let relationship: Relationship<Self, [D]> = relationship(list)
        if isAdded {
            try await relationship.addNow(member, settings)
        } else {
            try await relationship.deleteNow(member, settings)
        }
    }
}
