import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Random edits, links, deletions, saves, rollbacks and imports on the main and background contexts, against a naive
/// model in memory. After each merge the whole state is compared, in the objects and in the file.
@MainActor
@Suite struct SimulationTests {
    nonisolated static let seeds = Fuzzing.seeds(300)

    @Test(arguments: seeds)
    func `Random edits, imports and saves match a naive model`(_ seed: UInt64) async throws {
        var simulation = try Simulation(seed: seed)
        for _ in 0..<40 {
            try await simulation.step()
            guard try simulation.agrees() else { return }
        }
        try await simulation.finish()
    }
}

/// Users with a list of repositories, and repositories with topics on both sides.
@MainActor
private struct Simulation {
    /// The expected state of one side: attributes, owners and memberships by identity.
    struct Oracle: Equatable {
        /// By the user's number: the login.
        var users: [Int: String] = [:]
        /// By the repository's number: name, owner, topics.
        var repositories: [Int: Row] = [:]
        var topics: Set<String> = []

        struct Row: Equatable {
            var name = ""
            var owner: Int?
            var topics: [String] = []
        }

        /// The topics of a repository, as `r1.topics`.
        func members(_ key: String) -> [String] { text(key).split(separator: " ").map(String.init) }

        /// The value of a property, as `r1.owner`.
        func text(_ key: String) -> String {
            let parts = key.dropFirst().split(separator: ".")
            guard let number = parts.first.flatMap({ Int($0) }), let property = parts.last else { return "" }
            let row = repositories[number] ?? Row()
            return switch property {
            case "login": users[number] ?? ""
            case "name": row.name
            case "owner": row.owner.map(String.init) ?? ""
            default: row.topics.joined(separator: " ")
            }
        }
    }

    let seed: UInt64
    let store: Store
    var generator: SeededGenerator
    /// The file's state, and the main context's.
    var file = Oracle()
    var main = Oracle()
    /// Names of properties of main's objects with unsaved edits, and properties with saved, unsent edits.
    var edited: Set<String> = []
    /// The server's last value of each changed and unsent property.
    var unsent: [String: String] = [:]
    /// The objects that imports have shown.
    var shown: Set<String> = []
    /// Of the unsent lists: the members that the server knows, and the lists with an edited order.
    var known: [String: Set<String>] = [:]
    var ordered: Set<String> = []
    var deleted: Set<String> = []
    var nextNumber = 1
    var log: [String] = []
    /// Objects that are held, so that merges have something to do.
    var held: [any Model] = []

    init(seed: UInt64) throws {
        self.seed = seed
        store = try Store(of: [
            User.self, Profile.self, Repository.self, Topic.self, Issue.self, Label.self, Comment.self,
        ])
        generator = SeededGenerator(seed: seed)
    }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }
    private mutating func some<C: Collection>(_ values: C) -> C.Element? { values.randomElement(using: &generator) }

    private func user(_ number: Int, _ context: ObjectContext) throws -> User? { try find(context, number) }

    /// Includes unsaved objects.
    private func find(_ context: ObjectContext, _ number: Int) throws -> User? {
        try context.query(User.self).where { $0.identifier == number }.first()
    }

    private func repository(_ number: Int, _ context: ObjectContext) throws -> Repository? {
        try context.query(Repository.self).where { $0.identifier == number }.first()
    }

    private func topic(_ name: String, _ context: ObjectContext) throws -> Topic? {
        try context.query(Topic.self).where { $0.name == name }.first()
    }

    mutating func step() async throws {
        switch chance(15) {
        case 0, 1: try insert()
        case 2, 3: try editAttribute()
        case 4, 5: try editOwner()
        case 6: try editOwnersList()
        case 7: try editTopics()
        case 8: try delete()
        case 9: try await save()
        case 10: rollback()
        case 11: try await importRepository()
        case 12: try await importUser()
        case 13: try await editElsewhereMeanwhile()
        default: try await editElsewhere()
        }
    }

    // MARK: Edits in main

    private mutating func insert() throws {
        let number = nextNumber
        nextNumber += 1
        switch chance(3) {
        case 0:
            log.append("insert user \(number)")
            let user = User(in: store.main)
            user.identifier = number
            held.append(user)
            main.users[number] = ""
            edited.insert("u\(number)")
        case 1:
            log.append("insert repository \(number)")
            let repository = Repository(in: store.main)
            repository.identifier = number
            held.append(repository)
            main.repositories[number] = Oracle.Row()
            edited.insert("r\(number)")
        default:
            log.append("insert topic \(number)")
            let topic = Topic(in: store.main)
            topic.name = "t\(number)"
            held.append(topic)
            main.topics.insert("t\(number)")
            edited.insert("t\(number)")
        }
    }

    private mutating func editAttribute() throws {
        if chance(2) == 0, let number = some(main.users.keys.sorted()), let user = try user(number, store.main) {
            let text = "login \(chance(3))"
            log.append("user \(number).login = \(text)")
            user.login = text
            main.users[number] = text
            note("u\(number).login", isEdit: file.users[number] != text, "u\(number)")
        } else if let number = some(main.repositories.keys.sorted()),
            let repository = try repository(number, store.main)
        {
            let text = "name \(chance(3))"
            log.append("repository \(number).name = \(text)")
            repository.name = text
            main.repositories[number]?.name = text
            note("r\(number).name", isEdit: file.repositories[number]?.name != text, "r\(number)")
        }
    }

    private mutating func note(_ property: String, isEdit: Bool, _ object: String) {
        if isEdit || edited.contains(object) { edited.insert(property) } else { edited.remove(property) }
    }

    private mutating func setOwner(_ number: Int, _ owner: Int?) {
        main.repositories[number]?.owner = owner
        note("r\(number).owner", isEdit: file.repositories[number]?.owner != owner, "r\(number)")
    }

    private mutating func editOwner() throws {
        guard let number = some(main.repositories.keys.sorted()), let repository = try repository(number, store.main)
        else { return }
        let owner = chance(4) == 0 ? nil : some(main.users.keys.sorted())
        log.append("repository \(number).owner = \(owner as Any)")
        repository.owner = try owner.flatMap { try user($0, store.main) }
        setOwner(number, owner)
    }

    private mutating func editOwnersList() throws {
        guard let number = some(main.users.keys.sorted()), let user = try user(number, store.main) else { return }
        let chosen = main.repositories.keys.sorted().filter { _ in chance(2) == 0 }
        log.append("user \(number).repositories = \(chosen)")
        let before = main.repositories.filter { $0.value.owner == number }.keys.sorted()
        user.repositories = try chosen.compactMap { try repository($0, store.main) }
        for gone in before where !chosen.contains(gone) { setOwner(gone, nil) }
        for member in chosen { setOwner(member, number) }
        // The list itself counts as edited from now on; a save makes it the membership.
        lists.insert(number)
    }

    /// Users with an edited and unsaved list of repositories.
    var lists: Set<Int> = []

    private mutating func editTopics() throws {
        guard let number = some(main.repositories.keys.sorted()), let repository = try repository(number, store.main)
        else { return }
        let chosen = main.topics.sorted().filter { _ in chance(2) == 0 }.shuffled(using: &generator)
        log.append("repository \(number).topics = \(chosen)")
        repository.topics = try chosen.compactMap { try topic($0, store.main) }
        main.repositories[number]?.topics = chosen
        note("r\(number).topics", isEdit: file.repositories[number]?.topics != chosen, "r\(number)")
    }

    private mutating func delete() throws {
        switch chance(3) {
        case 0:
            guard let number = some(main.users.keys.sorted()), let user = try user(number, store.main) else { return }
            log.append("delete user \(number)")
            store.main.delete(user)
            main.users[number] = nil
            for key in main.repositories.keys where main.repositories[key]?.owner == number {
                main.repositories[key]?.owner = nil
            }
        case 1:
            guard let number = some(main.repositories.keys.sorted()),
                let repository = try repository(number, store.main)
            else { return }
            log.append("delete repository \(number)")
            store.main.delete(repository)
            main.repositories[number] = nil
        default:
            guard let name = some(main.topics.sorted()), let topic = try topic(name, store.main) else { return }
            log.append("delete topic \(name)")
            store.main.delete(topic)
            main.topics.remove(name)
            for key in main.repositories.keys { main.repositories[key]?.topics.removeAll { $0 == name } }
        }
    }

    // MARK: The file

    private mutating func save() async throws {
        log.append("save")
        try await store.main.save()
        let gone = file.topics.subtracting(main.topics)
        for key in edited where key.contains(".") { noteUnsent(key, from: file, to: main) }
        for key in known.keys { known[key]?.subtract(gone) }
        file = main
        unsent = unsent.filter { key, _ in
            let number = Int(key.dropFirst().prefix { $0 != "." }) ?? 0
            return key.hasPrefix("u") ? file.users[number] != nil : file.repositories[number] != nil
        }
        edited = []
        lists = []
    }

    /// A value set back to the server's is no longer unsent. An object created locally has a number below 1000 and is
    /// unknown to the server until an import shows it.
    private mutating func noteUnsent(_ key: String, from old: Oracle, to new: Oracle) {
        if key.hasSuffix(".topics") {
            let (former, wanted) = (old.members(key), new.members(key))
            if unsent[key] == nil {
                ordered.remove(key)
                known[key] = Set(former)
            }
            let present = Set(former)
            if former.filter(wanted.contains) + wanted.filter({ !present.contains($0) }) != wanted {
                ordered.insert(key)
            }
        }
        unsent[key] = unsent[key] ?? old.text(key)
        let object = String(key.prefix { $0 != "." })
        let isKnown = Int(object.dropFirst()).map { $0 >= 1000 } == true || shown.contains(object)
        if isKnown, unsent[key] == new.text(key) { unsent[key] = nil }
    }

    private mutating func rollback() {
        log.append("rollback")
        store.main.rollback()
        main = file
        edited = []
        lists = []
    }

    /// An import or another context's edit of objects that main has not edited since its last save. Concurrent edits
    /// are tested by the merge tests.
    private mutating func settle() async throws { try await save() }

    private mutating func importRepository() async throws {
        try await settle()
        let number = some(file.repositories.keys.sorted()) ?? 1000 + chance(5)
        let known = 1000 + chance(5)
        let target = chance(2) == 0 ? known : number
        let owner = chance(3) == 0 ? nil : some(file.users.keys.sorted() + [2000 + chance(3)])
        let names = Array(Set((0..<chance(3)).map { _ in "i\(chance(4))" })).sorted()
        let topics = names.map { "{\"name\": \"\($0)\"}" }.joined(separator: ",")
        let json = """
            [{"id": \(target), "name": "imported", "owner": \(owner.map { "{\"id\": \($0)}" } ?? "null"), "topics": [\(topics)]}]
            """
        log.append("import \(json)")
        try await store.takeElsewhere(Repository.self, json)
        shown.insert("r\(target)")
        if let owner { shown.insert("u\(owner)") }
        var row = file.repositories[target] ?? Oracle.Row()
        if says("imported", of: "r\(target).name") { row.name = "imported" }
        if let owner, file.users[owner] == nil { file.users[owner] = "" }
        file.topics.formUnion(names)
        if says(owner.map(String.init) ?? "", of: "r\(target).owner") { row.owner = owner }
        row.topics = rebasedTopics(of: target, row.topics, after: names)
        file.repositories[target] = row
        main = file
    }

    /// Whether the server's value of a property is taken. If the property is edited, its base moves instead: an edit
    /// that equals the new base ends.
    private mutating func says(_ text: String, of key: String) -> Bool {
        guard unsent[key] != nil else { return true }
        unsent[key] = file.text(key) == text ? nil : text
        return false
    }

    /// Local additions and removals, and the order if edited, are applied on top of the server's list.
    private mutating func rebasedTopics(of number: Int, _ mine: [String], after names: [String]) -> [String] {
        let key = "r\(number).topics"
        guard unsent[key] != nil, let base = known[key] else { return names }
        let (added, removed) = (Set(mine).subtracting(base), base.subtracting(mine))
        let members = Set(names).subtracting(removed).union(added)
        var topics = mine.filter(members.contains) + names.filter { members.contains($0) && !mine.contains($0) }
        if !ordered.contains(key) {
            topics = names.filter(members.contains)
            var place = 0
            for name in mine where members.contains(name) {
                if let index = topics.firstIndex(of: name) {
                    place = index + 1
                } else {
                    topics.insert(name, at: place)
                    place += 1
                }
            }
        }
        unsent[key] = topics == names ? nil : names.joined(separator: " ")
        known[key] = Set(names)
        return topics
    }

    private mutating func importUser() async throws {
        try await settle()
        let target = some(file.users.keys.sorted() + [2000 + chance(3)]) ?? 2000
        log.append("import user \(target)")
        try await store.takeElsewhere(User.self, #"[{"id": \#(target), "login": "imported"}]"#)
        shown.insert("u\(target)")
        if unsent["u\(target).login"] == nil { file.users[target] = "imported" }
        if file.users[target] == nil { file.users[target] = "imported" }
        main = file
    }

    private mutating func editElsewhere() async throws {
        try await settle()
        guard let number = some(file.repositories.keys.sorted()) else { return }
        let owner = some(file.users.keys.sorted())
        let deletes = chance(4) == 0
        log.append("elsewhere: repository \(number) \(deletes ? "deleted" : "owner \(owner as Any)")")
        try await store.background { context in
            guard let repository = try context.find(Repository.self, number) else { return }
            if deletes {
                context.delete(repository)
            } else {
                repository.owner = try owner.flatMap { try context.find(User.self, $0) }
                repository.name = "elsewhere"
            }
        }
        if deletes {
            file.repositories[number] = nil
            unsent = unsent.filter { !$0.key.hasPrefix("r\(number).") }
        } else {
            // Setting the former value ends the edit.
            let old = file
            file.repositories[number]?.owner = owner
            file.repositories[number]?.name = "elsewhere"
            for key in ["r\(number).owner", "r\(number).name"] where old.text(key) != file.text(key) {
                noteUnsent(key, from: old, to: file)
            }
        }
        main = file
    }

    /// Another context's edit while main has unsaved ones: a property edited in main keeps its value, the others take
    /// the new one. The values differ from main's, so that no edit becomes equal to the file.
    private mutating func editElsewhereMeanwhile() async throws {
        guard lists.isEmpty, let number = some(main.repositories.keys.sorted().filter { file.repositories[$0] != nil })
        else { return }
        nextNumber += 1
        let name = "meanwhile \(nextNumber)"
        let known = main.users.keys.sorted().filter { file.users[$0] != nil }
        let owner = some(
            known.filter { $0 != main.repositories[number]?.owner && $0 != file.repositories[number]?.owner })
        log.append("meanwhile: repository \(number) name \(name), owner \(owner as Any)")
        try await store.background { context in
            guard let repository = try context.find(Repository.self, number) else { return }
            repository.name = name
            if let owner { repository.owner = try context.find(User.self, owner) }
        }
        let old = file
        file.repositories[number]?.name = name
        noteUnsent("r\(number).name", from: old, to: file)
        if !edited.contains("r\(number).name") { main.repositories[number]?.name = name }
        guard let owner else { return }
        file.repositories[number]?.owner = owner
        noteUnsent("r\(number).owner", from: old, to: file)
        if !edited.contains("r\(number).owner") { main.repositories[number]?.owner = owner }
    }

    // MARK: Comparing

    /// A context's values, read through its objects, each relationship from both sides.
    private func read(_ context: ObjectContext) throws -> Oracle? {
        var oracle = Oracle()
        for user in try context.query(User.self).fetch() { oracle.users[user.identifier ?? -1] = user.login }
        for topic in try context.query(Topic.self).fetch() { oracle.topics.insert(topic.name ?? "") }
        for repository in try context.query(Repository.self).fetch() {
            oracle.repositories[repository.identifier ?? -1] = Oracle.Row(
                name: repository.name, owner: repository.owner?.identifier,
                topics: repository.topics.compactMap(\.name))
        }
        for user in try context.query(User.self).fetch() {
            let members = Set(user.repositories.compactMap(\.identifier))
            let expected = Set(oracle.repositories.filter { $0.value.owner == user.identifier }.keys)
            if members != expected { return fail("user \(user.identifier ?? 0) lists \(members), not \(expected)") }
        }
        for topic in try context.query(Topic.self).fetch() {
            let members = Set(topic.repositories.compactMap(\.identifier))
            let expected = Set(oracle.repositories.filter { $0.value.topics.contains(topic.name ?? "") }.keys)
            if members != expected { return fail("topic \(topic.name ?? "") lists \(members), not \(expected)") }
        }
        return oracle
    }

    private func fail(_ message: String) -> Oracle? {
        Testing.Issue.record("seed \(seed): \(message)\n\(log.joined(separator: "\n"))")
        return nil
    }

    func agrees() throws -> Bool {
        guard let now = try read(store.main) else { return false }
        guard now == main else {
            _ = fail("main says \(now), not \(main)")
            return false
        }
        return true
    }

    /// Saves, and compares the values that a new context reads from the file.
    mutating func finish() async throws {
        try await save()
        guard try agrees() else { return }
        #expect(!store.main.hasChanges)
        #expect(try store.check() == [])
        let lists = try Self.lists(store.main)
        let stored = try await store.background { context in try Self.lists(context) }
        if lists != stored { _ = fail("main has the lists \(lists), the file \(stored)") }
        store.close()
        let reopened = try Store(.file(store.path), models: store.schema.roots.map(\.type))
        guard let fresh = try read(reopened.main) else { return }
        if fresh != main { _ = fail("the file says \(fresh), not \(main)") }
    }

    /// Every list of the owner that has it, in order.
    private nonisolated static func lists(_ context: ObjectContext) throws -> [String: [String]] {
        var lists: [String: [String]] = [:]
        for user in try context.query(User.self).fetch() {
            lists["user \(user.identifier ?? -1)"] = user.repositories.map { "\($0.identifier ?? -1)" }
        }
        for topic in try context.query(Topic.self).fetch() {
            lists["topic \(topic.name ?? "")"] = topic.repositories.map { "\($0.identifier ?? -1)" }
        }
        for repository in try context.query(Repository.self).fetch() {
            lists["repository \(repository.identifier ?? -1)"] = repository.topics.map { $0.name ?? "" }
        }
        return lists
    }
}
