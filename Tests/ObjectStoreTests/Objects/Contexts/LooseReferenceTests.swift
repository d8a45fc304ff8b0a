import RestfulData
import Testing

@testable import ObjectStore

/// Lookups of objects while others release them.
@MainActor
@Suite struct LooseReferenceTests {
    @Test func `A weak reference finds its object while it is referenced`() throws {
        let store = try Store(of: World.models)
        let (user, reference) = made(in: store.main)
        withExtendedLifetime(user) {
            #expect(reference.object === user)
            #expect(unsafe reference.object(as: User.self) === user)
            #expect(reference.object(where: { $0 === user._object }) === user)
            #expect(reference.object(where: { _ in false }) == nil)
        }
        store.main.rollback()
        reference.end()

        let other = { self.made(in: store.main).reference }()
        store.main.rollback()
        #expect(other.object == nil)
        #expect(unsafe other.object(as: User.self) == nil)
        #expect(other.object(where: { _ in true }) == nil)
        other.end()
    }

    private func made(in context: ObjectContext) -> (user: User, reference: LooseModel) {
        let user = User(in: context)
        return (user, LooseModel(user))
    }

    /// An object that a closure has captured dies where the closure does, on any thread.
    @Test func `Objects released on other threads are found or read again`() async throws {
        let store = try Store(of: World.models)
        let count = 64
        try await store.main.take(
            User.self,
            "[" + (1...count).map { #"{"id": \#($0), "login": "user \#($0)"}"# }.joined(separator: ",") + "]")
        let users = try store.main.query(User.self).fetch()
        let (repository, rows) = (Repository(in: store.main), users.map(\._object.localID))
        repository.owner = users[0]
        try await store.main.save()
        for round in 0..<200 {
            await withTaskGroup(of: Void.self) { group in
                // The context holds recent objects. Those of a query are the caller's.
                for user in (try? store.main.query(User.self).fetch()) ?? [] {
                    let last = LastHolder(user)
                    group.addTask { last.letGo() }
                }
                for step in 0..<count {
                    let row = rows[(step * 7 + round) % count]
                    let found = store.main.liveObject(RecordID(table: TableID(0), row: row)) as? User
                    if let found { #expect(found._object.localID == row) }
                }
            }
            let again = try store.main.query(User.self).fetch()
            #expect(again.map(\.login) == (1...count).map { "user \($0)" })
            #expect(zip(again, try store.main.query(User.self).fetch()).allSatisfy { $0 === $1 })
        }
    }

    /// Retains an object and releases it elsewhere.
    private final class LastHolder: @unchecked Sendable {
        // Set once before, and released by the task that it was handed to.
        private var object: AnyObject?

        init(_ object: AnyObject) { self.object = object }

        func letGo() { object = nil }
    }
}
