import ArgumentParser
import RestfulData

/// A command that talks to GitHub: it is given the store, which is closed when it is done.
protocol GitHubCommand: AsyncParsableCommand {
    var service: ServiceOptions { get }
    /// Whether the command reads the store only. Commands that only read have this option.
    var isOffline: Bool { get }
    /// Whether the command's change waits in the outbox, and the command itself reads the store only. Only commands
    /// that write have this option.
    var isQueued: Bool { get }
    /// The age in seconds up to which a stored answer is used. Commands that only read have this option.
    var maxAge: UInt32? { get }
    @MainActor func run(_ gitHub: GitHub) async throws
}

extension GitHubCommand {
    var isOffline: Bool { false }
    var isQueued: Bool { false }
    var maxAge: UInt32? { nil }

    @MainActor func run() async throws {
        let gitHub = try GitHub(service, isOffline: isOffline, isQueued: isQueued, maxAge: maxAge)
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
