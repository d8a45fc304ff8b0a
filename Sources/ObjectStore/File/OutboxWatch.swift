/// Reports commits of any process, and whether they may have changed the outbox.
package final class OutboxWatch: CommitListener {
    private let feed: CommitFeed
    private let changed: @Sendable (_ change: Change) -> Void

    package enum Change: Sendable {
        case rows
        case entries
        /// There may be entries with new numbers.
        case newEntries
    }

    /// - Parameter changed: is called on any thread. The writer waits for it.
    package init(_ file: StoreFile, _ changed: @escaping @Sendable (_ change: Change) -> Void) {
        (feed, self.changed) = (file.commits, changed)
        feed.register(self)
    }

    package func end() { feed.unregister(self) }

    func post(_ changes: ChangeSet) {
        changed(changes.hasNewEntries ? .newEntries : changes.changesOutbox ? .entries : .rows)
    }
    func postOthers() { changed(.newEntries) }
    var tracksAnswers: Bool { false }
    func wake() {}
    func deliver(on actor: any Actor) async {}
}

// MARK: The lease

extension StoreFile {
    /// Lets this process send the outbox's entries, until it ends.
    ///
    /// - Returns: false while another running process holds it.
    package func takeOutboxLease() async throws(StoreError) -> Bool {
        try await write { writer in
            let own = writer.operations.processToken
            if let processToken = try writer.statements.outboxLeaseHolder(), processToken != own, processToken.isAlive {
                return (false, ChangeSet(writer.schema))
            }
            try writer.statements.setOutboxLeaseHolder(own)
            return (true, ChangeSet(writer.schema))
        }
    }

    package func endOutboxLease() async {
        try? await write { writer in
            if try writer.statements.outboxLeaseHolder() == writer.operations.processToken {
                try writer.statements.setOutboxLeaseHolder(nil)
            }
            return ((), ChangeSet(writer.schema))
        }
    }
}
