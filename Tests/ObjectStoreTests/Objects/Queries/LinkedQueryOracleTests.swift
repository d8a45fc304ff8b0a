import ObjectStore
import RestfulData
import TestSupport
import Testing

/// Random objects, random edits of them and random queries that follow links and look into lists. The result must equal
/// a plain filter over the objects' properties, whether saved, unsaved or committed elsewhere.
@MainActor
@Suite struct LinkedQueryOracleTests {
    nonisolated static let seeds = Fuzzing.seeds(24, and: [219, 349, 534, 844, 12_739_016_897_293_169_521])

    @Test(arguments: seeds)
    func `A query with linked conditions matches a filter of the objects`(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let store = try Store(of: World.models)
        try await store.main.take(Issue.self, Edits.body(&generator))
        var edits = Edits(context: store.main)
        for step in 0..<8 {
            for _ in 0..<Int.random(in: 1...4, using: &generator) { try edits.edit(&generator) }
            if Int.random(in: 0..<4, using: &generator) == 0 {
                try await save(store.main)
                edits.log.append("save")
            } else if Int.random(in: 0..<5, using: &generator) == 0 {
                let body = Edits.body(&generator)
                try await store.takeElsewhere(Issue.self, body)
                edits.log.append("import \(body)")
            } else if Int.random(in: 0..<8, using: &generator) == 0 {
                let last = generator
                generator = try await store.background { context in
                    var generator = last
                    try Edits(context: context).delete(&generator)
                    return generator
                }
                edits.log.append("delete elsewhere")
            }
            for _ in 0..<10 {
                guard try agrees(store.main, &generator, "seed \(seed), step \(step): \(edits.log)") else { return }
            }
        }
        try await save(store.main)
        let last = generator
        try await store.background { context in
            var generator = last
            for _ in 0..<12 { _ = try agrees(context, &generator, "seed \(seed), elsewhere") }
        }
    }

    /// Edits of an object that was deleted elsewhere are lost, which is reported once.
    private func save(_ context: ObjectContext) async throws {
        try await saveDespiteDeletions(context)
        try await context.save()
    }

    nonisolated private func agrees(
        _ context: ObjectContext, _ generator: inout SeededGenerator, _ log: String
    ) throws -> Bool {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: try agrees(Probe<User>.any(&generator, depth: 2), context, log)
        case 1: try agrees(Probe<Repository>.any(&generator, depth: 2), context, log)
        default: try agrees(Probe<Issue>.any(&generator, depth: 2), context, log)
        }
    }

    nonisolated private func agrees<M: Model>(
        _ probe: Probe<M>, _ context: ObjectContext, _ log: String
    ) throws -> Bool {
        let query = context.query(M.self).where { _ in probe.predicate }
        // Before the filter reads a list.
        let found = try query.fetch()
        let expected = try context.query(M.self).fetch().filter(probe.holds)
        let isSame = found.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init)
        #expect(isSame, "\(probe.words): found \(found.count) of \(expected.count), after \(log)")
        let count = try query.count()
        #expect(count == expected.count, "\(probe.words), after \(log)")
        let page = try query.limit(2, offset: 1).fetch().map(ObjectIdentifier.init)
        #expect(page == expected.dropFirst().prefix(2).map(ObjectIdentifier.init), "\(probe.words), after \(log)")
        return isSame && count == expected.count
    }
}

/// A condition, and the same in Swift.
struct Probe<M: Model> {
    let words: String
    let predicate: QueryPredicate<M>
    let holds: (M) -> Bool

    init(_ words: String, _ predicate: QueryPredicate<M>, _ holds: @escaping (M) -> Bool) {
        (self.words, self.predicate, self.holds) = (words, predicate, holds)
    }

    /// One of several, or a combination of some.
    fileprivate static func random(
        _ generator: inout SeededGenerator, _ depth: Int, _ plain: (inout SeededGenerator, Int) -> Probe
    ) -> Probe {
        guard depth > 0 else { return plain(&generator, 0) }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            let (left, right) = (random(&generator, depth - 1, plain), random(&generator, depth - 1, plain))
            return Probe("(\(left.words) && \(right.words))", left.predicate && right.predicate) {
                left.holds($0) && right.holds($0)
            }
        case 1:
            let (left, right) = (random(&generator, depth - 1, plain), random(&generator, depth - 1, plain))
            return Probe("(\(left.words) || \(right.words))", left.predicate || right.predicate) {
                left.holds($0) || right.holds($0)
            }
        case 2:
            let other = random(&generator, depth - 1, plain)
            return Probe("!\(other.words)", !other.predicate) { !other.holds($0) }
        default: return plain(&generator, depth)
        }
    }
}

private let names = ["a", "b", "ab", "Élan", "elan"]

extension Probe<User> {
    static func any(_ generator: inout SeededGenerator, depth: Int) -> Probe {
        random(&generator, depth) { generator, depth in
            let (user, number) = (User.properties, Int.random(in: 0..<4, using: &generator))
            let name = names.randomElement(using: &generator) ?? "a"
            switch Int.random(in: 0..<14, using: &generator) {
            case 0: return Probe("login == \(name)", user.login == name) { $0.login == name }
            case 1: return Probe("name != \(name)", user.name != name) { $0.name != name }
            case 2: return Probe("siteAdmin", user.siteAdmin.queryPredicate) { $0.siteAdmin }
            case 3: return Probe("!siteAdmin", !user.siteAdmin) { !$0.siteAdmin }
            case 4: return Probe("profile == nil", user.profile == nil) { $0.profile == nil }
            case 5:
                return Probe("profile.bio == \(name)", user.profile.bio == name) { $0.profile?.bio == name }
            case 6:
                return Probe("profile.bio != \(name)", user.profile.bio != name) { $0.profile?.bio != name }
            case 7:
                return Probe("profile.user.login < b", user.profile.user.login < "b") {
                    ($0.profile?.user?.login).map { $0 < "b" } ?? false
                }
            case 8:
                return Probe("repositories.count > \(number)", user.repositories.count > number) {
                    $0.repositories.count > number
                }
            case 9: return Probe("repositories.isEmpty", user.repositories.isEmpty) { $0.repositories.isEmpty }
            case 10:
                return Probe("login.hasPrefix", user.login.hasPrefix("a")) { $0.login.utf8.starts(with: "a".utf8) }
            case 11:
                return Probe("login insensitive", user.login.insensitive == "ELAN") {
                    ["elan", "Élan"].contains($0.login)
                }
            case 12: return Probe("name == login", user.name == user.login) { $0.name == $0.login }
            default:
                let inner = Probe<Repository>.any(&generator, depth: depth - 1)
                return Probe(
                    "repositories.contains { \(inner.words) }", user.repositories.contains { _ in inner.predicate }
                ) {
                    $0.repositories.contains(where: inner.holds)
                }
            }
        }
    }
}

extension Probe<Repository> {
    static func any(_ generator: inout SeededGenerator, depth: Int) -> Probe {
        random(&generator, depth) { generator, depth in
            let (repository, number) = (Repository.properties, Int.random(in: 0..<4, using: &generator))
            let name = names.randomElement(using: &generator) ?? "a"
            switch Int.random(in: 0..<10, using: &generator) {
            case 0: return Probe("stars > \(number)", repository.stars > number) { $0.stars > number }
            case 1: return Probe("owner == nil", repository.owner == nil) { $0.owner == nil }
            case 2:
                return Probe("owner.login == \(name)", repository.owner.login == name) { $0.owner?.login == name }
            case 3:
                return Probe("owner.siteAdmin", repository.owner.siteAdmin.queryPredicate) {
                    $0.owner?.siteAdmin == true
                }
            case 4:
                return Probe("owner.profile.bio == nil", repository.owner.profile.bio == nil) {
                    $0.owner?.profile?.bio == nil
                }
            case 5:
                return Probe("topics.contains", repository.topics.contains { $0.name == name }) {
                    $0.topics.contains { $0.name == name }
                }
            case 6:
                return Probe("topics.repositories.count", repository.topics.contains { $0.repositories.count > 1 }) {
                    $0.topics.contains { $0.repositories.count > 1 }
                }
            case 7:
                return Probe("owner.repositories.isEmpty", repository.owner.repositories.isEmpty) {
                    $0.owner?.repositories.isEmpty == true
                }
            case 8:
                return Probe("owner.repositories.count", repository.owner.repositories.count < 2) {
                    ($0.owner?.repositories.count).map { $0 < 2 } ?? false
                }
            default:
                let inner = Probe<Issue>.any(&generator, depth: depth - 1)
                return Probe(
                    "issues.allSatisfy { \(inner.words) }", repository.issues.allSatisfy { _ in inner.predicate }
                ) {
                    $0.issues.allSatisfy(inner.holds)
                }
            }
        }
    }
}

extension Probe<Issue> {
    static func any(_ generator: inout SeededGenerator, depth: Int) -> Probe {
        random(&generator, depth) { generator, depth in
            let (issue, number) = (Issue.properties, Int.random(in: 0..<4, using: &generator))
            let name = names.randomElement(using: &generator) ?? "a"
            switch Int.random(in: 0..<14, using: &generator) {
            case 0:
                return Probe("number <= \(number)", issue.number <= number) { $0.number.map { $0 <= number } ?? false }
            case 1: return Probe("assignee == nil", issue.assignee == nil) { $0.assignee == nil }
            case 2:
                return Probe("assignee.login == \(name)", issue.assignee.login == name) { $0.assignee?.login == name }
            case 3:
                return Probe("repository.owner.login != \(name)", issue.repository.owner.login != name) {
                    $0.repository?.owner?.login != name
                }
            case 4:
                return Probe("assignee == repository.owner", issue.assignee == issue.repository.owner) {
                    $0.assignee === $0.repository?.owner
                }
            case 5:
                return Probe("labels.contains \(name)", issue.labels.contains { $0.name == name }) {
                    $0.labels.contains { $0.name == name }
                }
            case 6:
                return Probe("labels.count == \(number)", issue.labels.count == number) { $0.labels.count == number }
            case 7: return Probe("labels.isEmpty", issue.labels.isEmpty) { $0.labels.isEmpty }
            case 8:
                return Probe("labels.allSatisfy", issue.labels.allSatisfy { $0.color != nil }) {
                    $0.labels.allSatisfy { $0.color != nil }
                }
            case 9:
                return Probe("comments.contains", issue.comments.contains { $0.body.contains(name) }) {
                    $0.comments.contains { $0.body.lowercased().contains(name.lowercased()) || $0.body.contains(name) }
                }
            case 10:
                return Probe("repository.topics.isEmpty", issue.repository.topics.isEmpty) {
                    $0.repository?.topics.isEmpty == true
                }
            case 11:
                return Probe("repository.stars == assignee…", issue.repository.stars == number) {
                    $0.repository?.stars == number
                }
            case 12:
                let inner = Probe<Repository>.any(&generator, depth: depth - 1)
                return Probe(
                    "comments.issue.repository",
                    issue.comments.contains { $0.issue.repository.topics.contains { $0.name == name } }
                ) {
                    _ = inner
                    return $0.comments.contains { $0.issue?.repository?.topics.contains { $0.name == name } == true }
                }
            default:
                return Probe("title order", issue.title >= issue.title) { $0.title >= $0.title }
            }
        }
    }
}

/// A model of which new objects are made.
protocol Made: Model {
    init(in context: ObjectContext)
}
extension User: Made {}
extension Profile: Made {}
extension Repository: Made {}
extension Topic: Made {}
extension Issue: Made {}
extension Label: Made {}
extension Comment: Made {}

/// Random edits of all kinds in one context.
struct Edits {
    let context: ObjectContext
    var log: [String] = []

    /// Issues with all that they lead to.
    static func body(_ generator: inout SeededGenerator) -> String {
        func number(_ count: Int) -> Int { Int.random(in: 1...count, using: &generator) }
        func name() -> String { names.randomElement(using: &generator) ?? "" }
        let issues = (0..<8).map { _ -> String in
            let user = """
                {"id": \(number(5)), "login": "\(name())", "name": \(number(3) == 1 ? "null" : "\"\(name())\""), \
                "site_admin": \(number(2) == 1), "profile": \(number(2) == 1 ? "null" : "{\"id\": \(number(4)), \"bio\": \"\(name())\"}")}
                """
            let topics = (0..<number(3)).map { _ in "{\"name\": \"\(name())\"}" }.joined(separator: ",")
            let labels = (1..<number(4)).map {
                "{\"id\": \($0), \"name\": \"\(name())\", \"color\": \(number(2) == 1 ? "null" : "\"red\"")}"
            }
            let comments = (0..<number(3)).map { _ in "{\"id\": \(number(12)), \"body\": \"\(name())\"}" }
            return """
                {"id": \(number(12)), "number": \(number(4)), "title": "\(name())", \
                "repository": {"id": \(number(4)), "stars": \(number(4)), "owner": \(number(4) == 1 ? "null" : user), \
                "topics": [\(topics)]}, "assignee": \(number(3) == 1 ? "null" : user), \
                "labels": [\(labels.joined(separator: ","))], "comments": [\(comments.joined(separator: ","))]}
                """
        }
        return "[" + issues.joined(separator: ",") + "]"
    }

    private func one<M: Made>(_ type: M.Type, _ generator: inout SeededGenerator) throws -> M {
        let all = try context.query(type).fetch()
        if all.isEmpty || Int.random(in: 0..<8, using: &generator) == 0 { return M(in: context) }
        return all.randomElement(using: &generator) ?? M(in: context)
    }

    /// Adds a new member, as a list has each member once.
    private func join<Owner: Model, Member: Model>(
        _ member: Member, _ list: ReferenceWritableKeyPath<Owner, [Member]>, of owner: Owner
    ) {
        if !owner[keyPath: list].contains(where: { $0 === member }) { owner[keyPath: list].append(member) }
    }

    mutating func edit(_ generator: inout SeededGenerator) throws {
        let name = names.randomElement(using: &generator) ?? ""
        let kind = Int.random(in: 0..<16, using: &generator)
        log.append("edit \(kind)")
        switch kind {
        case 0: try one(User.self, &generator).login = name
        case 1: try one(User.self, &generator).siteAdmin.toggle()
        case 2:
            try one(Repository.self, &generator).owner =
                Bool.random(using: &generator) ? nil : one(User.self, &generator)
        case 3:
            try one(Issue.self, &generator).assignee = Bool.random(using: &generator) ? nil : one(User.self, &generator)
        case 4: try one(Issue.self, &generator).repository = one(Repository.self, &generator)
        case 5: try join(one(Label.self, &generator), \Issue.labels, of: one(Issue.self, &generator))
        case 6: try one(Issue.self, &generator).labels = []
        case 7: try join(one(Topic.self, &generator), \Repository.topics, of: one(Repository.self, &generator))
        case 8: try join(one(Repository.self, &generator), \Topic.repositories, of: one(Topic.self, &generator))
        case 9: try one(Topic.self, &generator).repositories = []
        case 10:
            try one(User.self, &generator).profile =
                Bool.random(using: &generator) ? nil : one(Profile.self, &generator)
        case 11:
            try one(Profile.self, &generator).user = Bool.random(using: &generator) ? nil : one(User.self, &generator)
        case 12: try join(one(Issue.self, &generator), \Repository.issues, of: one(Repository.self, &generator))
        case 13: try join(one(Comment.self, &generator), \Issue.comments, of: one(Issue.self, &generator))
        case 14: try one(Comment.self, &generator).body = name
        default: try delete(&generator)
        }
    }

    func delete(_ generator: inout SeededGenerator) throws {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: context.delete(try one(User.self, &generator))
        case 1: context.delete(try one(Repository.self, &generator))
        case 2: context.delete(try one(Label.self, &generator))
        case 3: context.delete(try one(Topic.self, &generator))
        case 4: context.delete(try one(Profile.self, &generator))
        default: context.delete(try one(Issue.self, &generator))
        }
    }
}
