// Requests in flight and unknown outcomes: facts with saved edits are marked in the file, others only in memory.

extension ObjectContext {
    /// Marks facts with saved edits in the file, as they are about to be sent. An edited identity is noted in memory
    /// only, since an unsaved edit is no other context's business.
    ///
    /// - Parameters:
    ///   - object: the object that is sent.
    ///   - changes: what the outbox keeps of the request, in the same transaction.
    package nonisolated(nonsending) func mark(
        _ facts: [SentFact], sending object: ObjectState? = nil, keeping changes: [OutboxChange] = []
    ) async throws(StoreError) {
        if let object { noteName(of: object.current) }
        let facts = facts.filter { liveObject($0.record)?._object.current.savedUnsent.isEmpty == false }
        guard !facts.isEmpty || !changes.isEmpty else { return }
        try await write { writer in
            try writer.mark(facts)
            var written = ChangeSet(writer.schema)
            if !changes.isEmpty { try writer.apply(.changingOutbox(changes), &written) }
            return ((), written)
        }
    }

    /// Removes marks from the file whose requests were accepted or rejected. If that fails, the marks do no harm.
    package nonisolated(nonsending) func unmark(_ facts: [SentFact]) async {
        let ended = underway.endedMarks(among: facts)
        guard !ended.isEmpty else { return }
        try? await write { writer in (try writer.unmark(ended), ChangeSet(writer.schema)) }
    }

    /// Waits for requests in flight that send a membership of the object's edited lists from the other side, if either
    /// request edits it. Otherwise two requests could contradict each other, and the result would depend on their order
    /// at the server.
    package nonisolated(nonsending) func waitForOtherSides(of object: ObjectState) async {
        while !isEnded, underway.hasSends, let other = underway.blocker(of: memberships(of: object.current)) {
            await underway.waitForSend(of: other)
        }
    }

    /// Notes that properties of an object are being sent.
    ///
    /// - Returns: false if the request must wait for another one (``waitForOtherSides(of:)``). Prepare it again then.
    package func beginSend(_ properties: [PropertyIndex], of object: ObjectState) -> Bool {
        let state = object.current
        return underway.beginSend(properties, of: state.record, with: isEnded ? [] : memberships(of: state))
    }

    /// The edited many-to-many lists of an object.
    private func memberships(of state: ObjectState) -> [SentMemberships] {
        state.unsentProperties.compactMap { property in
            guard let list = property.list, !list.isOfLinks, let inverse = list.inverse else { return nil }
            let edited = Set(state.savedPairs(of: property).keys).union(toggles(of: property.index, in: state).keys)
            let owner = ListOwner(property.index, of: state.record)
            return SentMemberships(owner: owner, inverse: inverse, target: list.target, edited: edited)
        }
    }

    private func noteName(of object: ObjectState) {
        let model = object.model
        guard object.isAtServer, model.identity.contains(where: { object.edits[$0] != nil }) else { return }
        let identity = model.identityColumns.map { object.stored($0.property) }
        if !identity.contains(.null) { underway.noteName(identity, sentOf: object.record) }
    }

    /// Whether a member of a list that was sent has moved to another owner since, as the server knows. A pending edit
    /// of its link stays in any case.
    ///
    /// A row that no context has is assumed not to have moved.
    package func hasMoved(_ row: RowID, from owner: ListOwner) -> Bool {
        guard let list = schema[owner.record.table][owner.property].list, list.isOfLinks, let link = list.inverse,
            !schema[list.target].isEmbedded
        else { return false }
        catchUp()
        guard let state = liveObject(RecordID(table: list.target, row: row))?._object.current, !state.isInserted,
            state.edits[link] == nil, let target = state.snapshot.value(link).row, target != owner.record.row
        else { return false }
        return state.savedUnsent.entries[state.model[link].name] == nil
    }

    /// Notes the outcome of a request about an object.
    package func noteEnd(_ outcome: Underway.Outcome, ofSending object: ObjectState) {
        switch outcome {
        case .confirmed: lostSends.remove(object.record)
        case .refused: break
        case .unknown: lostSends.insert(object.record)
        }
    }

    /// Merges a commit into edited lists whose requests have an unknown outcome, while it can contain what these sent.
    func mergeLostSends(_ changes: ChangeSet) {
        for record in lostSends where changes.tables[record.table].updated.contains(record.row) {
            if let state = liveObject(record)?._object.current {
                for index in state.model.listProperties where state.hasEditedList(index) {
                    _ = members(of: state, index)
                }
            }
            if !underway.isSent(record) { lostSends.remove(record) }
        }
    }
}
