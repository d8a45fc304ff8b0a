import RestfulData
import Testing

@testable import ObjectStore

/// Conditions by the thousand and conditions within conditions, and the indexes that SQLite answers them from.
@MainActor
@Suite struct ConditionTests {
    private typealias Predicate = QueryPredicate<User>

    private func makeStore() async throws -> Store {
        let store = try Store(of: World.models)
        let body = (1...30).map { #"{"id": \#($0), "login": "\#($0)", "score": \#(Double($0) / 2)}"# }
        try await store.main.take(User.self, "[" + body.joined(separator: ",") + "]")
        return store
    }

    /// The objects found in the file and in memory.
    private func found(_ query: ObjectQuery<User>) throws -> Set<Int> {
        let stored = try query.fetch().compactMap(\.identifier)
        let count = try query.count()
        #expect(count == stored.count)
        let all = try query.context.query(User.self).fetch()
        for user in all { user.name = "edited" }
        let edited = try query.fetch().compactMap(\.identifier)
        #expect(edited == stored)
        query.context.rollback()
        return Set(stored)
    }

    private func refusal(_ query: ObjectQuery<User>) -> String? {
        do {
            _ = try query.fetch()
            return nil
        } catch {
            guard case .oversizedQuery(let model, let limit) = error else { return "\(error)" }
            return "\(model): \(limit)"
        }
    }

    @Test(arguments: [90, 1000, 10_000])
    func `Any number of conditions is joined`(_ count: Int) async throws {
        let store = try await makeStore()
        let query = store.main.query(User.self)
        let user = User.properties
        let each: [Predicate] = (1...count).map { user.identifier == $0 * 7 }
        let expected: Set<Int> = [7, 14, 21, 28]
        #expect(try found(query.where { _ in each.dropFirst().reduce(each[0]) { $0 || $1 } }) == expected)
        let fromLast = each.dropLast().reversed().reduce(each[count - 1]) { $1 || $0 }
        #expect(try found(query.where { _ in fromLast }) == expected)
        #expect(try found(query.where { _ in !fromLast }) == Set(1...30).subtracting(expected))
        var narrowed = query
        for number in 1...count { narrowed = narrowed.where { $0.identifier != number * 7 } }
        #expect(try found(narrowed) == Set(1...30).subtracting(expected))
    }

    @Test func `A condition with more values than SQLite allows is refused by name`() async throws {
        let store = try await makeStore()
        let query = store.main.query(User.self)
        let user = User.properties
        let each: [Predicate] = (0...32_766).map { user.login.contains("\($0)x") }
        #expect(refusal(query.where { _ in each.dropFirst().reduce(each[0]) { $0 || $1 } }) == "User: 32766 values")
        #expect(refusal(query.where { $0.identifier.isAmong((0...100_000).map { $0 }) }) == nil)
    }

    /// Alternately joined by `&&` and `||`, each within the next.
    nonisolated private func nested(_ depth: Int) -> Predicate {
        let user = User.properties
        var predicate: Predicate = user.identifier == 3
        for level in 0..<depth {
            let other: Predicate = level % 3 == 0 ? user.identifier.isAmong([3, 4]) : user.identifier < 100
            predicate = level % 2 == 0 ? other && predicate : !(predicate || !other)
            if level % 2 == 1 { predicate = !predicate }
        }
        return predicate
    }

    @Test func `Nested conditions of any depth are answered or refused`() async throws {
        let store = try await makeStore()
        let query = store.main.query(User.self)
        var deepest = 0
        for depth in 0...120 {
            let refusal = refusal(query.where { _ in nested(depth) })
            guard refusal == nil else {
                #expect(refusal?.hasPrefix("User: about ") == true)
                break
            }
            _ = try query.where { _ in nested(depth) }.count()
            deepest = depth
        }
        #expect(deepest >= 20)
        #expect(refusal(query.where { _ in nested(100_000) })?.hasPrefix("User: about ") == true)
        #expect(throws: StoreError.self) { try query.where { _ in nested(100_000) }.count() }
    }

    /// Questions of each kind that has parts within each other.
    nonisolated private static let kinds: [@Sendable (Int) -> QueryPredicate<Employee>] = [
        { depth in
            (0..<depth).reduce(Employee.properties.name == "a") { inner, level in
                level % 2 == 0 ? Employee.properties.name != "b" && inner : Employee.properties.name == "c" || inner
            }
        },
        { depth in
            (0..<depth).reduce(Employee.properties.name == "a") { inner, _ in
                Employee.properties.reports.contains { _ in inner }
            }
        },
        { depth in
            (0..<depth).reduce(Employee.properties.name == "a") { inner, _ in
                Employee.properties.follows.count { _ in !inner } == 2
            }
        },
        { depth in
            (0..<depth).reduce(Employee.properties.name == "a") { inner, _ in
                Employee.properties.manager.reports.allSatisfy { _ in !inner }
            }
        },
        { depth in
            let link = (0..<depth).reduce(Employee.properties.manager.queryLink) { link, _ in link.manager }
            return link.name == "a" && link.reports.isEmpty && link.follows.count == 1
        },
        { depth in
            (0..<depth).reduce(Employee.properties.name.insensitive) { text, _ in text.insensitive } == "a"
        },
        { depth in
            (0..<depth).reduce(Employee.properties.identifier + 1) { sum, _ in sum + Employee.properties.identifier }
                == 3
        },
    ]

    @Test(arguments: ConditionTests.kinds.indices, [false, true])
    func `A task's stack has room for conditions of any depth`(_ kind: Int, _ isEdited: Bool) async throws {
        let store = try Store(of: World.models)
        for depth in [5, 10, 20, 40, 80, 140, 280, 299, 20_000] {
            await Narrow().run { actor in
                let own = store.context(on: actor)
                if isEdited { Employee(in: own.context).name = "a" }
                let query = own.context.query(Employee.self).where { _ in Self.kinds[kind](depth) }
                do {
                    _ = try query.fetch()
                    _ = try query.count()
                } catch {
                    guard case StoreError.oversizedQuery = error else {
                        Testing.Issue.record(error)
                        return
                    }
                }
            }
        }
    }

    // MARK: Indexes

    private func plan(_ query: ObjectQuery<User>, of store: Store) throws -> String {
        let model = try store.main.model(of: User.self)
        let statement = try query.selection(of: model, limit: query.limit, offset: query.offset)
        return try Database(store.path).rows("EXPLAIN QUERY PLAN " + statement.text).map { $0[3] ?? "" }
            .joined(separator: "; ")
    }

    @Test func `A query by identities reads the index`() async throws {
        let store = try await makeStore()
        let query = store.main.query(User.self)
        let search = "SEARCH user USING INDEX user_identity (identifier=?)"
        #expect(try plan(query.where { $0.identifier == 3 }, of: store).contains(search))
        #expect(try plan(query.where { $0.identifier.isAmong([1, 2, 3]) }, of: store).contains(search))
        #expect(try plan(query.where { $0.identifier.isAmong([1, 2]) && $0.login == "a" }, of: store).contains(search))
        #expect(try plan(query.where { $0.identifier.isAmong([1, nil]) }, of: store).contains(search))
        #expect(try plan(query.where { $0.identifier == 1 || $0.identifier == 2 }, of: store).contains(search))
        #expect(try found(query.where { $0.identifier.isAmong([1, nil, 2]) }) == [1, 2])
    }
}
