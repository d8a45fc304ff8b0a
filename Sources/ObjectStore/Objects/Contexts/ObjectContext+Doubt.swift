// What is sent and not answered: as the file keeps it, and of edits that are in no file, as long as the program runs.

extension ObjectContext {
    /// Notes in the file that an object is about to be sent of which something unsent is stored: nobody knows what the server
    /// has of it until it has answered. An identity that is edited here is noted as the program's own knowledge: the file and
    /// other contexts are told nothing of an edit that was not saved.
    package nonisolated(nonsending) func noteSend(of object: ObjectState) async throws(StoreError) {
        noteName(of: object.current)
        guard !object.savedUnsent.isEmpty else { return }
        let record = object.record
        try await write { writer in (try writer.noteSend(of: record), ChangeSet(writer.schema)) }
    }

    private func noteName(of object: ObjectState) {
        let model = object.model
        guard object.isAtServer, model.identity.contains(where: { object.edits[$0] != nil }) else { return }
        let identity = model.identityColumns.map { object.stored($0.property) }
        if !identity.contains(.null) { underway.noteName(identity, sentOf: object.record) }
    }

    /// The same where the server has refused it. That the file goes on to doubt it does no harm, if this fails.
    package nonisolated(nonsending) func noteRefusal(of object: ObjectState) async {
        guard !object.savedUnsent.isEmpty else { return }
        let record = object.record
        try? await write { writer in (try writer.noteRefusal(of: record), ChangeSet(writer.schema)) }
    }
}
