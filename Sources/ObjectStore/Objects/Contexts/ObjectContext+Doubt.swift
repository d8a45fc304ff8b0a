// What is sent and not answered, as the file keeps it.

extension ObjectContext {
    /// Notes in the file that an object is about to be sent of which something unsent is stored: nobody knows what the server
    /// has of it until it has answered.
    package nonisolated(nonsending) func noteSend(of object: ObjectState) async throws(StoreError) {
        guard !object.savedUnsent.isEmpty else { return }
        let record = object.record
        try await write { writer in (try writer.noteSend(of: record), ChangeSet(writer.schema)) }
    }

    /// The same where the server has refused it. That the file goes on to doubt it does no harm, if this fails.
    package nonisolated(nonsending) func noteRefusal(of object: ObjectState) async {
        guard !object.savedUnsent.isEmpty else { return }
        let record = object.record
        try? await write { writer in (try writer.noteRefusal(of: record), ChangeSet(writer.schema)) }
    }
}
