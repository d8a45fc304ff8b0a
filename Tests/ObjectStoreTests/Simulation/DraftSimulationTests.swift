import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Random edits in a context, in a draft of it and elsewhere, saved and rolled back. The draft shows its own edits on
/// top of the context's values, and the context its own on top of the file's.
@MainActor
@Suite struct DraftSimulationTests {
    nonisolated static let seeds = Fuzzing.seeds(100, and: [421, 473, 526, 575, 683, 698, 723, 805, 980])

    @Test(arguments: seeds)
    func `A draft shows its own edits over its context's values`(_ seed: UInt64) async throws {
        var simulation = try await DraftSimulation(seed: seed)
        for _ in 0..<60 {
            try await simulation.step()
            guard try simulation.agrees() else { return }
        }
    }
}

/// The known values of the objects, fact by fact.
private enum Fact: Hashable {
    case name(Int)
    case owner(Int)
    case topic(of: Int, String)
    case exists(Int)
}

private enum Value: Hashable {
    case text(String)
    case user(Int?)
    case flag(Bool)
    /// The owner is nil, as the object has left this owner's list. This holds while the owner below is this one.
    case left(Int)

    var isEqual: (Value) -> Bool {
        { other in
            if case .left = self { return other == .user(nil) || other == self }
            if case .left = other { return self == .user(nil) }
            return self == other
        }
    }
}

@MainActor
private struct DraftSimulation {
    /// The file's facts, the context's own, and the draft's.
    private var file: [Fact: Value] = [:]
    private var own: [Fact: Value] = [:]
    private var drafted: [Fact: Value] = [:]
    private let store: Store
    private var draft: Draft
    private let users: [User]
    private let topics: [Topic]
    private var repositories: [Int: Repository] = [:]
    private var generator: SeededGenerator
    private let seed: UInt64
    private var log: [String] = []
    private let keys = Array(1...4)

    init(seed: UInt64) async throws {
        self.seed = seed
        store = try Store(of: World.models)
        generator = SeededGenerator(seed: seed)
        users = try await store.main.take(
            User.self,
            """
            [{"id": 1, "repositories": [{"id": 1, "topics": [{"name": "x"}, {"name": "y"}]}, {"id": 2, "topics": []}]},
             {"id": 2, "repositories": [{"id": 3, "topics": [{"name": "y"}, {"name": "z"}]}, {"id": 4, "topics": []}]}]
            """
        ).objects
        topics = try store.main.query(Topic.self).order(by: { $0.name }).fetch()
        for repository in try store.main.query(Repository.self).fetch() {
            repositories[repository.identifier ?? 0] = repository
        }
        draft = try store.main.draft()
        for key in keys {
            file[.name(key)] = .text("")
            file[.exists(key)] = .flag(true)
            file[.owner(key)] = .user(key < 3 ? 1 : 2)
            for topic in ["x", "y", "z"] { file[.topic(of: key, topic)] = .flag(false) }
        }
        for (key, topic) in [(1, "x"), (1, "y"), (3, "y"), (3, "z")] { file[.topic(of: key, topic)] = .flag(true) }
    }

    // MARK: Expected values

    private func value(_ fact: Fact, inDraft: Bool) -> Value? {
        (inDraft ? drafted[fact] : nil) ?? own[fact] ?? file[fact]
    }

    private mutating func note(_ fact: Fact, _ value: Value, inDraft: Bool) {
        guard self.value(fact, inDraft: inDraft)?.isEqual(value) != true else { return }
        if inDraft { drafted[fact] = own[fact] == value ? nil : value } else { own[fact] = value }
        dissolve()
    }

    /// A value equal to the one below leaves the property unedited.
    private mutating func dissolve() {
        own = own.filter { file[$0.key]?.isEqual($0.value) != true && !isOver($0.value, file[$0.key]) }
        drafted = drafted.filter { fact, value in
            if isOver(value, self.value(fact, inDraft: false)) { return false }
            return own[fact] != nil || file[fact]?.isEqual(value) != true
        }
    }

    private func isOver(_ value: Value, _ below: Value?) -> Bool {
        if case .left(let owner) = value { below != .user(owner) } else { false }
    }

    // MARK: Steps

    mutating func step() async throws {
        let inDraft = Bool.random(using: &generator)
        let key = keys.randomElement(using: &generator) ?? 1
        switch Int.random(in: 0..<14, using: &generator) {
        case 0, 1: rename(key, inDraft)
        case 2, 3: give(key, inDraft)
        case 4: setRepositories(inDraft)
        case 5, 6: setTopics(key, inDraft)
        case 7: setRepositoriesOfTopic(inDraft)
        case 8: try await commitElsewhere(key)
        case 9:
            log.append("save")
            try await store.main.save()
            for (fact, value) in own { if case .left = value { file[fact] = .user(nil) } else { file[fact] = value } }
            own = [:]
        case 10:
            log.append("save the draft")
            try draft.save()
            own.merge(drafted) { $1 }
            // An object that was moved locally before it left lacks an owner.
            own = own.mapValues { $0 }.reduce(into: [:]) { own, fact in
                if case .left(let owner) = fact.value, file[fact.key] != .user(owner) {
                    own[fact.key] = .user(nil)
                } else {
                    own[fact.key] = fact.value
                }
            }
            drafted = [:]
        case 11:
            log.append("roll back the draft")
            draft.rollback()
            drafted = [:]
        case 12 where Int.random(in: 0..<3, using: &generator) == 0:
            log.append("roll back")
            store.main.rollback()
            own = [:]
        case 13 where Int.random(in: 0..<3, using: &generator) == 0:
            log.append("a new draft")
            draft = try store.main.draft()
            drafted = [:]
        default: rename(key, inDraft)
        }
        dissolve()
    }

    private func object(_ key: Int, _ inDraft: Bool) -> Repository? {
        repositories[key].flatMap { inDraft ? draft.object(for: $0) : $0 }
    }

    private func user(_ key: Int?, _ inDraft: Bool) -> User? {
        guard let user = users.first(where: { $0.identifier == key }) else { return nil }
        return inDraft ? draft.object(for: user) : user
    }

    private func topic(_ name: String, _ inDraft: Bool) -> Topic? {
        guard let topic = topics.first(where: { $0.name == name }) else { return nil }
        return inDraft ? draft.object(for: topic) : topic
    }

    private mutating func some<Element>(_ elements: [Element]) -> [Element] {
        elements.filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
    }

    private mutating func rename(_ key: Int, _ inDraft: Bool) {
        let name = "n\(Int.random(in: 0..<3, using: &generator))"
        log.append("\(inDraft ? "draft: " : "")name of \(key) = \(name)")
        object(key, inDraft)?.name = name
        note(.name(key), .text(name), inDraft: inDraft)
    }

    private mutating func give(_ key: Int, _ inDraft: Bool) {
        let owner = [1, 2, nil].randomElement(using: &generator) ?? nil
        log.append("\(inDraft ? "draft: " : "")owner of \(key) = \(owner ?? 0)")
        object(key, inDraft)?.owner = user(owner, inDraft)
        note(.owner(key), .user(owner), inDraft: inDraft)
    }

    private mutating func setRepositories(_ inDraft: Bool) {
        let owner = Bool.random(using: &generator) ? 1 : 2
        let members = some(keys)
        log.append("\(inDraft ? "draft: " : "")repositories of user \(owner) = \(members)")
        user(owner, inDraft)?.repositories = members.compactMap { object($0, inDraft) }
        for key in keys {
            if members.contains(key) {
                note(.owner(key), .user(owner), inDraft: inDraft)
            } else if value(.owner(key), inDraft: inDraft) == .user(owner) {
                let below = inDraft ? value(.owner(key), inDraft: false) : file[.owner(key)]
                note(.owner(key), below == .user(owner) ? .left(owner) : .user(nil), inDraft: inDraft)
            }
        }
    }

    private mutating func setTopics(_ key: Int, _ inDraft: Bool) {
        let members = some(["x", "y", "z"])
        log.append("\(inDraft ? "draft: " : "")topics of \(key) = \(members)")
        object(key, inDraft)?.topics = members.compactMap { topic($0, inDraft) }
        for name in ["x", "y", "z"] {
            note(.topic(of: key, name), .flag(members.contains(name)), inDraft: inDraft)
        }
    }

    private mutating func setRepositoriesOfTopic(_ inDraft: Bool) {
        let name = ["x", "y", "z"].randomElement(using: &generator) ?? "x"
        let members = some(keys)
        log.append("\(inDraft ? "draft: " : "")repositories of topic \(name) = \(members)")
        topic(name, inDraft)?.repositories = members.compactMap { object($0, inDraft) }
        for key in keys { note(.topic(of: key, name), .flag(members.contains(key)), inDraft: inDraft) }
    }

    private mutating func commitElsewhere(_ key: Int) async throws {
        let name = "n\(Int.random(in: 0..<3, using: &generator))"
        log.append("elsewhere: name of \(key) = \(name)")
        try await store.background { context in try context.find(Repository.self, key)?.name = name }
        file[.name(key)] = .text(name)
    }

    // MARK: Comparing

    func agrees() throws -> Bool {
        for inDraft in [false, true] {
            for key in keys {
                guard let repository = object(key, inDraft) else { return fail("\(key) is gone") }
                let owner = repository.owner?.identifier
                guard value(.name(key), inDraft: inDraft) == .text(repository.name) else {
                    return fail("name of \(key) is \(repository.name), \(inDraft)")
                }
                guard value(.owner(key), inDraft: inDraft)?.isEqual(.user(owner)) == true else {
                    return fail("owner of \(key) is \(owner ?? 0), \(inDraft)")
                }
                for user in 1...2 {
                    let isMember = self.user(user, inDraft)?.repositories.contains { $0 === repository }
                    guard isMember == (owner == user) else { return fail("list of \(user), \(key), \(inDraft)") }
                }
                for name in ["x", "y", "z"] {
                    let expected = value(.topic(of: key, name), inDraft: inDraft)
                    guard expected == .flag(repository.topics.contains { $0.name == name }) else {
                        return fail("topics of \(key): \(repository.topics.map { $0.name ?? "" }), \(inDraft)")
                    }
                    let back = topic(name, inDraft)?.repositories.contains { $0 === repository } ?? false
                    guard expected == .flag(back) else { return fail("repositories of \(name): \(key), \(inDraft)") }
                }
            }
            let context = inDraft ? draft.context : store.main
            let count = try context.query(Repository.self).where { $0.owner.identifier == 1 }.count()
            let expected = keys.count { value(.owner($0), inDraft: inDraft) == .user(1) }
            guard count == expected else { return fail("\(count) of user 1, \(inDraft)") }
        }
        guard drafted.isEmpty || draft.hasChanges else { return fail("the draft has no changes") }
        return true
    }

    private func fail(_ message: String) -> Bool {
        Testing.Issue.record("seed \(seed): \(message)\n\(log.joined(separator: "\n"))")
        return false
    }
}
