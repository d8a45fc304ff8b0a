struct World: Sendable {
    var users: [User]
    var repositories: [Repository]
    var clock: ServerClock
    var rateLimits: RateLimits
    /// Requests act as this account.
    let viewerID: Int
    /// The repositories by former names, `owner/name` in lower case.
    private(set) var formerNames: [String: Int] = [:]
    /// Above the fixtures', and above 2^32 as GitHub's own.
    private var lastIdentifier = 5_000_000_000

    init(_ fixtures: Fixtures, clock: ServerClock) {
        users = fixtures.users
        repositories = fixtures.repositories
        viewerID = fixtures.users.first?.id ?? 0
        self.clock = clock
        rateLimits = RateLimits(startingAt: clock.now)
    }

    mutating func newIdentifier() -> Int {
        lastIdentifier += 1
        return lastIdentifier
    }

    /// Ignores case.
    func user(login: String) -> User? { users.first { $0.login.lowercased() == login.lowercased() } }

    func user(_ id: Int) -> User? { users.first { $0.id == id } }

    func fullName(of repository: Repository) -> String {
        "\(user(repository.ownerID)?.login ?? "ghost")/\(repository.name)"
    }

    /// By the name, or a former one.
    func repositoryIndex(owner: String, name: String) -> (index: Int, isFormerName: Bool)? {
        let fullName = "\(owner)/\(name)".lowercased()
        if let index = repositories.firstIndex(where: { self.fullName(of: $0).lowercased() == fullName }) {
            return (index, false)
        }
        guard let id = formerNames[fullName], let index = repositories.firstIndex(where: { $0.id == id }) else {
            return nil
        }
        return (index, true)
    }

    /// Requests for the old name are then redirected.
    mutating func rename(repositoryAt index: Int, to name: String) {
        formerNames[fullName(of: repositories[index]).lowercased()] = repositories[index].id
        repositories[index].name = name
        formerNames[fullName(of: repositories[index]).lowercased()] = nil
    }
}
