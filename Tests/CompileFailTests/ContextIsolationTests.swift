import Testing

/// An object stays in its context: the compiler refuses each way out. The clients have the Swift 6 language mode alone,
/// all upcoming features, or the main actor as the default isolation of their models.
@Suite(.serialized, .enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct ContextIsolationTests {
    static func programs(_ settings: Client.Settings) -> [Client] {
        let isStrict = Client.Settings.strict.contains(settings)
        let models = models(of: settings)
        return (isStrict ? misuses.flatMap { $0.programs(models: models) } : [])
            + (settings == .mainActor ? [leakOfMainActorsModel] : []) + helpers(settings)
    }

    @Test(arguments: misuses, Client.Settings.strict)
    func `The compiler refuses to let an object leave its context`(_ misuse: Misuse, _ settings: Client.Settings)
        async throws
    {
        try await misuse.check(settings, models: Self.models(of: settings), in: .plain)
    }

    private static let leakOfMainActorsModel = Client(
        models: models(""), source: "func leak(_ user: User) { let send: any Sendable = user; _ = send }",
        isRefused: true)

    @Test func `A model isolated to the main actor is not Sendable`() async throws {
        let verdict = try await ProgramSet.plain.verdict(on: Self.leakOfMainActorsModel, .mainActor)
        let refusal = "conformance of 'User' to 'Sendable' is unavailable: "
        #expect(verdict.errors.contains { $0.hasPrefix(refusal) }, "\(verdict.log)")
    }

    /// A helper that runs on its caller's actor, and where it makes a difference one that runs elsewhere.
    private static func helpers(_ settings: Client.Settings) -> [Client] {
        let models = models(of: settings)
        let said = Client(models: models, source: helper("nonisolated(nonsending) "))
        guard Client.Settings.strict.contains(settings), !settings.runsFunctionsWhereTheyAreCalled else {
            return [said]
        }
        return [said, Client(models: models, source: helper(""), isRefused: true)]
    }

    private static func helper(_ isolation: String) -> String {
        """
        \(isolation)func help(_ context: ObjectContext) async throws {
            User(in: context).login = "octocat"
            try await context.save()
        }
        func work(_ store: Store) async throws {
            try await store.background { context in try await help(context) }
        }
        """
    }

    @Test(arguments: Client.Settings.allCases)
    func `A helper on the context's actor compiles, a concurrent one is refused the context`(
        _ settings: Client.Settings
    ) async throws {
        let helpers = Self.helpers(settings)
        let said = try await ProgramSet.plain.verdict(on: helpers[0], settings)
        #expect(said.isAccepted && !said.hasWarnings, "\(said.log)")
        guard helpers.count == 2 else { return }
        let unsaid = try await ProgramSet.plain.verdict(on: helpers[1], settings)
        #expect(unsaid.errors.contains { $0.hasPrefix("sending 'context' risks causing data races") }, "\(unsaid.log)")
    }

    private static func models(of settings: Client.Settings) -> String {
        models(settings.isMainActors ? "nonisolated " : "")
    }

    /// - Parameter isolation: the text before the class.
    private static func models(_ isolation: String) -> String {
        """
        import RestfulData

        @Model
        \(isolation)final class User {
            var identifier: Int?
            var login = ""
        }
        """
    }

    static let misuses: [Misuse] = [
        Misuse(
            "an object of main in a background context",
            refused: """
                @MainActor func leak(_ user: User, _ store: Store) async throws {
                    try await store.background { context in
                        user.login = "octocat"
                    }
                }
                """,
            error: "capture of 'user' with non-Sendable type 'User' in a '@Sendable' closure",
            accepted: """
                @MainActor func pass(_ user: User, _ store: Store) async throws {
                    let login = user.login
                    try await store.background { context in
                        User(in: context).login = login
                    }
                }
                """),
        Misuse(
            "an object returned from a background context",
            refused: """
                func leak(_ store: Store) async throws {
                    _ = try await store.background { context in User(in: context) }
                }
                """,
            error: "conformance of 'User' to 'Sendable' is unavailable: an object is used where its context is",
            accepted: """
                func pass(_ store: Store) async throws {
                    _ = try await store.background { context in User(in: context).login }
                }
                """),
        Misuse(
            "an object written to a variable outside",
            refused: """
                func leak(_ store: Store) async throws {
                    var found: User?
                    try await store.background { context in found = User(in: context) }
                    _ = found
                }
                """,
            error: "mutation of captured var 'found' in concurrently-executing code",
            accepted: """
                func pass(_ store: Store) async throws {
                    let found: String = try await store.background { context in User(in: context).login }
                    _ = found
                }
                """),
        Misuse(
            "the main context in a background one",
            refused: """
                @MainActor func leak(_ store: Store) async throws {
                    let main = store.main
                    try await store.background { context in _ = User(in: main) }
                }
                """,
            error: "capture of 'main' with non-Sendable type 'ObjectContext' in a '@Sendable' closure",
            accepted: """
                @MainActor func pass(_ store: Store) async throws {
                    let main = store.main
                    try await store.background { context in _ = User(in: context) }
                    _ = User(in: main)
                }
                """),
        Misuse(
            "main's objects read off the main actor",
            refused: """
                nonisolated func leak(_ store: Store) { _ = User(in: store.main) }
                """,
            error: "main actor-isolated property 'main' can not be referenced from a nonisolated context",
            accepted: """
                @MainActor func pass(_ store: Store) { _ = User(in: store.main) }
                """),
        Misuse(
            "an object of main in a detached task",
            refused: """
                @MainActor func leak(_ user: User) {
                    Task.detached { user.login = "octocat" }
                }
                """,
            error: "risks causing data races",
            accepted: """
                @MainActor func pass(_ user: User) {
                    Task { user.login = "octocat" }
                }
                """),
        Misuse(
            "a background object in a task of a group",
            refused: """
                func leak(_ store: Store) async throws {
                    try await store.background { context in
                        let user = User(in: context)
                        await withTaskGroup(of: Void.self) { group in
                            group.addTask { user.login = "octocat" }
                        }
                    }
                }
                """,
            error: "risks causing data races",
            accepted: """
                func pass(_ store: Store) async throws {
                    try await store.background { context in
                        let login = User(in: context).login
                        await withTaskGroup(of: Void.self) { group in
                            group.addTask { _ = login }
                        }
                    }
                }
                """),
        Misuse(
            "a background object on the main actor",
            refused: """
                @MainActor func show(_ user: User) {}
                func leak(_ store: Store) async throws {
                    try await store.background { context in
                        let user = User(in: context)
                        await show(user)
                    }
                }
                """,
            error: "risks causing data races",
            accepted: """
                @MainActor func show(_ login: String) {}
                func pass(_ store: Store) async throws {
                    try await store.background { context in
                        let user = User(in: context)
                        await show(user.login)
                    }
                }
                """),
        Misuse(
            "an object in an 'async let'",
            refused: """
                @MainActor func leak(_ user: User) async {
                    async let login = user.login
                    user.login = "octocat"
                    _ = await login
                }
                """,
            error: "risks causing data races",
            accepted: """
                nonisolated func find(_ login: String) async -> String { login }
                @MainActor func pass(_ user: User) async {
                    let known = user.login
                    async let login = find(known)
                    user.login = "octocat"
                    _ = await login
                }
                """),
        Misuse(
            "an object in a function that runs elsewhere",
            refused: """
                @concurrent func work(_ user: User) async { user.login = "octocat" }
                @MainActor func leak(_ user: User) async { await work(user) }
                """,
            error: "risks causing data races",
            accepted: """
                nonisolated(nonsending) func work(_ user: User) async { user.login = "octocat" }
                @MainActor func pass(_ user: User) async { await work(user) }
                """),
        Misuse(
            "an object in a Sendable value",
            refused: """
                nonisolated struct Row: Sendable { let user: User }
                """,
            error: "stored property 'user' of 'Sendable'-conforming struct 'Row' has non-Sendable type 'User'",
            accepted: """
                nonisolated struct Row { let user: User }
                """),
        Misuse(
            "an object kept by an actor",
            refused: """
                actor Cache {
                    var user: User?
                    func keep(_ user: User) { self.user = user }
                }
                @MainActor func leak(_ user: User, _ cache: Cache) async { await cache.keep(user) }
                """,
            error: "risks causing data races",
            accepted: """
                actor Cache {
                    var login: String?
                    func keep(_ login: String) { self.login = login }
                }
                @MainActor func pass(_ user: User, _ cache: Cache) async { await cache.keep(user.login) }
                """),
    ]
}
