import Synchronization

/// The part of a context that other threads may hold: where it lives, and the changes that wait for it.
///
/// Changes are put into the mailbox within the writer's transaction queue, so in the order of the commits; the context
/// takes them out on its own actor.
final class ContextHandle: Sendable {
    let actor: any Actor
    private let mailbox = Mutex<[ChangeSet]>([])
    /// Written once, before the handle is shared, and read only on `actor`, the context's own isolation.
    nonisolated(unsafe) private(set) weak var context: ObjectContext?

    init(actor: any Actor) { self.actor = actor }

    func adopt(_ context: ObjectContext) { unsafe self.context = context }

    func post(_ changes: ChangeSet) { mailbox.withLock { $0.append(changes) } }

    /// Merges what waits, on the context's actor, and returns when that is done.
    func deliver() async { await deliver(on: actor) }

    private func deliver(on actor: isolated any Actor) {
        unsafe context?.mergeWaitingChanges()
    }

    /// Gives up the state of the file that the context reads.
    func endReading() async { await endReading(on: actor) }

    private func endReading(on actor: isolated any Actor) {
        unsafe context?.reader?.endReading()
    }

    /// Lets go of the objects that the context keeps for a while.
    func forgetRecent() async { await forgetRecent(on: actor) }

    private func forgetRecent(on actor: isolated any Actor) {
        unsafe context?.forgetRecent()
    }

    func takeWaitingChanges() -> [ChangeSet] {
        mailbox.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
