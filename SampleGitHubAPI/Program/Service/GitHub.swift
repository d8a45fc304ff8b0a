import RestfulData

/// Finds the things that commands name.
@MainActor struct GitHub {
    nonisolated static let models: [any Model.Type] = [
        User.self, Repository.self, Issue.self, Label.self, Milestone.self, Comment.self,
    ]

    let store: Store
    /// Whether only the store is read.
    let isOffline: Bool
    /// Whether that is because changes are queued.
    private let isQueued: Bool

    /// - Parameter maxAge: stored answers up to this age in seconds are used.
    init(
        _ options: ServiceOptions, isOffline: Bool = false, isQueued: Bool = false, maxAge: UInt32? = nil
    ) throws {
        var api = API.gitHub(options.baseURL, token: options.credential, isVerbose: options.verbose)
        if let maxAge { api.policy = .ifOlder(than: .seconds(Int(maxAge))) }
        store = try Store(.file(options.store ?? "github.sqlite"), models: Self.models, api: api)
        self.isOffline = isOffline || isQueued
        self.isQueued = isQueued
    }

    /// From GitHub; `@me` is the signed-in user.
    func freshUser(_ login: String) async throws -> User {
        try await read("user \(login)", stored: try storedUser(login)) {
            try await login == "@me" ? User.fetch("/user", in: store.main) : User.fetch(key: login, in: store.main)
        }
    }

    /// The stored user, or else GitHub's. Here the name is enough.
    func user(_ login: String) async throws -> User {
        if let user = try storedUser(login) { return user }
        return try await freshUser(login)
    }

    func freshRepository(_ name: RepositoryName) async throws -> Repository {
        try await read("repository \(name.fullName)", stored: try storedRepository(name)) {
            try await Repository.fetch(key: name.fullName, in: store.main)
        }
    }

    /// As `user`.
    func repository(_ name: RepositoryName) async throws -> Repository {
        if let repository = try storedRepository(name) { return repository }
        return try await freshRepository(name)
    }

    func issue(_ reference: IssueReference) async throws -> Issue {
        let repository = try await repository(reference.repository)
        let issues = storedIssues(of: repository).where { $0.number == reference.number }
        return try await read("issue \(reference)", stored: try storedIssue(issues)) {
            try await repository.$issues.fetch(reference.number)
        }
    }

    func label(_ name: String, in repository: Repository) async throws -> Label {
        let stored = isOffline ? repository.labels.first { $0.name.isName(name) } : nil
        return try await read("label \(name) of \(repository.fullName)", stored: stored) {
            try await repository.$labels.fetch(name)
        }
    }

    /// By number, or else by title.
    func milestone(_ name: String, in repository: Repository) async throws -> Milestone {
        let stored = isOffline ? repository.milestones.first { $0.isNamed(name) } : nil
        return try await read("milestone \(name) of \(repository.fullName)", stored: stored) {
            try await fetchedMilestone(name, in: repository)
        }
    }

    private func fetchedMilestone(_ name: String, in repository: Repository) async throws -> Milestone {
        if let number = Int(name) { return try await repository.$milestones.fetch(number) }
        let milestones = try await repository.$milestones.fetch(
            query: ["state": "all", "per_page": 100], pages: .all())
        guard let milestone = milestones.first(where: { $0.title == name }) else {
            throw CommandError(status: .notFound, message: "\(repository.fullName) has no milestone \(name)")
        }
        return milestone
    }

    /// Also those that a search has found.
    func storedIssues(of repository: Repository) -> ObjectQuery<Issue> {
        let issues = store.main.query(Issue.self)
        guard let url = repository.url else { return issues.where { $0.repository == repository } }
        return issues.where { $0.repository == repository || $0.repositoryURL == url }
    }

    func place(_ name: String) -> String { isOffline ? "the store" : name }

    /// - Parameter issues: those with a number. A change needs the repository, which a search result lacks.
    private func storedIssue(_ issues: ObjectQuery<Issue>) throws -> Issue? {
        try isQueued ? issues.fetch().first { $0.repository != nil } : issues.first()
    }

    private func storedUser(_ login: String) throws -> User? {
        let users = try store.main.query(User.self).where { $0.login.contains(login) }.fetch()
        return users.first { $0.login.isName(login) }
    }

    private func storedRepository(_ name: RepositoryName) throws -> Repository? {
        let repositories = try store.main.query(Repository.self).where { $0.fullName.contains(name.fullName) }.fetch()
        return repositories.first { $0.fullName.isName(name.fullName) }
    }

    /// Offline from the store.
    private func read<Object: Model>(
        _ what: String, stored: @autoclosure () throws -> Object?, fetched: () async throws -> Object
    ) async throws -> Object {
        guard isOffline else { return try await fetched() }
        guard let object = try stored() else {
            let option = isQueued ? "--queue" : "--offline"
            throw CommandError(status: .notFound, message: "the store has no \(what); without \(option) it is fetched")
        }
        return object
    }
}

extension Milestone {
    /// By number, or else by title.
    fileprivate func isNamed(_ name: String) -> Bool { Int(name).map { number == $0 } ?? (title == name) }
}

extension String {
    /// GitHub ignores case.
    func isName(_ other: String) -> Bool { lowercased() == other.lowercased() }
}
