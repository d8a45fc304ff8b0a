import ArgumentParser
import RestfulData

struct SearchCommand: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Find issues by the words of their titles and texts, in the store, the best ones first.",
        discussion: """
            Each word has to occur, whatever its case and accents; the last one may be the beginning of a word. It needs no \
            network: what was fetched before is looked through. GitHub itself is searched by `issue list --search`.
            """)

    @Argument(help: "The words.") var text: [String]
    @Option(name: [.customShort("R"), .long], help: ArgumentHelp("Of this repository.", valueName: "owner/name"))
    var repo: RepositoryName?
    @Option(name: .shortAndLong, help: "Open or closed ones, or all.") var state: StateFilter = .all
    @OptionGroup var list: ListOptions
    @OptionGroup var output: Output<Issue>
    @OptionGroup var service: ServiceOptions

    var isOffline: Bool { true }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let issues =
            if let repo {
                gitHub.storedIssues(of: try await gitHub.repository(repo))
            } else {
                gitHub.store.main.query(Issue.self)
            }
        let found = try issues.where { $0.pullRequestURL == nil }
            .search(text.joined(separator: " "), asTyped: true).fetch()
        try output.show(found.filter { state.admits($0.state) }, limit: list.limit, in: "the store")
    }
}
