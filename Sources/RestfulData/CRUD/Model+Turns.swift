import ObjectStore

extension Model {
    /// Does something about this object with the server, after what was begun before.
    ///
    /// - Throws: ``APIError``: what `body` throws; that the object is deleted or its context has ended, as it may be by the
    ///   time that its turn has come; that the task was cancelled before.
    nonisolated(nonsending) func inTurn<Result>(
        _ body: (ObjectContext, Bridge) async throws(APIError) -> Result
    ) async throws(APIError) -> Result {
        let turns = try liveContext().bridge().turns
        let row = Turns.Row(table: _object.table.index, id: _object.localID)
        guard await turns.take(row) else { throw .store(.cancelled) }
        defer { turns.giveBack(row) }
        let context = try liveContext()
        return try await body(context, try context.bridge())
    }

    /// The context, for an operation on an object that is there.
    func liveContext() throws(APIError) -> ObjectContext {
        guard !isDeleted else { throw .store(.deletedObject(model: _object.table.modelName)) }
        guard let context else { throw .store(.endedContext) }
        let table: ModelSchema
        do { table = try context.table(of: Self.self) } catch { throw .store(error) }
        guard !table.isEmbedded else { throw .store(.embeddedObject(model: table.modelName)) }
        return context
    }
}
