import Synchronization

/// The part of a context that other threads may hold: where it lives, and the changes that wait for it.
///
/// Changes are put into the mailbox within the writer's queue, so in the order of the commits; the context takes them out
/// on its own actor.
final class ContextHandle: CommitListener {
    private let actor: any Actor
    private let mailbox = Mutex<[ChangeSet]>([])
    /// Written once, before the handle is shared, and read only on `actor`, the context's own isolation.
    nonisolated(unsafe) private weak var context: ObjectContext?

    init(actor: any Actor) { self.actor = actor }

    func attach(to context: ObjectContext) { unsafe self.context = context }

    func post(_ changes: ChangeSet) { mailbox.withLock { $0.append(changes) } }

    func takeWaitingChanges() -> [ChangeSet] {
        mailbox.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }

    func deliver() async { await deliver(on: actor) }

    private func deliver(on actor: isolated any Actor) {
        unsafe context?.mergeWaitingChanges()
    }

    func endReading() async { await endReading(on: actor) }

    private func endReading(on actor: isolated any Actor) {
        unsafe context?.reader?.endReading()
    }

    func forgetRecent() async { await forgetRecent(on: actor) }

    private func forgetRecent(on actor: isolated any Actor) {
        unsafe context?.forgetRecent()
    }
}
