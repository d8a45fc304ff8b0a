import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Random edits, of which those of one property or one object are rolled back. The result must be that of a context
/// that never made them.
@MainActor
@Suite struct RollbackSimulationTests {
    nonisolated static let seeds = Fuzzing.seeds(150)

    @Test(arguments: seeds)
    func `Rollback of a property equals never having edited it`(_ seed: UInt64) async throws {
        var simulation = try await RollbackSimulation(seed: seed)
        for _ in 0..<12 {
            for _ in 0..<4 { simulation.edit() }
            simulation.rollBackOne()
            guard simulation.agrees() else { return }
        }
        if seed.isMultiple(of: 3) {
            try await simulation.save()
        } else {
            simulation.rollBackAll()
        }
    }
}

@MainActor
private struct RollbackSimulation {
    /// A context's values, as facts that are edited separately.
    struct View: Equatable {
        var names: [Int: String] = [:]
        var owners: [Int: Int] = [:]
        var topics: [Int: Set<String>] = [:]
        var profiles: [Int: Int] = [:]
    }

    let seed: UInt64
    let store: Store
    let users: [User]
    let profiles: [Profile]
    let repositories: [Repository]
    let topics: [Topic]
    var generator: SeededGenerator
    /// The file's facts, and the expected ones.
    let stored: View
    var expected: View
    var log: [String] = []

    init(seed: UInt64) async throws {
        self.seed = seed
        store = try Store(of: World.models)
        generator = SeededGenerator(seed: seed)
        users = try await store.main.take(
            User.self,
            """
            [{"id": 1, "profile": {"id": 1}, "repositories": [{"id": 1, "topics": [{"name": "x"}, {"name": "y"}]}, {"id": 2}]},
             {"id": 2, "profile": {"id": 2}, "repositories": [{"id": 3, "topics": [{"name": "y"}, {"name": "z"}]}]},
             {"id": 3, "profile": {"id": 3}}]
            """
        ).objects
        profiles = try store.main.query(Profile.self).order(by: { $0.identifier }).fetch()
        repositories = try store.main.query(Repository.self).order(by: { $0.identifier }).fetch()
        topics = try store.main.query(Topic.self).order(by: { $0.name }).fetch()
        stored = View(
            names: [1: "", 2: "", 3: ""], owners: [1: 1, 2: 1, 3: 2], topics: [1: ["x", "y"], 2: [], 3: ["y", "z"]],
            profiles: [1: 1, 2: 2, 3: 3])
        expected = stored
    }

    private mutating func any<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &generator)]
    }

    private mutating func some<Element>(_ elements: [Element]) -> [Element] {
        elements.filter { _ in Bool.random(using: &generator) }.shuffled(using: &generator)
    }

    private mutating func maybe<Element>(_ elements: [Element]) -> Element? {
        Int.random(in: 0..<4, using: &generator) == 0 ? nil : any(elements)
    }

    // MARK: Edits

    mutating func edit() {
        let (user, repository) = (any(users), any(repositories))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: rename(repository)
        case 1: give(repository, to: maybe(users))
        case 2: setRepositories(of: user, to: some(repositories))
        case 3: setTopics(of: repository, to: some(topics))
        case 4: setRepositories(of: any(topics), to: some(repositories))
        default: setProfile(of: user, to: maybe(profiles), byProfile: Bool.random(using: &generator))
        }
    }

    private mutating func rename(_ repository: Repository) {
        repository.name = "n\(Int.random(in: 0..<3, using: &generator))"
        log.append("name \(id(repository)) = \(repository.name)")
        expected.names[id(repository)] = repository.name
    }

    private mutating func give(_ repository: Repository, to user: User?) {
        log.append("owner of \(id(repository)) = \(user.map(id) ?? 0)")
        repository.owner = user
        expected.owners[id(repository)] = user.map(id)
    }

    private mutating func setRepositories(of user: User, to members: [Repository]) {
        log.append("repositories of user \(id(user)) = \(members.map(id))")
        user.repositories = members
        for key in [1, 2, 3] where expected.owners[key] == id(user) { expected.owners[key] = nil }
        for member in members { expected.owners[id(member)] = id(user) }
    }

    private mutating func setTopics(of repository: Repository, to members: [Topic]) {
        log.append("topics of \(id(repository)) = \(members.map(\.name))")
        repository.topics = members
        expected.topics[id(repository)] = Set(members.compactMap(\.name))
    }

    private mutating func setRepositories(of topic: Topic, to members: [Repository]) {
        log.append("repositories of topic \(topic.name ?? "") = \(members.map(id))")
        topic.repositories = members
        for key in [1, 2, 3] { expected.topics[key]?.remove(topic.name ?? "") }
        for member in members { expected.topics[id(member)]?.insert(topic.name ?? "") }
    }

    private mutating func setProfile(of user: User, to profile: Profile?, byProfile: Bool) {
        log.append("profile of \(id(user)) = \(profile.map(id) ?? 0) \(byProfile)")
        if byProfile, let profile { profile.user = user } else { user.profile = profile }
        for (key, value) in expected.profiles where value == profile.map(id) { expected.profiles[key] = nil }
        expected.profiles[id(user)] = profile.map(id)
    }

    private func id(_ user: User) -> Int { user.identifier ?? 0 }
    private func id(_ repository: Repository) -> Int { repository.identifier ?? 0 }
    private func id(_ profile: Profile) -> Int { profile.identifier ?? 0 }

    // MARK: Rolling back

    mutating func rollBackOne() {
        let (user, repository, topic) = (any(users), any(repositories), any(topics))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0:
            log.append("roll back name of \(id(repository))")
            repository.rollback(\.name)
            expected.names[id(repository)] = stored.names[id(repository)]
        case 1:
            log.append("roll back owner of \(id(repository))")
            repository.rollback(\.owner)
            expected.owners[id(repository)] = stored.owners[id(repository)]
        case 2:
            log.append("roll back repositories of user \(id(user))")
            user.rollback(\.repositories)
            for key in [1, 2, 3] where (expected.owners[key] == id(user)) != (stored.owners[key] == id(user)) {
                expected.owners[key] = stored.owners[key]
            }
        case 3:
            log.append("roll back topics of \(id(repository))")
            repository.rollback(\.topics)
            expected.topics[id(repository)] = stored.topics[id(repository)]
        case 4:
            log.append("roll back repositories of topic \(topic.name ?? "")")
            topic.rollback(\.repositories)
            for key in [1, 2, 3] {
                let isMember = stored.topics[key]?.contains(topic.name ?? "") ?? false
                expected.topics[key]?.remove(topic.name ?? "")
                if isMember { expected.topics[key]?.insert(topic.name ?? "") }
            }
        case 5: rollBackProfile(of: user)
        default: rollBackWhole(repository)
        }
    }

    /// All edits that this one had displaced come back: the involved objects have the file's values, and the others
    /// their earlier ones.
    private mutating func rollBackProfile(of user: User) {
        log.append("roll back profile of \(id(user))")
        user.rollback(\.profile)
        expected.profiles[id(user)] = id(user)
        for other in users where other !== user {
            let now = other.profile.map(id)
            if now != expected.profiles[id(other)], now != id(other),
                now != nil || expected.profiles[id(other)] != id(user)
            {
                fail("profile of \(id(other)) is \(now ?? 0)")
            }
            expected.profiles[id(other)] = now
        }
    }

    private mutating func rollBackWhole(_ repository: Repository) {
        log.append("roll back \(id(repository))")
        let isListEdited = repository.changedProperties.contains("topics")
        repository.rollback()
        let key = id(repository)
        expected.names[key] = stored.names[key]
        expected.owners[key] = stored.owners[key]
        if isListEdited { expected.topics[key] = stored.topics[key] }
    }

    mutating func rollBackAll() {
        for repository in repositories { repository.rollback() }
        for topic in topics { topic.rollback() }
        for user in users { user.rollback() }
        for profile in profiles { profile.rollback() }
        expected = stored
        if store.main.hasChanges { fail("there are changes") }
        _ = agrees()
    }

    mutating func save() async throws {
        try await store.main.save()
        guard agrees() else { return }
        let fresh = try Store(.file(store.path), models: World.models)
        let users = try fresh.main.query(User.self).fetch()
        let repositories = try fresh.main.query(Repository.self).fetch()
        if view(users, repositories) != expected { fail("the file has \(view(users, repositories)), not \(expected)") }
    }

    // MARK: Comparing

    private func view(_ users: [User], _ repositories: [Repository]) -> View {
        var view = View()
        for repository in repositories {
            view.names[id(repository)] = repository.name
            view.owners[id(repository)] = repository.owner.map(id)
            view.topics[id(repository)] = Set(repository.topics.compactMap(\.name))
        }
        for user in users { view.profiles[id(user)] = user.profile.map(id) }
        return view
    }

    func agrees() -> Bool {
        var now = view(users, repositories)
        guard now == expected else {
            fail("there is \(now), not \(expected)")
            return false
        }
        // The same from the other sides.
        (now.owners, now.topics, now.profiles) = ([:], [1: [], 2: [], 3: []], [:])
        for user in users { for repository in user.repositories { now.owners[id(repository)] = id(user) } }
        for topic in topics {
            for repository in topic.repositories { now.topics[id(repository)]?.insert(topic.name ?? "") }
        }
        for profile in profiles { if let user = profile.user { now.profiles[id(user)] = id(profile) } }
        if now != expected { fail("from the other sides there is \(now), not \(expected)") }
        return now == expected
    }

    private func fail(_ message: String) {
        Testing.Issue.record("seed \(seed): \(message)\n\(log.joined(separator: "\n"))")
    }
}
