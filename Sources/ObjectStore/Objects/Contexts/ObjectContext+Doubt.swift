// What is sent and not answered: as the file keeps it, and of edits that are in no file, as long as the program runs.

extension ObjectContext {
    /// Notes in the file that an object is about to be sent of which something unsent is stored: nobody knows what the
    /// server has of it until it has answered. An identity that is edited here is noted as the program's own knowledge:
    /// the file and other contexts are told nothing of an edit that was not saved.
    package nonisolated(nonsending) func noteSend(of object: ObjectState) async throws(StoreError) {
        noteName(of: object.current)
        guard !object.savedUnsent.isEmpty else { return }
        let record = object.record
        try await write { writer in (try writer.noteSend(of: record), ChangeSet(writer.schema)) }
    }

    /// Waits for requests in flight that send the inverse list of an edited member. Otherwise two requests could
    /// contradict each other, and the result would depend on their order at the server.
    package nonisolated(nonsending) func waitForOtherSides(of object: ObjectState) async {
        while !isEnded, underway.hasSends,
            let other = otherSides(of: object.current).first(where: { underway.isBeingSent($0.property, of: $0.record) }
            )
        {
            await underway.waitForSend(of: other.record)
        }
    }

    /// Notes that properties of an object are being sent.
    ///
    /// - Returns: false if a request in flight sends the inverse list of an edited member. Wait for it
    ///   (``waitForOtherSides(of:)``), and prepare the request again.
    package func beginSend(_ properties: [PropertyIndex], of object: ObjectState) -> Bool {
        let state = object.current
        let others = !isEnded && underway.hasSends ? otherSides(of: state) : []
        return underway.beginSend(properties, of: state.record, unless: others)
    }

    /// The inverse lists of the members that were added to lists of the object, or removed from them.
    private func otherSides(of state: ObjectState) -> [ListOwner] {
        var others: [ListOwner] = []
        for property in state.unsentProperties {
            guard let list = property.list, !list.isOfLinks, let inverse = list.inverse else { continue }
            var edited = Set(state.savedPairs(of: property).keys)
            if let own = state.lists[property.index], own.isEdited {
                edited.formUnion(Set(own.base ?? []).symmetricDifference(members(of: state, property.index)))
                edited.formUnion(own.decided)
            }
            others += edited.sorted().map { ListOwner(inverse, of: RecordID(table: list.target, row: $0)) }
        }
        return others
    }

    private func noteName(of object: ObjectState) {
        let model = object.model
        guard object.isAtServer, model.identity.contains(where: { object.edits[$0] != nil }) else { return }
        let identity = model.identityColumns.map { object.stored($0.property) }
        if !identity.contains(.null) { underway.noteName(identity, sentOf: object.record) }
    }

    /// Whether a row is a member elsewhere, as the server knows, though it was one of a list when that was sent: both
    /// sides of its link are one fact, so it has moved since. What is yet to be sent of the link stays anyway.
    ///
    /// A row that nobody has here is taken to be where it was.
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

    /// Notes what has come of a send.
    package func noteEnd(_ outcome: Underway.Outcome, ofSending object: ObjectState) {
        switch outcome {
        case .confirmed: lostSends.remove(object.record)
        case .refused: break
        case .unknown: lostSends.insert(object.record)
        }
    }

    /// Edited lists that were sent in vain take what a commit has brought, as long as that may be what was sent: what
    /// comes after the answer that has ended the doubt is something else.
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

    /// The same where the server has refused it. That the file goes on to doubt it does no harm, if this fails.
    package nonisolated(nonsending) func noteRefusal(of object: ObjectState) async {
        guard !object.savedUnsent.isEmpty else { return }
        let record = object.record
        try? await write { writer in (try writer.noteRefusal(of: record), ChangeSet(writer.schema)) }
    }
}
