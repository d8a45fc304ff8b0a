/// Calls a function after each commit that may have changed the outbox: of this process, or of another one.
package final class OutboxWatch: CommitListener {
    private let feed: CommitFeed
    private let changed: @Sendable (_ change: Change) -> Void

    /// What a commit may have changed.
    package enum Change: Sendable {
        case rows
        case entries
        /// There may be entries with new numbers.
        case newEntries
    }

    /// - Parameter changed: is called on any thread, before the commit's writer goes on, and returns at once.
    package init(_ file: StoreFile, _ changed: @escaping @Sendable (_ change: Change) -> Void) {
        (feed, self.changed) = (file.commits, changed)
        feed.register(self)
    }

    /// Ends the calls.
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
    /// Takes the right to send the outbox's entries for this process. It ends with the process.
    ///
    /// - Returns: false while another process that runs has it.
    package func takeOutboxLease() async throws(StoreError) -> Bool {
        try await write { writer in
            let own = writer.underway.holder
            if let holder = try writer.statements.holderOfOutbox(), holder != own, holder.isAlive {
                return (false, ChangeSet(writer.schema))
            }
            try writer.statements.setHolderOfOutbox(own)
            return (true, ChangeSet(writer.schema))
        }
    }

    /// Gives the right back.
    package func endOutboxLease() async {
        try? await write { writer in
            if try writer.statements.holderOfOutbox() == writer.underway.holder {
                try writer.statements.setHolderOfOutbox(nil)
            }
            return ((), ChangeSet(writer.schema))
        }
    }
}
