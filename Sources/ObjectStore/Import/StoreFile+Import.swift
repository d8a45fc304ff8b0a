package import Foundation

extension StoreFile {
    /// Imports a body in one transaction, off the caller's actor, and merges what changed into every live context before it
    /// returns.
    package func importBody(
        _ body: some ContiguousBytes & Sendable, _ request: ImportRequest, after batches: [WriteBatch] = [],
        confirming confirmed: [Confirmation] = []
    ) async throws(StoreError) -> ImportOutcome {
        try await write { writer in
            var changes = ChangeSet(tableCount: writer.schema.tables.count)
            try writer.apply(batches, confirming: confirmed, &changes)
            var importer = Importer(writer, writer.successor(of: request))
            importer.changes = changes
            // The bytes stay where they are for the whole import.
            try unsafe body.withUnsafeBytes { bytes in try unsafe importer.run(bytes) }
            return (importer.outcome, importer.changes)
        }
    }

    /// Properties of a row that the server has taken.
    package struct Confirmation: Sendable {
        let table: Int
        let id: Int64
        package let properties: [String]
        /// By property index: the value that was sent, and what the file said then.
        let sent: [Int: (value: StoredValue, known: StoredValue)]

        package init(
            table: Int, id: Int64, properties: [String],
            sent: [Int: (value: StoredValue, known: StoredValue)] = [:]
        ) {
            self.table = table
            self.id = id
            self.properties = properties
            self.sent = sent
        }
    }

    /// Writes batches, and notes what the server has taken, without a body.
    package func write(_ batches: [WriteBatch], confirming confirmed: [Confirmation] = []) async throws(StoreError) {
        try await write { writer in
            var changes = ChangeSet(tableCount: writer.schema.tables.count)
            try writer.apply(batches, confirming: confirmed, &changes)
            return ((), changes)
        }
    }
}

extension Writer {
    fileprivate func apply(
        _ batches: [WriteBatch], confirming confirmed: [StoreFile.Confirmation], _ changes: inout ChangeSet
    ) throws {
        var batches = batches
        for confirmation in confirmed.map(successor) {
            let newer = try newerProperties(confirmation)
            let table = schema.tables[confirmation.table]
            let names = Set(newer.map { table.properties[$0].name })
            if unsentRows[table.index].contains(confirmation.id) {
                try noteSent(table, confirmation.id, confirmation.properties.filter { !names.contains($0) })
                changes.tables[table.index].updated.append(confirmation.id)
            }
            for index in batches.indices where !newer.isEmpty {
                batches[index].remove(newer, of: WriteBatch.Key(table: table.index, id: confirmation.id))
            }
        }
        for batch in batches { try apply(batch, &changes) }
    }

    /// The same about the rows that those of it have become.
    fileprivate func successor(of request: ImportRequest) -> ImportRequest {
        guard !successors.isEmpty else { return request }
        var request = request
        request.target = request.target.map { successor(of: $0, in: request.table) }
        request.membership = request.membership.map {
            ImportRequest.Membership(
                table: $0.table, property: $0.property, owner: successor(of: $0.owner, in: $0.table),
                isWhole: $0.isWhole)
        }
        return request
    }

    private func successor(of confirmation: StoreFile.Confirmation) -> StoreFile.Confirmation {
        StoreFile.Confirmation(
            table: confirmation.table, id: successor(of: confirmation.id, in: confirmation.table),
            properties: confirmation.properties, sent: confirmation.sent)
    }

    /// The properties that were saved here, with another value, while the confirmed one was on its way: they are still
    /// unsent.
    private func newerProperties(_ confirmation: StoreFile.Confirmation) throws -> Set<Int> {
        let table = schema.tables[confirmation.table]
        guard unsentRows[table.index].contains(confirmation.id) else { return [] }
        let unsent = try unsentChanges(table, confirmation.id)
        return try Set(
            confirmation.sent.filter { index, value in
                guard unsent.bases[table.properties[index].name] != nil, let column = table.properties[index].column
                else { return false }
                let stored = try self.value(of: table.columns[column], table, confirmation.id)
                return stored != value.known && stored != value.value
            }.keys)
    }
}
