/// Edits apart from a context, for a form: kept as a whole, or dropped as a whole.
///
/// The draft's own ``context`` shows what the context that it was made of shows, that one's unsaved edits included, and
/// goes on to follow it. What is edited in the draft is seen there alone until ``save()`` brings it into the context it
/// was made of, where it is unsaved as if it had been edited there. A draft that is let go of leaves no trace.
///
/// ```swift
/// let draft = try store.main.draft()
/// let form = draft.object(for: issue)
/// form?.title = "Crash when offline"
/// try draft.save()            // issue.title is "Crash when offline", and not saved yet
/// try await issue.save()      // now the server has it, and the file
/// ```
///
/// Properties merge one by one: what is edited in the draft stays as it is there, whatever happens to it elsewhere, and
/// what isn't follows. Of what both have edited, the draft's is later once it is saved.
///
/// What talks to the server does so at once: `form.save()` sends what the form shows, and what the server accepts is in
/// the file and in all contexts; what it refuses is still in the form, and nowhere else.
///
/// Use it where the context lives that it was made of. It ends with that, or when it is let go of and nothing is on its
/// way from it: its objects read as they last were then.
public final class Draft {
    /// The draft's context, in which its objects live. Its ``ObjectContext/save()``, ``ObjectContext/rollback()`` and
    /// ``ObjectContext/hasChanges`` are the draft's.
    public let context: ObjectContext

    private let hold: ContextHold

    fileprivate init(_ context: ObjectContext) {
        self.context = context
        hold = ContextHold(context)
    }

    /// Whether anything was edited in the draft that the context it was made of does not have. It can be observed.
    public var hasChanges: Bool { context.hasChanges }

    /// The draft's own object for one of the context that the draft was made of; `nil` where it is deleted, or neither
    /// in the file nor in that context. Of an object of the draft, that object.
    public func object<M: Model>(for object: M) -> M? { context.object(for: object) }

    /// Brings what was edited in the draft into the context that it was made of, as unsaved edits, in memory and at
    /// once: values, links, lists, new objects and deletions. The draft goes on, and has no changes then.
    ///
    /// A list is brought as a difference: what was added to it and taken out of it meanwhile stays so.
    ///
    /// - Throws: ``StoreError/validation(_:)`` with all objects of the draft that are wrong by their own
    ///   ``Model/validate()``; nothing was brought then. ``StoreError`` as ``ObjectContext/save()`` when an edit was
    ///   not made, or the context has ended.
    /// - Complexity: linear in the edits of the draft and in the members of its edited lists.
    public func save() throws(StoreError) { try context.saveDraft() }

    /// Takes back all that was edited in the draft: it shows what the context it was made of shows.
    public func rollback() { context.rollback() }
}

/// Lets a context end when nobody holds this any more. What is sent from the context holds it, so that what the server
/// answers is stored, and what the file has taken merged.
package final class ContextHold {
    private let context: ObjectContext

    init(_ context: ObjectContext) {
        self.context = context
        context.hold = self
    }

    // Whoever holds objects of the context is where that lives, or is the actor itself, which ends now, and so is this.
    deinit { context.end() }
}

extension ObjectContext {
    /// Begins a draft: a context on top of this one, whose edits are saved into this one or dropped.
    ///
    /// A draft of a draft's context is saved into that draft.
    ///
    /// - Throws: ``StoreError/endedContext``, or what the file says: a draft has a connection of its own.
    /// - Complexity: linear in the unsaved objects of this context. While there is a draft, each edit here is followed
    ///   there.
    public func draft() throws(StoreError) -> Draft {
        let context = try ObjectContext(file: try openFile(), over: self)
        addDraft(context)
        return Draft(context)
    }

    /// This context's object for one of another context of the same store: the same row's. `nil` where that is deleted
    /// or gone, or is new in a context that this one is no draft of. Of an object of this context, the object.
    ///
    /// - Complexity: a lookup, and a row is read where the object isn't live.
    public func object<M: Model>(for object: M) -> M? {
        let state = object._object.current
        guard state.context !== self else { return object }
        // A row's number says nothing in another store.
        guard schema.model(for: state.model.type) === state.model, !isEnded else { return nil }
        catchUp()
        let own: M? = self.object(M.self, for: state.record)
        return own.flatMap { $0._object.isDeleted ? nil : $0 }
    }
}
