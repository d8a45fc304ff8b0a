import Foundation
import RestfulData
import Synchronization
import TestSupport
import Testing

@testable import ObjectStore

/// Contexts on custom actors, which live as long as those.
@Suite struct ActorContextTests {
    @Test func `A context on an actor merges commits and keeps its objects`() async throws {
        let store = try Store(of: World.models)
        let clerk = Clerk(store)
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "a"}"#)
        #expect(try await clerk.hold(1) == "a")
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "b"}"#)
        await until { await clerk.login == "b" }
        try await clerk.rename("c")
        #expect(try await store.background { try $0.find(User.self, 1)?.login } == "c")
        #expect(try await clerk.isSame(1))
    }

    @Test func `An unsaved edit in an actor's context survives merges`() async throws {
        let store = try Store(of: World.models)
        let clerk = Clerk(store)
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "a", "name": "n"}"#)
        _ = try await clerk.hold(1)
        await clerk.edit("mine")
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "b", "name": "m"}"#)
        await until { await clerk.name == "m" }
        #expect(await clerk.login == "mine")
    }

    @Test func `A context on an actor ends with the actor and lets the file close`() async throws {
        let file = try TemporaryFile()
        let (context, user) = (Trace<ObjectContext>(), Trace<User>())
        weak var feed: CommitFeed?
        do {
            let store = try Store(.file(file.path), models: World.models)
            try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "a"}, {"id": 2}]"#)
            weak var actor: Clerk?
            do {
                let clerk = Clerk(store)
                actor = clerk
                _ = try await clerk.hold(1)
                await clerk.edit("never saved")
                await clerk.leaveTraces(context, user)
                #expect(!context.isGone && !user.isGone)
            }
            // A job that a commit has scheduled may hold the actor for a moment.
            await until { actor == nil }
            // It is nil to others when it begins to go, on whichever thread.
            await until { context.isGone && user.isGone && store.file.commits.listeners.isEmpty }
            feed = store.file.commits
        }
        await until { feed == nil }
    }

    @Test func `A context on an actor is released and created again`() async throws {
        let store = try Store(of: World.models)
        let clerk = Clerk(store)
        try await store.takeElsewhere(User.self, #"{"id": 1, "login": "a"}"#)
        _ = try await clerk.hold(1)
        await clerk.edit("gone")
        await clerk.startAnew()
        #expect(await clerk.login == "gone")
        #expect(await !clerk.hasContext)
        #expect(try await clerk.hold(1) == "a")
    }

    @Test func `Commits that come while an actor is released do no harm`() async throws {
        let store = try Store(of: World.models)
        for number in 1...20 {
            let clerk = Clerk(store)
            let loading = Task { try await clerk.hold(number) }
            try await store.takeElsewhere(User.self, "{\"id\": \(number)}")
            _ = try await loading.value
        }
        #expect(try await store.background { try $0.query(User.self).count() } == 20)
    }

    @MainActor
    @Test func `A second context of the main actor has its own edits`() async throws {
        let store = try Store(of: World.models)
        let user = try #require(try await store.main.take(User.self, #"{"id": 1, "login": "a"}"#).objects.first)
        var form: ActorContext? = store.context(on: MainActor.shared)
        let edited = try #require(try form?.context.find(User.self, 1))
        edited.login = "b"
        #expect(user.login == "a" && edited !== user)
        try await form?.context.save()
        await until { user.login == "b" }
        edited.login = "c"
        form = nil
        #expect(edited.login == "c" && edited.context == nil && user.login == "b")
    }

    @Test func `Child tasks share an actor's context or use contexts of their own`() async throws {
        let store = try Store(of: World.models)
        let clerk = Clerk(store)
        try await store.takeElsewhere(User.self, #"[{"id": 1, "login": "a"}, {"id": 2, "login": "b"}]"#)
        async let first = clerk.hold(1)
        async let second = store.background { try $0.find(User.self, 2)?.login }
        #expect(try await first == "a")
        #expect(try await second == "b")
        let logins = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 1...2 {
                group.addTask { try await store.background { try $0.find(User.self, number)?.login } }
            }
            return try await group.reduce(into: []) { $0.append($1 ?? "") }
        }
        #expect(logins.sorted() == ["a", "b"])
    }
}

private actor Clerk {
    private let store: Store
    private lazy var own: ActorContext? = store.context(on: self)
    private var user: User?

    init(_ store: Store) { self.store = store }

    func hold(_ number: Int) throws -> String? {
        if own == nil { own = store.context(on: self) }
        user = try own?.context.find(User.self, number)
        return user?.login
    }

    var login: String? { user?.login }
    var name: String? { user?.name }
    var hasContext: Bool { user?.context != nil }

    func isSame(_ number: Int) throws -> Bool { try own?.context.find(User.self, number) === user }

    func edit(_ login: String) { user?.login = login }

    func rename(_ login: String) async throws {
        user?.login = login
        try await own?.context.save()
    }

    func startAnew() { own = nil }

    func leaveTraces(_ context: Trace<ObjectContext>, _ user: Trace<User>) {
        context.follow(own?.context)
        user.follow(self.user)
    }
}

/// Reports to other isolations whether an object still exists.
private final class Trace<Object: AnyObject>: Sendable {
    private struct Reference: @unchecked Sendable {
        /// Compared with nil alone.
        weak var object: Object?
    }

    private let reference = Mutex(Reference())

    var isGone: Bool { reference.withLock { $0.object == nil } }

    func follow(_ object: Object?) {
        let reference = Reference(object: object)
        self.reference.withLock { $0 = reference }
    }
}
