import Conventions
public import ObjectStore
import RESTTransport

// MARK: Objects

extension Model {
    /// Saves the object now or through the store's outbox.
    ///
    /// With ``WriteTiming/queued``, one transaction writes the object's edits, the new objects that it links to, and an
    /// entry in the ``Outbox``. Other edits of the context stay unsaved. The outbox creates a new object, or sends all
    /// edits pending at the request, so several saves become one. An object without edits gets no entry. A rejected
    /// entry is tried again.
    ///
    /// With ``WriteTiming/immediate``, this is ``create(with:)`` or ``save(using:with:)``.
    ///
    /// - Throws: ``APIError``. ``StoreError/validation(_:)`` in ``APIError/store(_:)`` if ``Model/validate()`` fails;
    ///   the edits stay unsaved. ``StoreError/file(_:path:)`` if writing the file fails.
    public nonisolated(nonsending) func save(_ timing: WriteTiming) async throws(APIError) {
        guard timing == .queued else {
            if isKnownToServer { try await saveNow(nil, nil) } else { try await createNow(nil) }
            return
        }
        let context = try liveContext()
        let client = try context.client(of: _object.model)
        do throws(APIError) { _ = try client.routes(of: _object.model) } catch {
            // The object computes its URLs, or the list that it was added to has one.
            let isAdded = !isKnownToServer && context.queuedWrite(of: self)?.action == .add
            guard isAdded || self is any CustomURLs else { throw error }
        }
        let change = OutboxChange.queue(.save, QueuedSubject(_object.record), account: client.api.account)
        do { try await context.save(context.stored(with: [self]), queueing: [change]) } catch { throw .store(error) }
    }

    /// Deletes the object now or through the store's outbox.
    ///
    /// With ``WriteTiming/queued``, one transaction deletes the object from the file and adds an entry to the
    /// ``Outbox``. It stays deleted even if later replies contain it. An object unknown to the server is only deleted
    /// locally. If the server refuses, the entry is rejected, and ``Outbox/discard(_:)`` restores the object.
    ///
    /// If the outcome of the object's creation is unknown, the outbox finds the object by repeating the creation with
    /// the same idempotency key and body, or by its natural key (`@Model(natural:)`), and then deletes it. See
    /// <doc:WritingOffline#Deleting-what-may-not-exist>.
    ///
    /// This waits for requests in flight about the object.
    ///
    /// - Throws: ``APIError``; the object still exists. ``APIError/unstored(_:_:)`` if storing its creation fails.
    ///   ``APIError/route(_:)`` if its computed URL (``CustomURLs``) lacks a value.
    public nonisolated(nonsending) func delete(_ timing: WriteTiming) async throws(APIError) {
        guard timing == .queued else { return try await deleteNow(nil) }
        try await inTurn { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            let address = try deletionAddress(by: client)
            do throws(StoreError) {
                // The server may have created the object before it is in the file.
                if isInserted, context.hasUnknownOutcome(self) {
                    try await context.save(context.stored(with: [self]), queueing: [])
                }
                try await context.deleteQueued(self, account: client.api.account, at: address)
            } catch {
                throw .store(error)
            }
        }
    }

    /// Whether the server has the object's values, or else the progress of sending them. It can be observed.
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

    /// Returns the object's entry in the store's outbox, with the request that it would send now.
    ///
    /// It is the entry that sends or deletes the object, or creates it as a member of a list. Observe ``syncState`` for
    /// its changes.
    ///
    /// - Returns: nil if the outbox has none.
    /// - Throws: ``StoreError`` if reading the file fails, or the context has ended.
    public nonisolated(nonsending) func outboxEntry() async throws(StoreError) -> OutboxEntry? {
        guard let context = _object.context else { throw .endedContext }
        guard let number = context.queuedWrite(of: self)?.number else { return nil }
        return try await context.file.outbox.entry(number)
    }

    /// Removes the object's entry from the store's outbox, and undoes its change, as ``Outbox/discard(_:)`` does. Edits
    /// that were never queued stay.
    ///
    /// - Returns: false if the entry has ended, or another process has queued it again.
    /// - Throws: ``StoreError`` if writing the file fails, or the context has ended.
    @discardableResult
    public nonisolated(nonsending) func discardQueued() async throws(StoreError) -> Bool {
        guard let context = _object.context else { throw .endedContext }
        return try await context.file.outbox.discardVersion {
            context.queuedWrite(of: self).map { ($0.subject, $0.version, $0.number) }
        }
    }

    func isQueued(_ settings: Call.Settings?) -> Bool {
        settings == nil && _object.context?.file.writes == .queued
    }
}

// MARK: Lists

extension Relationship {
    /// Makes an object a member of this list now or through the store's outbox.
    ///
    /// ```swift
    /// try await repository.$issues.add(issue, .queued)      // also if the repository is still to be created
    /// ```
    ///
    /// With ``WriteTiming/queued``, the list has the member at once, and an entry in the ``Outbox`` sends the request
    /// of ``add(_:with:)``.
    ///
    /// - Throws: ``APIError``, as ``Model/save(_:)``; ``RouteProblem`` if the list has no route.
    public nonisolated(nonsending) func add<D: Model>(
        _ member: D, _ timing: WriteTiming
    ) async throws(APIError) where Value == [D] {
        guard timing == .queued else { return try await addNow(member, nil) }
        let (context, client) = try queueing(member, to: .add)
        let list: [D] = members()
        if !list.contains(where: { $0 === member }) { setMembers(list + [member]) }
        let isLink = member.isKnownToServer && sentLink(of: member._object, by: client) != nil
        try await queue(isLink ? nil : .add, member, by: client, in: context)
    }

    /// Removes a member from this list now or through the store's outbox.
    ///
    /// With ``WriteTiming/queued``, the member leaves the list at once. If ``delete(_:with:)`` would delete the member,
    /// this calls its ``Model/delete(_:)``.
    ///
    /// - Throws: ``APIError``, as ``Model/save(_:)``; ``RouteProblem`` if the list has no route.
    public nonisolated(nonsending) func delete<D: Model>(
        _ member: D, _ timing: WriteTiming
    ) async throws(APIError) where Value == [D] {
        guard timing == .queued else { return try await deleteNow(member, nil) }
        let (context, client) = try queueing(member, to: .delete)
        let url = (try? removalRequest(of: member._object, by: client))?.url
        if deletes(member._object, at: url, by: client) { return try await member.delete(.queued) }
        setMembers(members().filter { $0 !== member })
        try await queue(.remove, member, by: client, in: context)
    }

    private func queueing(
        _ member: some Model, to verb: RelationshipVerbs
    ) throws(APIError) -> (ObjectContext, APIClient) {
        let context = try liveContext(with: member)
        let client = try client(in: context)
        if verb == .delete || sentLink(of: member._object, by: client) == nil || !member.isKnownToServer {
            do throws(APIError) { _ = try route(client, to: verb) } catch {
                // The owner's creation gives the route its identity.
                guard owner.isKnownToServer, case .route = error else { return (context, client) }
                throw error
            }
        }
        return (context, client)
    }

    /// - Parameter action: nil if the edit of the member's link is sent instead.
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
}

extension Model {
    func relationship<D: Model>(_ list: Property) -> Relationship<Self, [D]> {
        let options = list.list?.options ?? RelationshipOptions()
        return Relationship(of: self, ToMany<Self, D>(at: list.index.rawValue, named: list.name, options: options))
    }

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
