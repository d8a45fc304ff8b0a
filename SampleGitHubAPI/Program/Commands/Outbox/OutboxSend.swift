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
        let numbers = Set(left.map(\.id))
        let sent = before.filter { !numbers.contains($0.id) }.map { OutboxRow($0, isSent: true) }
        if output.json || !before.isEmpty {
            let rows = (sent + left.map { OutboxRow($0) }).sorted { $0.entry.id < $1.entry.id }
            try output.show(rows, below: service.baseURL)
        }
        if sent.isEmpty, left.isEmpty { return note("No changes wait.") }
        if !sent.isEmpty { note("✓ Sent \(changes(sent.count))") }
        if report.isBusy {
            throw CommandError(status: .tryLater, message: "another program is sending the changes of this store")
        }
        if !left.isEmpty { try await explain(left, gitHub) }
    }

    /// Throws why changes are left: what a request gets that costs nothing, or else why the first was rejected.
    @MainActor private func explain(_ left: [OutboxEntry], _ gitHub: GitHub) async throws {
        if left.contains(where: { $0.state == .waiting }) {
            note("! \(changes(left.count)) left")
            _ = try await GitHubLimits.fetch("/rate_limit", in: gitHub.store.main)
        }
        let rejections = left.compactMap(\.rejection)
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

extension OutboxEntry {
    /// Why it waits for a decision; nil where it doesn't.
    fileprivate var rejection: Rejection? {
        guard case .rejected(let rejection) = state else { return nil }
        return rejection
    }
}
