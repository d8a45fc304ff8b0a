import Synchronization

/// The part of a context that other threads may hold: where it lives, and the changes that wait for it.
///
/// Changes are put into the mailbox with their commits, in their order; the context takes them out on its own actor
/// when it begins to read, with the state of the file that has them.
final class ContextHandle: CommitListener {
    private struct Mailbox {
        var changes: [ChangeSet] = []
        /// Whether another process has committed something.
        var hasOthers = false
        /// Whether a turn of the context is on its way, which will see what is put in until it begins.
        var isTurnDue = false
    }

    private let heldActor: (any Actor)?
    /// One that holds its context is not held by it.
    private weak let looseActor: (any Actor)?
    private let home: Home
    private let mailbox = Mutex(Mailbox())
    /// Whether the context is woken by answers that change no row.
    private let answers = Atomic(false)
    /// `nil` for an actor that isn't held, as it would hold it.
    private let turn: Turn?

    /// What runs on the actor, to whose queue a task of it goes at once. An optional of the function itself would be
    /// another function around it.
    private struct Turn {
        let body: @isolated(any) @Sendable () async -> Void
    }

    /// The context, as its handle knows it.
    private final class Home: Sendable {
        /// Written once, before the handle is shared, and read only on the context's own actor.
        nonisolated(unsafe) var reference: LooseReference?

        var context: ObjectContext? {
            // What it was made of is a context.
            unsafe reference?.object.map { unsafe unsafeDowncast($0, to: ObjectContext.self) }
        }

        deinit { unsafe reference?.end() }
    }

    /// - Parameter isHeld: whether the actor lives for as long as this; else this ends with it, at the latest.
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

    /// The handle of a draft, which is where its parent is, and ends before that.
    init(beside parent: ContextHandle) {
        heldActor = nil
        looseActor = parent.actor
        home = Home()
        turn = nil
    }

    /// Where the context lives; `nil` once that is gone.
    var actor: (any Actor)? { heldActor ?? looseActor }

    /// A closure that is isolated to the actor it captures, as the one of a `Task` is.
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

    /// - Returns: what this process has committed, and whether another has.
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

    /// Called when a turn begins: what comes from now on needs another.
    func noteTurn() { mailbox.withLock { $0.isTurnDue = false } }

    func deliver(on actor: any Actor) async {
        if actor === self.actor { await merge(on: actor) }
    }

    private func merge(on actor: isolated any Actor) {
        home.context?.mergeWaitingChanges()
    }

    /// Lets the context hold no objects any more, as the store is gone: they keep the file open.
    func letGo() async { if let actor { await letGo(on: actor) } }

    private func letGo(on actor: isolated any Actor) {
        home.context?.letGo()
    }
}
