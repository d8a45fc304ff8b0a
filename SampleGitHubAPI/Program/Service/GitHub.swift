import RestfulData

/// The store with its API, and how the things that commands name are found.
@MainActor struct GitHub {
    nonisolated static let models: [any Model.Type] = [
        User.self, Repository.self, Issue.self, Label.self, Milestone.self, Comment.self,
    ]

    let store: Store

    init(_ options: ServiceOptions) throws {
        let api = API.gitHub(options.baseURL, token: options.credential, isVerbose: options.verbose)
        store = try Store(.file(options.store ?? "github.sqlite"), models: Self.models, api: api)
    }

    func user(_ login: String) async throws -> User {
        try await User.fetch(key: login, in: store.main)
    }

    func repository(_ name: RepositoryName) async throws -> Repository {
        try await Repository.fetch(key: name.fullName, in: store.main)
    }

    func issue(_ number: Int, in repository: RepositoryName) async throws -> Issue {
        try await self.repository(repository).$issues.fetch(number)
    }

    func label(_ name: String, in repository: RepositoryName) async throws -> Label {
        try await self.repository(repository).$labels.fetch(name)
    }

    func milestone(_ number: Int, in repository: RepositoryName) async throws -> Milestone {
        try await self.repository(repository).$milestones.fetch(number)
    }
}
