import ArgumentParser
import Foundation
import RestfulData

struct LabelList: GitHubCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List a repository's labels.")

    @OptionGroup var place: RepositoryArguments
    @OptionGroup var list: ListOptions
    @Flag(name: .web, help: .web) var web = false
    @OptionGroup var output: Output<Label>
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(place.repository)
        if web, let url = repository.htmlURL { return try Browser.open(url.appending(path: "labels")) }
        let labels =
            isOffline
            ? repository.labels
            : try await repository.$labels.fetch(query: ["per_page": list.pageSize], pages: list.pages)
        try output.show(labels, limit: list.limit, in: gitHub.place(repository.fullName))
    }
}
