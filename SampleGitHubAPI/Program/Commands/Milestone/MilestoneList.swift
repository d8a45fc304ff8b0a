import ArgumentParser
import Foundation
import RestfulData

struct MilestoneList: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List a repository's milestones.")

    @OptionGroup var place: RepositoryArguments
    @Option(name: .shortAndLong, help: "Which ones.") var state = StateFilter.open
    @OptionGroup var list: ListOptions
    @Flag(name: .web, help: .web) var web = false
    @OptionGroup var output: Output<Milestone>
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(place.repository)
        if web, let url = repository.htmlURL { return try Browser.open(url.appending(path: "milestones")) }
        let milestones =
            isOffline
            ? repository.milestones.filter { state.admits($0.state) }
            : try await repository.$milestones.fetch(
                query: ["state": state, "per_page": list.pageSize], pages: list.pages)
        try output.show(milestones, limit: list.limit, in: gitHub.place(repository.fullName))
    }
}
