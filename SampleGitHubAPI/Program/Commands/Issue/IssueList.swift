import ArgumentParser
import Foundation
import RestfulData

struct IssueList: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List a repository's issues, the newest first.")

    @OptionGroup var place: RepositoryArguments
    @OptionGroup var filter: IssueFilter
    @OptionGroup var list: ListOptions
    @Flag(name: .web, help: .web) var web = false
    @OptionGroup var output: Output<Issue>
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    func validate() throws {
        guard !isOffline || filter.search?.contains(":") != true else {
            throw ValidationError("Offline --search takes words; for the rest there are --state, --label and so on.")
        }
    }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(place.repository)
        if web, let url = repository.htmlURL?.appending(path: "issues") {
            return try Browser.open(url.searching(filter.searchText))
        }
        let issues = try await Array(issues(of: repository, gitHub).prefix(list.limit))
        if output.wants("comments") { try await gitHub.fetchComments(of: issues) }
        try output.show(issues, limit: list.limit, in: gitHub.place(repository.fullName))
    }

    @MainActor private func issues(of repository: Repository, _ gitHub: GitHub) async throws -> [Issue] {
        if isOffline { return try storedIssues(of: repository, gitHub) }
        var filter = filter
        if filter.namesMe { filter.name(me: try await gitHub.freshUser("@me").login) }
        var milestone: Milestone?
        if let name = filter.milestone { milestone = try await gitHub.milestone(name, in: repository) }
        guard filter.search != nil else { return try await listed(filter.query(milestone), in: repository) }
        filter.milestone = milestone?.title
        return try await found("repo:\(repository.fullName) \(filter.searchText)", in: gitHub.store)
    }

    /// Fetches pages until there are enough issues, since GitHub includes pull requests.
    @MainActor private func listed(_ query: RouteQuery, in repository: Repository) async throws -> [Issue] {
        var issues: [Issue] = []
        var page = try await repository.$issues.pages(size: max(list.pageSize, 30), query: query).first()
        let line = ProgressLine("issues")
        defer { line.end() }
        while let current = page {
            issues += current.objects.filter { $0.pullRequestURL == nil }
            line.show(current.progress, limit: list.limit)
            page = issues.count < list.limit ? try await current.next() : nil
        }
        return issues
    }

    /// A result has only the address of its repository.
    @MainActor private func found(_ text: String, in store: Store) async throws -> [Issue] {
        try await Issue.fetchAll(
            "/search/issues",
            query: ["q": text, "sort": "created", "order": "desc", "per_page": list.pageSize],
            pages: list.pages, in: store.main)
    }

    @MainActor private func storedIssues(of repository: Repository, _ gitHub: GitHub) throws -> [Issue] {
        try gitHub.storedIssues(of: repository)
            .where { $0.pullRequestURL == nil }
            .order(by: { $0.number }, .descending)
            .fetch().filter(filter.admits)
    }
}
