import Synchronization

/// The part of a context that other threads may use: its actor, and the mailbox with commits to merge. The context
/// empties the mailbox on its own actor, when it begins to read a state of the file that has these commits.
final class ContextHandle: CommitListener {
    private struct Mailbox {
        var changes: [ChangeSet] = []
        var hasOthers = false
        /// Whether a turn is scheduled. It merges all changes that arrive before it begins.
        var isTurnDue = false
    }

    private let heldActor: (any Actor)?
    /// An actor that owns its context, held weakly to avoid a retain cycle.
    private weak let looseActor: (any Actor)?
    private let home: Home
    private let mailbox = Mutex(Mailbox())
    /// Whether all replies wake the context, even if rows stay unchanged.
    private let answers = Atomic(false)
    /// Nil if the actor owns its context, since the closure would hold the actor.
    private let turn: Turn?

    /// The function is isolated to the actor, so its task is scheduled there at once. An optional of the function would
    /// wrap it in another function.
    private struct Turn {
        let body: @isolated(any) @Sendable () async -> Void
    }

    private final class Home: Sendable {
        /// Safe: written once, before the handle is shared, and read only on the context's own actor.
        nonisolated(unsafe) var reference: LooseReference?

        var context: ObjectContext? {
            // Safe: `attach(to:)` has made the reference from a context.
            unsafe reference?.object.map { unsafe unsafeDowncast($0, to: ObjectContext.self) }
        }

        deinit { unsafe reference?.end() }
    }

    /// - Parameter isHeld: whether the handle holds the actor. Otherwise the context must end before the actor does.
    init(actor: isolated any Actor, isHeld: Bool = true) {
        let home = Home()
        heldActor = isHeld ? actor : nil
        looseActor = isHeld ? nil : actor
        self.home = home
        guard isHeld else {
            turn = nil
            return
        }
        turn = Turn(
            body: Self.isolated {
                _ = actor
                home.context?.takeTurn()
            })
    }

    /// A draft lives on its parent's actor and ends before its parent.
    init(siblingOf parent: ContextHandle) {
        heldActor = nil
        looseActor = parent.actor
        home = Home()
        turn = nil
    }

    var actor: (any Actor)? { heldActor ?? looseActor }

    /// A closure that is isolated to the actor it captures.
    private static func isolated(
        @_inheritActorContext _ body: @escaping @isolated(any) @Sendable () async -> Void
    ) -> @isolated(any) @Sendable () async -> Void {
        body
    }

    func attach(to context: ObjectContext) { unsafe home.reference = LooseReference(context) }

    // MARK: The mailbox

    func post(_ changes: ChangeSet) { mailbox.withLock { $0.changes.append(changes) } }

    var tracksAnswers: Bool { answers.load(ordering: .relaxed) }

    func setTracksAnswers(_ tracks: Bool) { answers.store(tracks, ordering: .relaxed) }

    func postOthers() { mailbox.withLock { $0.hasOthers = true } }

    var hasWaitingChanges: Bool { mailbox.withLock { !$0.changes.isEmpty || $0.hasOthers } }

    /// - Returns: the changes of this process, and whether another process has committed.
    func takeWaitingChanges() -> (changes: [ChangeSet], hasOthers: Bool) {
        mailbox.withLock { mailbox in
            defer { (mailbox.changes, mailbox.hasOthers) = ([], false) }
            return (mailbox.changes, mailbox.hasOthers)
        }
    }

    // MARK: Turns

    func wake() {
        let isDue = mailbox.withLock { mailbox in
            defer { mailbox.isTurnDue = true }
            return mailbox.isTurnDue
        }
        guard !isDue else { return }
        if let turn {
            Task(priority: .high, operation: turn.body)
        } else if let actor {
            Task(priority: .high) { await takeTurn(on: actor) }
        }
    }

    private func takeTurn(on actor: isolated any Actor) { home.context?.takeTurn() }

    /// Lets later changes schedule another turn.
    func noteTurn() { mailbox.withLock { $0.isTurnDue = false } }

    func deliver(on actor: any Actor) async {
        if actor === self.actor { await merge(on: actor) }
    }

    private func merge(on actor: isolated any Actor) {
        home.context?.mergeWaitingChanges()
    }

    /// After the store was released: unsaved objects would keep the file open.
    func releaseUnsaved() async { if let actor { await releaseUnsaved(on: actor) } }

    private func releaseUnsaved(on actor: isolated any Actor) {
        home.context?.releaseUnsaved()
    }
}
