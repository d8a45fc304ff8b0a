import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Embedded objects, which are inserted and deleted with their owner, undone and redone around saves.
@MainActor
@Suite struct UndoEmbeddedTests {
    private let store: Store
    private let customer: Customer
    private let history: UndoHistory

    init() async throws {
        store = try Store(of: [Customer.self, Address.self, Phone.self, Line.self, Country.self])
        customer = try await store.main.take(
            Customer.self,
            #"{"id": 1, "name": "a", "phones": [{"number": "1"}], "address": {"lines": [{"text": "l"}]}}"#
        ).objects[0]
        history = store.main.recordUndo()
    }

    @Test func `Undo keeps its steps when a save skips a new embedded object in a two-sided list`() async throws {
        let phone = Phone(in: store.main)
        history.group("in") { customer.phones.append(phone) }
        history.group("out") { _ = customer.phones.removeLast() }
        history.group("name") { customer.name = "b" }
        history.undo()
        try await store.main.save()
        #expect(history.undoName == "out" && history.canRedo && history.redoName == "name")
        history.redo()
        #expect(customer.name == "b" && customer.phones.map(\.number) == ["1"])
    }

    @Test func `Undo keeps its steps when a save skips a new embedded object in a one-sided list`() async throws {
        let line = Line(in: store.main)
        history.group("in") { customer.address?.lines.append(line) }
        history.group("out") { _ = customer.address?.lines.removeLast() }
        history.group("name") { customer.name = "b" }
        history.undo()
        try await store.main.save()
        #expect(history.undoName == "out" && history.canRedo && history.redoName == "name")
    }

    @Test(arguments: [true, false])
    func `Redo skips a deleted embedded object and applies the other edits`(_ isPhone: Bool) async throws {
        history.group("in") {
            if isPhone {
                customer.phones.append(Phone(in: store.main))
            } else {
                customer.address?.lines.append(Line(in: store.main))
            }
            customer.name = "b"
        }
        try await store.main.save()
        history.undo()
        history.redo()
        history.undo()
        try await store.main.save()
        history.redo()
        #expect(customer.name == "b" && customer.phones.count == 1 && customer.address?.lines.count == 1)
        history.undo()
        #expect(customer.name == "a" && history.canRedo)
        try await store.main.save()
        #expect(history.canRedo)
        history.redo()
        try await store.main.save()
        #expect(customer.name == "b" && history.undoName == "in" && history.undoCount == 1)
    }
}
