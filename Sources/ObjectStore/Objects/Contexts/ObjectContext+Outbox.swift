extension ObjectContext {
    /// Deletes an object here and in the file, and queues its deletion at the server.
    ///
    /// - Parameter address: nil for the URL in the model's declaration.
    /// - Throws: as ``save()``; the object still exists then, with its unsaved edits.
    package nonisolated(nonsending) func deleteQueued(
        _ object: any Model, account: String, at address: DeletedRows.Address? = nil
    ) async throws(StoreError) {
        try checkActor(#isolation)
        try checkDeletion(of: object)
        let deleted = deleteAll(from: object)
        // Deleted new objects are gone at once.
        let saved = deleted.filter { unsaved.contains($0) }
        guard !saved.isEmpty else { return }
        let subject = QueuedSubject(object._object.record)
        var changes = [OutboxChange.queue(.delete, subject, account: account)]
        if let address { changes.append(.address(subject, address)) }
        do {
            try await save(saved, queueing: changes)
        } catch {
            for object in deleted { revive(object) }
            notifyObservers()
            throw error
        }
    }

    package func noteOutbox() { file.noteOutbox() }

    package nonisolated(nonsending) func changeOutbox(_ changes: [OutboxChange]) async throws(StoreError) {
        try await write([.changingOutbox(changes)])
    }

    /// The object's own entry, or the one that adds it to a list.
    package func queuedWrite(of object: some Model) -> QueuedWrite? {
        let record = object._object.current.record
        let read = { (context: ObjectContext) -> QueuedWrite? in
            let found = context.read { reader throws in try reader.queuedWrite(of: record) }
            return found ?? nil
        }
        catchUp()
        let entry = read(self)
        noteRead(.outbox(record), entry, again: read)
        return entry
    }

    package func queuedWrites(after number: Int64 = 0, limit: Int = .max) throws(StoreError) -> [QueuedWrite] {
        try reading { reader in try reader.queuedWrites(after: number, limit: limit) }
    }

    /// The keys of waiting entries after a number, in order.
    package func queuedKeys(
        after number: Int64, where isIncluded: (QueuedSubject, String) -> Bool
    ) throws(StoreError) -> [QueuedWrite.Key] {
        try reading { reader in try reader.queuedKeys(after: number, where: isIncluded) }
    }

    package func queuedWrite(_ subject: QueuedSubject) throws(StoreError) -> QueuedWrite? {
        try reading { reader in try reader.queuedWrite(subject) }
    }

    package func countsOfQueuedWrites() throws(StoreError) -> QueuedWriteCounts {
        let counts = try readCountsOfQueuedWrites()
        noteRead(.outbox(nil), counts) { context in
            context.keepingError { () throws(StoreError) in try context.readCountsOfQueuedWrites() }
                ?? QueuedWriteCounts()
        }
        return counts
    }

    private func readCountsOfQueuedWrites() throws(StoreError) -> QueuedWriteCounts {
        try reading { reader in try reader.countsOfQueuedWrites() }
    }

    /// The validator of the last version from the server.
    package func validator(of object: some Model) -> String? {
        let record = object._object.current.record
        return (try? reading { reader in try reader.validator(of: record) }) ?? nil
    }

    /// A row with the same identity whose queued deletion waits.
    package func queuedDeletion(withIdentityOf object: some Model) -> RecordID? {
        let record = object._object.current.record
        let row = read { reader throws in
            try reader.pendingKey(of: record).flatMap { try reader.queuedDeletion(of: $0, in: record.table) }
        }
        return (row ?? nil).map { RecordID(table: record.table, row: $0) }
    }

    package func hasUnknownOutcome(_ object: some Model) -> Bool {
        operations.hasUnknownOutcome(object._object.current.record)
    }

    package func isSentElsewhere(_ record: RecordID) -> Bool { operations.isSentElsewhere(record) }
}

extension Reader {
    fileprivate func queuedWrite(of record: RecordID) throws -> QueuedWrite? {
        let statements = try reading()
        if let own = try statements.queuedWrite(QueuedSubject(record)) { return own }
        let joins = try statements.queuedSubjects(of: record).filter { $0.record != record }
        return try joins.lazy.compactMap { try statements.queuedWrite($0) }.first { $0.action == .add }
    }

    fileprivate func queuedWrite(_ subject: QueuedSubject) throws -> QueuedWrite? {
        try reading().queuedWrite(subject)
    }

    fileprivate func queuedKeys(
        after number: Int64, where isIncluded: (QueuedSubject, String) -> Bool
    ) throws -> [QueuedWrite.Key] {
        try reading().queuedKeys(after: number, where: isIncluded)
    }

    fileprivate func queuedWrites(after number: Int64, limit: Int) throws -> [QueuedWrite] {
        try reading().queuedWrites(after: number, limit: limit)
    }

    fileprivate func validator(of record: RecordID) throws -> String? { try reading().validator(of: record) }

    fileprivate func queuedDeletion(of key: String, in table: TableID) throws -> RowID? {
        try reading().queuedDeletion(of: key, in: table)
    }

    fileprivate func countsOfQueuedWrites() throws -> QueuedWriteCounts {
        try reading().countsOfQueuedWrites()
    }
}
