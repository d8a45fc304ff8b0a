import ArgumentParser
import RestfulData

/// A command that talks to GitHub: it is given the store, which is closed when it is done.
protocol GitHubCommand: AsyncParsableCommand {
    var service: ServiceOptions { get }
    /// Whether it asks the store alone; what only reads has it as an option.
    var isOffline: Bool { get }
    /// How old an answer may be, in seconds, that is not asked for again; likewise.
    var maxAge: UInt32? { get }
    @MainActor func run(_ gitHub: GitHub) async throws
}

extension GitHubCommand {
    var isOffline: Bool { false }
    var maxAge: UInt32? { nil }

    @MainActor func run() async throws {
        let gitHub = try GitHub(service, isOffline: isOffline, maxAge: maxAge)
        defer { gitHub.store.close() }
        try await run(gitHub)
    }
}

extension ArgumentHelp {
    static let offline: ArgumentHelp = "Show what was fetched before, from the store, without a request."
    static let maxAge = ArgumentHelp(
        "Show what was fetched within so many seconds without asking again.", valueName: "seconds")
    static let web: ArgumentHelp = "Open it in the browser."
}

extension NameSpecification {
    static let offline: NameSpecification = .customLong("offline")
    static let maxAge: NameSpecification = .customLong("max-age")
    static let web: NameSpecification = [.customShort("w"), .customLong("web")]
}
