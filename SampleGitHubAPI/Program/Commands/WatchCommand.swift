import ArgumentParser
import Foundation
import RestfulData

struct WatchCommand: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show a repository's open issues, and again whenever one of them changes.",
        discussion: """
            Whoever changes them: GitHub, which is asked again every so often, or another command that uses the same store. \
            What says the same draws nothing. End it with Control-C.
            """)

    @OptionGroup var place: RepositoryArguments
    @OptionGroup var list: ListOptions
    @Option(help: ArgumentHelp("Ask GitHub again after so many seconds.", valueName: "seconds"))
    var interval: UInt32 = 30
    @Option(help: ArgumentHelp("End after so many tables.", valueName: "count")) var times: Int?
    @Flag(name: .offline, help: .offline) var isOffline = false
    @Option(name: .maxAge, help: .maxAge) var maxAge: UInt32?
    @OptionGroup var service: ServiceOptions

    func validate() throws {
        guard interval > 0 else { throw ValidationError("The interval must be at least 1.") }
        guard times ?? 1 > 0 else { throw ValidationError("The number of tables must be at least 1.") }
    }

    @MainActor func run(_ gitHub: GitHub) async throws {
        let repository = try await gitHub.repository(place.repository)
        if !isOffline { try await refresh(repository) }
        let asking = isOffline ? nil : Task { await keepAsking(for: repository) }
        defer { asking?.cancel() }
        let open = try gitHub.storedIssues(of: repository)
            .where { $0.state == .open && $0.pullRequestURL == nil }
            .order(by: { $0.number }, .descending).limit(list.limit).live()
        let drawing = Task { try await draw(open) }
        let reading = Task {
            while !isOutputClosed { try await Task.sleep(for: .seconds(1)) }
            drawing.cancel()
        }
        defer { reading.cancel() }
        try await withTaskCancellationHandler {
            try await drawing.value
        } onCancel: {
            drawing.cancel()
        }
    }

    /// Until there are as many as are wanted, or it is cancelled.
    @MainActor private func draw(_ open: LiveResults<Issue>) async throws {
        var count = 0
        for try await change in open.changes {
            try draw(change.objects)
            count += 1
            if count == times { break }
        }
    }

    /// Includes issues that were closed meanwhile.
    @MainActor private func refresh(_ repository: Repository) async throws {
        _ = try await repository.$issues.fetch(
            query: ["state": "all", "sort": "updated", "direction": "desc", "per_page": list.pageSize])
    }

    @MainActor private func keepAsking(for repository: Repository) async {
        while (try? await Task.sleep(for: .seconds(interval))) != nil {
            do { try await refresh(repository) } catch { note("not asked: \(error)") }
        }
    }

    /// Replaces the table on a terminal; elsewhere an empty line follows.
    private func draw(_ issues: [Issue]) throws {
        let table = Table(columns: Issue.columns, rows: issues)
        guard let width = Terminal.width else { return try write(table.wholeLines + [""]) }
        let count = "\(issues.count) open \(issues.count == 1 ? Issue.noun.one : Issue.noun.many)"
        try write(["\u{1B}[H\u{1B}[2J" + table.lines(width: width).joined(separator: "\n"), "", count])
    }
}
