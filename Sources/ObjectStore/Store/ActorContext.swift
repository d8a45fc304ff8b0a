/// A context on an actor of your own, for as long as this is held.
///
/// Keep it in the actor. It ends with it, or when it is let go of: its objects read as they last were then, and what is
/// not saved is gone. It holds the store's file, and not the actor.
///
/// ```swift
/// actor Importer {
///     private let store: Store
///     private lazy var own = store.context(on: self)
///
///     init(store: Store) { self.store = store }
///
///     func close(_ number: Int) async throws {
///         let issue = try own.context.find(Issue.self, number)
///         issue?.state = .closed
///         try await own.context.save()
///     }
/// }
/// ```
public final class ActorContext {
    /// The context; its objects stay on the actor, as it does.
    public let context: ObjectContext

    private let hold: ContextHold

    fileprivate init(_ context: ObjectContext) {
        self.context = context
        hold = ContextHold(context)
    }
}

extension ActorContext: CustomDebugStringConvertible {
    /// The context in one line.
    public var debugDescription: String { "ActorContext: \(context.debugDescription)" }
}

extension Store {
    /// Makes a context that lives on `actor`, where this is called, until what is returned is let go of. What others
    /// commit is merged into it as soon as the actor is free.
    ///
    /// Nothing of it is saved by itself, unlike with ``background(_:)``, whose context lasts for one call. An actor may
    /// have several, and the main actor others beside ``main``: each has objects and edits of its own.
    ///
    /// If its connection can't be opened (too many open files), it is an ended context, which finds nothing and says so
    /// when it saves. So is a context of a closed store.
    ///
    /// - Parameter actor: in an actor `self`, from a `lazy` property or a method: its initializer does not run on it.
    public func context(on actor: isolated any Actor) -> ActorContext { file.context(on: actor) }
}

extension StoreFile {
    /// The same for what has no store.
    package func context(on actor: isolated any Actor) -> ActorContext {
        do {
            return ActorContext(try ObjectContext(file: self, heldBy: actor))
        } catch {
            return ActorContext(ObjectContext(ended: self, actor: actor, because: error))
        }
    }
}
