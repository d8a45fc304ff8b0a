import ArgumentParser
import RestfulData

struct QueueOption: ParsableArguments {
    @Flag(help: "Keep the change in the store's outbox, without a request; `outbox send` sends it.") var queue = false

    var timing: WriteTiming { queue ? .queued : .immediate }
}

/// If the change waits, the object comes from the store.
protocol QueueingCommand: GitHubCommand {
    var queueing: QueueOption { get }
}

extension QueueingCommand {
    var isQueued: Bool { queueing.queue }
}

extension Output {
    /// - Parameter change: such as `close issue octocat/Hello-World#7 (Found a bug)`.
    @MainActor func tellQueued(_ change: String, _ object: Shown, in gitHub: GitHub) throws {
        let count = gitHub.store.main.outboxCount
        let waiting = count == 1 ? "1 change waits" : "\(count) changes wait"
        // A save that changed nothing leaves the outbox empty.
        let isQueued = object.isDeleted || object.syncState != .synced
        try tell(isQueued ? "✓ Queued: \(change); \(waiting)" : "! Nothing to queue: \(change); \(waiting)", object)
    }
}
