import RestfulData
import Testing

@testable import ObjectStore

@Suite struct InFlightOperationsTests {
    private let operations = InFlightOperations()
    private let order = RecordID(table: TableID(0), row: RowID(1))
    private let item = RecordID(table: TableID(1), row: RowID(1))

    /// Otherwise the memory would grow with each retry over days.
    @Test func `Repeated values sent for an element are kept once, the latest last`() {
        for name in ["a", "b", "a", "b", "a"] {
            operations.noteSent([(item, [.text(name)])], within: order)
        }
        #expect(operations.sentValues(of: item) == [[.text("b")], [.text("a")]])
    }

    private struct Failure: Error {}

    private func changes(deleting record: RecordID, confirming edit: ChangeStamp) -> InFlightOperations.Changes {
        var changes = InFlightOperations.Changes()
        changes.deleted = [record]
        changes.confirmed = [edit]
        return changes
    }

    @Test func `A transaction's changes in memory take effect only if it commits`() {
        let (new, edit) = (RecordID(table: TableID(0), row: RowID(-1)), ChangeStamp.now())
        operations.beginSend([], of: order)
        _ = operations.requestDeletion(of: new)
        let changes = changes(deleting: new, confirming: edit)
        #expect(throws: Failure.self) { try operations.commit(changes) { throw Failure() } }
        #expect(!operations.isWithdrawn(new) && operations.confirmedEdits.isEmpty)
        #expect(operations.deletionRequest(of: new) != nil)
        operations.commit(changes) {
            // Contexts that see the commit see this, too.
            #expect(operations.isWithdrawn(new) && operations.confirmedEdits == [edit])
        }
        #expect(operations.deletionRequest(of: new) == nil)
    }

    @Test func `A failed transaction doesn't withdraw the new object that it deleted`() async throws {
        let store = try Store(.temporary, models: [Thing.self])
        let operations = store.file.operations
        let thing = try await store.background { context in
            let thing = Thing(in: context)
            try await context.save()
            return thing._object.record
        }
        operations.beginSave()
        defer { operations.endSave() }
        await #expect(throws: (any Error).self) {
            try await store.file.write { writer -> (Void, ChangeSet) in
                var changes = ChangeSet(writer.schema)
                var batch = WriteBatch()
                batch.deletions = [thing]
                try writer.apply(batch, &changes)
                throw Failure()
            }
        }
        #expect(!operations.isWithdrawn(thing))
    }

    @MainActor @Test
    func `A save begun before an acknowledgement doesn't write the acknowledged edit again`()
        async throws
    {
        let store = try Store(.temporary, models: [Thing.self])
        try await store.main.import(Thing.self, from: Array(#"{"id": 1, "name": "server's"}"#.utf8))
        let record = try #require(try store.main.find(Thing.self, 1))._object.record
        let model = store.file.schema[record.table]
        let name = try #require(model.property(named: "name"))
        let edit = Edit(.text("sent"), at: .now())
        var edits = EditMap()
        edits[name.index] = edit
        var save = WriteBatch()
        save.rows = [WriteBatch.Row(record, values: [name.index: edit.value], isInsert: false, edited: edits)]
        let confirmation = WriteBatch.Confirmation(of: record, properties: ["name"], edits: [edit.stamp])
        try await store.file.write { writer in
            var changes = ChangeSet(writer.schema)
            try writer.apply([], confirming: [confirmation], &changes)
            // A context makes a save now, which comes to the writer after this transaction.
            writer.operations.beginSave()
            return ((), changes)
        }
        try await store.file.write { [save] writer in
            var changes = ChangeSet(writer.schema)
            try writer.apply(save, &changes)
            writer.operations.endSave()
            return ((), changes)
        }
        let other = try #require(try store.main.find(Thing.self, 1))
        #expect(other.name == "server's" && other.unsentProperties.isEmpty)
    }

    @Test func `The last eight sent lists are kept`() {
        let owner = ListOwner(PropertyIndex(0), of: order)
        let lists = (0..<20).map { number in
            SentList(of: owner, in: item.table, [SentList.Element(item.row, [.integer(Int64(number))])])
        }
        for list in lists { operations.noteSent([], in: [list], within: order) }
        #expect(operations.sentLists(within: order) == Array(lists.suffix(8)))
        #expect(operations.sentLists(of: owner).first == lists.last?.elements)
    }

    @Model final class Thing {
        var identifier: Int?
        var name = ""
    }
}
