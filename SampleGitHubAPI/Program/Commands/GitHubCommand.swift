import ArgumentParser
import RestfulData

/// A command that talks to GitHub: it is given the store, which is closed when it is done.
protocol GitHubCommand: AsyncParsableCommand {
    var options: ServiceOptions { get }
    @MainActor func run(_ gitHub: GitHub) async throws
}

extension GitHubCommand {
    @MainActor func run() async throws {
        let gitHub = try GitHub(options)
        defer { gitHub.store.close() }
        try await run(gitHub)
    }
}
