// The file has marks of the sent facts with saved edits. Other sent facts are noted in memory.

extension ObjectContext {
    /// Marks facts with saved edits in the file, before they are sent. An edited identity is noted in memory only.
    ///
    /// - Parameter changes: changes of the outbox, in the same transaction.
    package nonisolated(nonsending) func mark(
        _ facts: [SentFact], sending object: ObjectState? = nil, keeping changes: [OutboxChange] = []
    ) async throws(StoreError) {
        if let object { noteName(of: object.current) }
        let facts = facts.filter { fact in
            read { reader in try reader.unsentChanges(of: fact.record) }?.isEmpty == false
        }
        guard !facts.isEmpty || !changes.isEmpty else { return }
        try await write { writer in
            try writer.mark(facts)
            var written = ChangeSet(writer.schema)
            if !changes.isEmpty { try writer.apply(.changingOutbox(changes), &written) }
            return ((), written)
        }
    }

    /// Removes ended marks. One that remains after a failure is harmless.
    package nonisolated(nonsending) func unmark(_ facts: [SentFact]) async {
        let ended = operations.endedMarks(among: facts)
        guard !ended.isEmpty else { return }
        try? await write { writer in (try writer.unmark(ended), ChangeSet(writer.schema)) }
    }

    private func noteName(of object: ObjectState) {
        let model = object.model
        guard object.isAtServer, model.identity.contains(where: { object.edits[$0] != nil }) else { return }
        let identity = model.identityColumns.map { object.stored($0.property) }
        if !identity.contains(.null) { operations.noteName(identity, sentOf: object.record) }
    }

    /// Whether the server has moved a member of a sent list to another owner since. False if the member's link has a
    /// pending edit, or its object was released.
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

    package func noteEnd(_ outcome: InFlightOperations.Outcome, ofSending object: ObjectState) {
        switch outcome {
        case .confirmed: lostSends.remove(object.record)
        case .refused: break
        case .unknown: lostSends.insert(object.record)
        }
    }

    /// Edited lists may get rows that a request with an unknown outcome has made.
    func mergeLostSends(_ changes: ChangeSet) {
        for record in lostSends where changes.tables[record.table].updated.contains(record.row) {
            if let state = liveObject(record)?._object.current {
                for index in state.model.listProperties where state.hasEditedList(index) {
                    _ = members(of: state, index)
                }
            }
            if !operations.isSent(record) { lostSends.remove(record) }
        }
    }
}
