import ArgumentParser
import RestfulData

struct OutboxSend: GitHubCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Send the changes that wait, and say what is left and why.")

    @OptionGroup var output: JSONFlag
    @OptionGroup var service: ServiceOptions

    @MainActor func run(_ gitHub: GitHub) async throws {
        let outbox = gitHub.store.outbox
        let before = try await outbox.entries()
        let report = await outbox.drain()
        let left = try await outbox.entries()
        let numbers = Set(report.sentEntries).subtracting(left.map(\.id))
        let sent = before.filter { numbers.contains($0.id) }.map { OutboxRow($0, isSent: true) }
        if output.json || !before.isEmpty {
            let rows = (sent + left.map { OutboxRow($0) }).sorted { $0.entry.id < $1.entry.id }
            try output.show(rows, below: service.baseURL)
        }
        if sent.isEmpty, left.isEmpty { return note("No changes wait.") }
        if !sent.isEmpty { note("✓ Sent \(changes(sent.count))") }
        if report.isBusy {
            throw CommandError(status: .tryLater, message: "another program is sending the changes of this store")
        }
        if !left.isEmpty { try explain(left, after: report) }
    }

    /// Throws the error of the last request, or else the reason of the first rejection.
    private func explain(_ left: [OutboxEntry], after report: OutboxReport) throws {
        let rejections = left.compactMap(\.rejection)
        if let problem = report.problem {
            note("! \(changes(left.count)) left")
            throw problem
        }
        guard let first = rejections.first else {
            throw CommandError(status: .tryLater, message: "\(changes(left.count)) left; they may be sent later")
        }
        throw CommandError(
            status: ExitStatus(first),
            message: """
                \(changes(left.count)) left, \(rejections.count) rejected; decide with `outbox retry NUMBER` or \
                `outbox discard NUMBER`
                """)
    }

    private func changes(_ count: Int) -> String { count == 1 ? "1 change" : "\(count) changes" }
}
