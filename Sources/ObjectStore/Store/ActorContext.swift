/// A context on an actor of your own, for as long as you hold this object.
///
/// Keep it in a property of the actor. When it is released, the context ends: its objects keep their values, and
/// unsaved edits are lost. It holds the store's file, but not the actor.
///
/// ```swift
/// actor Importer {
///     private let store: Store
///     private lazy var own = store.context(on: self)
///
///     init(store: Store) { self.store = store }
///
///     func close(_ number: Int) async throws {
///         try own.context.find(Issue.self, number)?.state = .closed
///         try await own.context.save()
///     }
/// }
/// ```
public final class ActorContext {
    /// The context, which stays on the actor with its objects.
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
    /// Makes a context on the caller's actor, until you release the returned object. It merges commits of other
    /// contexts as soon as the actor is free.
    ///
    /// You save its edits yourself, unlike those of ``background(_:)``. Any actor may have several contexts, each with
    /// its own objects and edits.
    ///
    /// If its connection can't be opened (too many open files), or the store is closed, you get an ended context: its
    /// queries find nothing, and its saves throw.
    ///
    /// - Parameter actor: pass `self` from a `lazy` property or a method; an actor's initializer runs elsewhere.
    public func context(on actor: isolated any Actor) -> ActorContext { file.context(on: actor) }
}

extension StoreFile {
    package func context(on actor: isolated any Actor) -> ActorContext {
        do {
            return ActorContext(try ObjectContext(file: self, heldBy: actor))
        } catch {
            return ActorContext(ObjectContext(ended: self, actor: actor, because: error))
        }
    }
}
