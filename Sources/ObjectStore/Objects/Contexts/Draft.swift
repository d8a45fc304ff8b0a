/// Edits apart from a context, for example for a form, which you save or drop together.
///
/// The draft has a ``context`` of its own. It shows and follows the objects of its parent, the context that it was made
/// from, with the parent's unsaved edits. Edits in the draft stay there until ``save()`` moves them to the parent, as
/// unsaved edits, or until you release the draft.
///
/// ```swift
/// let draft = try store.main.draft()
/// let form = try draft.existingObject(for: issue)
/// form.title = "Crash when offline"
/// try draft.save()            // issue.title is "Crash when offline", unsaved
/// ```
///
/// Changes merge by property: those edited in the draft keep your values, which win when you save the draft. All others
/// follow the parent.
///
/// `form.save()` sends the form's values at once. Accepted ones are in the file and in all contexts, rejected ones in
/// the form only.
///
/// Use a draft on its parent's actor. It ends with its parent, or once you have released it and its requests have
/// ended. Its objects keep their values.
///
/// A draft is `Identifiable` by its instance, for SwiftUI's `sheet(item:)`. For a form that edits one object, use
/// `context.draft(of:)` of RestfulData.
public final class Draft: Identifiable {
    /// The context of the draft's objects. Its `save()`, `rollback()` and `hasChanges` act on the draft.
    public let context: ObjectContext

    private let hold: ContextHold

    fileprivate init(_ context: ObjectContext) {
        self.context = context
        hold = ContextHold(context)
    }

    /// Whether the draft has edits of its own. You can observe it.
    public var hasChanges: Bool { context.hasChanges }

    /// Returns the draft's object for an object of its parent or of its own. Nil where ``existingObject(for:)`` throws:
    /// if the object is deleted, new in a context other than the draft's parents, or of another store, or the draft has
    /// ended.
    public func object<M: Model>(for object: M) -> M? { context.object(for: object) }

    /// Returns the draft's object for an object of its parent or of its own.
    ///
    /// - Throws: ``StoreError``, as ``ObjectContext/existingObject(for:)``.
    public func existingObject<M: Model>(for object: M) throws(StoreError) -> M {
        try context.existingObject(for: object)
    }

    /// Moves the draft's edits into its parent, as unsaved edits, in memory. You can go on using the draft.
    ///
    /// A list is saved as its added and removed members, so other changes of the parent's list stay.
    ///
    /// - Throws: ``StoreError``, as ``ObjectContext/save()``, for refused and lost edits, closed stores and ended
    ///   contexts. ``StoreError/validation(_:)`` with all objects that their ``Model/validate()`` rejects; the parent
    ///   is unchanged then.
    /// - Complexity: linear in the draft's edits and in the members of its edited lists.
    public func save() throws(StoreError) { try context.saveDraft() }

    /// Discards the draft's edits, so that it shows its parent's values.
    public func rollback() { context.rollback() }
}

/// Ends a context when it is released. Requests from the context hold it until their replies are merged.
package final class ContextHold {
    private let context: ObjectContext

    init(_ context: ObjectContext) {
        self.context = context
        context.hold = self
    }

    // The last reference is released on the context's actor, or with that actor, so the context is unused.
    deinit { context.end() }
}

extension ObjectContext {
    /// Makes a draft of this context, which may be a draft's context.
    ///
    /// - Throws: ``StoreError/endedContext``; ``StoreError/closedStore(unsaved:)``; ``StoreError/file(_:path:)`` if
    ///   opening the draft's own connection fails.
    /// - Complexity: linear in the unsaved objects. Each later edit in this context is also copied into the draft.
    public func draft() throws(StoreError) -> Draft {
        let context = try ObjectContext(file: try openFile(), over: self)
        addDraft(context)
        return Draft(context)
    }

    /// Returns this context's object for an object of any context of the store.
    ///
    /// - Returns: nil if the object is deleted here or has no row, such as a new one of another context, unless this is
    ///   a draft of that. ``existingObject(for:)`` throws the reason.
    /// - Complexity: a lookup. For an object that isn't live here, one row is read.
    public func object<M: Model>(for object: M) -> M? {
        if object._object.current.context === self { return object }
        return try? existingObject(for: object)
    }

    /// Returns this context's object for an object of any context of the store.
    ///
    /// - Throws: ``StoreError/deletedObject(model:)``; ``StoreError/foreignObject(model:)`` if the object is new in
    ///   another context, unless this is a draft of that, or belongs to a store with other models;
    ///   ``StoreError/endedContext``; ``StoreError/closedStore(unsaved:)``.
    /// - Complexity: a lookup. For an object that isn't live here, one row is read.
    public func existingObject<M: Model>(for object: M) throws(StoreError) -> M {
        let state = object._object.current
        let name = state.model.modelName
        guard state.context !== self else {
            if state.isDeleted { throw .deletedObject(model: name) }
            return object
        }
        if isEnded { throw endedError }
        // Row numbers are valid only within one store.
        guard schema.model(for: state.model.type) === state.model else { throw .foreignObject(model: name) }
        catchUp()
        guard let own: M = self.object(M.self, for: state.record), !own._object.isDeleted else {
            if file.isClosed { throw endedError }
            throw state.isInserted && !state.isDeleted ? .foreignObject(model: name) : .deletedObject(model: name)
        }
        return own
    }
}
