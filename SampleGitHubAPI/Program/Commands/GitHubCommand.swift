import ArgumentParser
import RestfulData

/// Gets the store, which is closed afterwards.
protocol GitHubCommand: AsyncParsableCommand {
    var service: ServiceOptions { get }
    /// Whether only the store is read. An option of commands that only read.
    var isOffline: Bool { get }
    /// Whether the change waits in the outbox, and only the store is read. An option of commands that write.
    var isQueued: Bool { get }
    /// Stored answers up to this age in seconds are used. An option of commands that only read.
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
