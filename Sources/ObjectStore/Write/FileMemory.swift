import Dispatch
import Synchronization

/// What the writers of one file remember together: there is one for each store of this process that has it open, and an answer
/// that one of them stores must not undo what another has.
final class FileMemory: Sendable {
    /// What has changed lately, as the last transaction left it.
    struct Contents: Sendable {
        var recentChanges = RecentChanges()
        var survivors: [RecordID: RowID] = [:]
        var confirmedEdits: Set<ChangeStamp> = []
        /// `nil` before the first transaction.
        var nextRows: TableMap<RowID>?
    }

    /// What contexts have on its way to the server and to the writers.
    let underway = Underway()
    private let contents = Mutex(Contents())
    private let turn = DispatchSemaphore(value: 1)

    /// Takes it for the length of a transaction, whose lock on the file keeps the others away. Who has just given that up may
    /// be about to give this back.
    func take() -> Contents {
        turn.wait()
        return contents.withLock { contents in
            // Moved, as a second reference would have each change copy it.
            defer { contents = Contents() }
            return contents
        }
    }

    func giveBack(_ contents: Contents) {
        self.contents.withLock { $0 = contents }
        turn.signal()
    }
}
