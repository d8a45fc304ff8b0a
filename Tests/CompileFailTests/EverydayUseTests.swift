import Foundation
import TestSupport
import Testing

/// A client's ordinary work compiles as written, on the main actor and in the background, in spite of the isolation of
/// objects.
@Suite(.serialized, .enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct EverydayUseTests {
    static func programs(_ settings: Client.Settings) throws -> [Client] {
        let models = models(of: settings)
        let works = ["", severalRequests, containment].map { Client(models: models, source: $0) }
        let own = settings == .swift6 ? [nonisolated, ownTypes, quotedNames] : []
        let declared = Client.Settings.strict.contains(settings) ? [declaredModel(settings)] : []
        return try works + own + declared + readmeExamples(settings)
    }

    private static func expectAccepted(_ program: Client, _ settings: Client.Settings) async throws {
        let verdict = try await ProgramSet.plain.verdict(on: program, settings)
        #expect(verdict.isAccepted, "\(verdict.log)")
        #expect(!verdict.hasWarnings, "\(verdict.log)")
    }

    /// - Parameter source: the text after the models and their everyday use.
    private static func expectAccepted(_ source: String, _ settings: Client.Settings) async throws {
        try await expectAccepted(Client(models: models(of: settings), source: source), settings)
    }

    @Test(arguments: Client.Settings.allCases)
    func `Everyday use of objects in their context compiles`(_ settings: Client.Settings) async throws {
        try await Self.expectAccepted("", settings)
    }

    private static let nonisolated = Client(models: models("nonisolated "), source: "")

    @Test func `A model marked as nonisolated compiles`() async throws {
        try await Self.expectAccepted(Self.nonisolated, .swift6)
    }

    @Test func `A client's type may have the name of a Foundation type, and a common type an alias`() async throws {
        try await Self.expectAccepted(Self.ownTypes, .swift6)
    }

    private static let ownTypes = Client(
        source: """
            import RestfulData

            typealias Serial = Int
            struct Date: Codable, Sendable { var year = 0 }
            typealias URL = [Data]
            enum Decimal: String { case one }
            func guess() -> Int { 7 }

            @Model
            final class Event {
                var identifier: Serial?
                var opened: Date?
                var closed = Date()
                var digit: Decimal?
                var data: Data?
                var records: [Data] = []
                var others: URL = []
                var count = guess()
                var limit = Int("5")
                var mask = ~7
            }

            @Model
            final class Data {
                var identifier: Int?
            }

            func use(_ event: Event) {
                event.identifier = (event.identifier ?? 0) + event.count + event.mask
                event.limit = event.opened?.year ?? event.closed.year
                event.data = nil
                event.others = event.records
                event.digit = .one
            }
            """,
        isAlone: true)

    @Test func `Names in backticks, with spaces and quotation marks, compile`() async throws {
        try await Self.expectAccepted(Self.quotedNames, .swift6)
    }

    private static let quotedNames = Client(
        source: #"""
            import RestfulData

            @Model
            final class `My "User"` {
                var identifier: Int?
                var `self`: Int?
                var `default` = 5
                @Attribute("text") var `the "name"` = ""
                var `other one`: `My "User"`?
                var `for`: [`My "User"`]
            }

            @ResponseBody
            struct `The page` {
                @Attribute("total") var `how "many"` = 0
                @Relationship(json: "items") let `the users`: [`My "User"`]
            }

            func use(_ user: `My "User"`) async throws {
                user.`other one` = user.`for`.first
                user.`the "name"` = "\(user.default)"
                try await user.$for.fetch()
                try await user.`$other one`.fetch()
            }
            """#,
        isAlone: true)

    @Test(arguments: Client.Settings.strict)
    func `A class that declares its conformance to the model protocol compiles`(_ settings: Client.Settings)
        async throws
    {
        try await Self.expectAccepted(Self.declaredModel(settings), settings)
    }

    private static func declaredModel(_ settings: Client.Settings) -> Client {
        Client(
            source: """
                import RestfulData

                @Model
                \(settings.isMainActors ? "nonisolated " : "")final class User: Model {
                    var identifier: Int?
                }
                """)
    }

    @Test(arguments: Client.Settings.allCases)
    func `The README's examples compile as written`(_ settings: Client.Settings) async throws {
        for example in try Self.readmeExamples(settings) { try await Self.expectAccepted(example, settings) }
    }

    /// Whether their names are free is independent of the settings.
    private static func readmeExamples(_ settings: Client.Settings) throws -> [Client] {
        let readme = try String(contentsOf: ProjectFolder.root.appending(path: "README.md"), encoding: .utf8)
        let examples = readme.components(separatedBy: "<!-- compiled: ").dropFirst().map {
            $0.components(separatedBy: "```swift\n")[1].components(separatedBy: "\n```")[0]
        }
        try #require(examples.count == 2)
        return examples.map { Client(source: $0, isAlone: settings == .swift6) }
    }

    @Test(arguments: Client.Settings.allCases)
    func `Several concurrent requests compile, with typed errors in a closure`(
        _ settings: Client.Settings
    ) async throws {
        try await Self.expectAccepted(Self.severalRequests, settings)
    }

    private static let severalRequests = """
        @MainActor func fetchAll(_ logins: [String], _ store: Store) async throws -> [User] {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for login in logins {
                    group.addTask { try await fetch(login, store) }
                }
                try await group.waitForAll()
            }
            return try store.main.query(User.self).where { $0.login.isAmong(logins) }.fetch()
        }

        @MainActor func fetch(_ login: String, _ store: Store) async throws {
            _ = try await User.fetch("/users/:login", ["login": login], in: store.main)
        }

        @MainActor func fetchTwo(_ user: User, _ repository: Repository) async throws -> Int {
            let repositories = Task { _ = try await user.$repositories.fetch() }
            let issues = Task { _ = try await repository.$issues.fetch() }
            try await repositories.value
            try await issues.value
            return user.repositories.count + repository.issues.count
        }

        @MainActor func titles(_ issue: Issue) {
            Task {
                do throws(APIError) {
                    try await issue.save()
                } catch {
                    print(error.reply?.fields["title"] ?? [])
                }
            }
        }
        """

    /// Dependencies of the library have functions with that name as well. They are visible in a module that leaves
    /// `MemberImportVisibility` off.
    @Test(arguments: Client.Settings.allCases)
    func `A sequence or range that contains an attribute compiles as a condition`(_ settings: Client.Settings)
        async throws
    {
        try await Self.expectAccepted(Self.containment, settings)
    }

    private static let containment = """
        nonisolated func find(_ context: ObjectContext, _ logins: Set<String>, _ numbers: [Int]) throws -> Int {
            let issues = context.query(Issue.self).where {
                [1, 2].contains($0.number) || numbers.contains($0.number) && !(5...).contains($0.number)
            }
            let users = context.query(User.self).where {
                logins.contains($0.login) && (1..<9).contains($0.identifier) && !["a"].contains($0.login)
            }
            return try issues.count() + users.count()
        }
        """

    private static func models(of settings: Client.Settings) -> String {
        models(settings.isMainActors ? "nonisolated " : "")
    }

    /// Models, and an app's everyday use of them.
    ///
    /// - Parameter isolation: the text before each class.
    private static func models(_ isolation: String) -> String {
        """
        import RestfulData

        @Model
        \(isolation)final class User {
            var identifier: Int?
            var login = ""
            @Relationship("/users/:login/repos", inverse: "owner")
            var repositories: [Repository]
        }

        @Model
        \(isolation)final class Repository {
            var identifier: Int?
            var fullName = ""
            var owner: User?
            var issues: [Issue]
        }

        @Model("/repos/:repository.full_name/issues", key: "number")
        \(isolation)final class Issue {
            enum State: String { case open, closed }
            var identifier: Int?
            var number: Int?
            var title = ""
            var state: State = .open
            var user: User?
            var repository: Repository?
        }

        @MainActor func work(_ store: Store) async throws {
            let octocat = try await User.fetch("/users/:login", ["login": "octocat"], in: store.main)
            let repositories = try await octocat.$repositories.fetch()
            let issue = Issue(in: store.main)
            issue.title = "Found a bug"
            try await repositories[0].$issues.add(issue)
            issue.state = .closed
            try await issue.save()
            try await issue.fetch()
            let task = Task { try await issue.delete() }
            try await task.value
            let titles = try await titles(repositories[0])
            print(titles, repositories[0].owner === octocat)
        }

        nonisolated(nonsending) func titles(_ repository: Repository) async throws -> [String] {
            repository.issues.map { $0.title }
        }

        func count(_ store: Store) async throws -> Int {
            try await store.background { context in
                let user = try await User.fetch("/users/:login", ["login": "octocat"], in: context)
                var count = 0
                for repository in try await user.$repositories.fetch() {
                    count += try await repository.$issues.fetch().count
                    repository.owner = user
                }
                try await context.save()
                return count
            }
        }
        """
    }
}
