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
            var importer = Importer(writer, request)
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
        let properties: [String]

        package init(table: Int, id: Int64, properties: [String]) {
            self.table = table
            self.id = id
            self.properties = properties
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
        for confirmation in confirmed {
            try noteSent(schema.tables[confirmation.table], confirmation.id, confirmation.properties)
        }
        for batch in batches { try apply(batch, &changes) }
    }
}
