/// Edits apart from a context, for example for a form. You save them together or drop them together.
///
/// The draft has a ``context`` of its own. It shows its parent's objects with the parent's unsaved edits, and follows
/// the parent's changes. The parent is the context that the draft was made from. Your edits in the draft stay there
/// until ``save()`` moves them to the parent, as unsaved edits. If you release a draft without saving it, its edits are
/// gone.
///
/// ```swift
/// let draft = try store.main.draft()
/// let form = try draft.existingObject(for: issue)
/// form.title = "Crash when offline"
/// try draft.save()            // issue.title is "Crash when offline", and not saved yet
/// try await issue.save()      // now the server has it, and the file
/// ```
///
/// Changes merge by property. A property that you edited in the draft keeps your value, even if it changes elsewhere.
/// All other properties follow the parent. If both have edited a property, the draft's value wins when you save the
/// draft.
///
/// Requests take effect at once: `form.save()` sends the values in the form. Accepted values are in the file and in all
/// contexts. Rejected values stay in the form only.
///
/// Use a draft on its parent's actor. It ends when its parent ends, or when you release it and its requests have ended.
/// Its objects then keep their values.
///
/// A draft is `Identifiable` by its instance, so SwiftUI's `sheet(item:)` can present it. For a form that edits one
/// object, `context.draft(of:)` of RestfulData makes a draft that also has the object, and the errors of its save.
public final class Draft: Identifiable {
    /// The context of the draft's objects. Its ``ObjectContext/save()``, ``ObjectContext/rollback()`` and
    /// ``ObjectContext/hasChanges`` act on the draft.
    public let context: ObjectContext

    private let hold: ContextHold

    fileprivate init(_ context: ObjectContext) {
        self.context = context
        hold = ContextHold(context)
    }

    /// Whether the draft has edits of its own. You can observe it.
    public var hasChanges: Bool { context.hasChanges }

    /// Returns the draft's object for an object of its parent, or the object itself if it is the draft's.
    ///
    /// - Returns: nil if the object is deleted, new in a context other than the draft's parents, or of another store.
    ///   Also nil if the draft has ended, or its store was closed. ``existingObject(for:)`` throws the reason instead.
    public func object<M: Model>(for object: M) -> M? { context.object(for: object) }

    /// Returns the draft's object for an object of its parent, or the object itself if it is the draft's.
    ///
    /// - Throws: ``StoreError``, as ``ObjectContext/existingObject(for:)``.
    public func existingObject<M: Model>(for object: M) throws(StoreError) -> M {
        try context.existingObject(for: object)
    }

    /// Moves the draft's edits into its parent, as unsaved edits: values, links, lists, new objects and deletions. It
    /// happens at once, in memory. The draft then has no changes, and you can go on using it.
    ///
    /// A list is saved as its added and removed members, so changes that the parent's list got meanwhile stay.
    ///
    /// - Throws: ``StoreError``, as ``ObjectContext/save()`` does for refused and lost edits, closed stores and ended
    ///   contexts. ``StoreError/validation(_:)`` with all objects of the draft that their ``Model/validate()`` rejects;
    ///   the parent is unchanged then.
    /// - Complexity: linear in the draft's edits and in the members of its edited lists.
    public func save() throws(StoreError) { try context.saveDraft() }

    /// Discards all edits of the draft, which then shows its parent's values.
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
    /// Makes a draft of this context. A draft's context can have drafts, too, which save into that draft.
    ///
    /// - Throws: ``StoreError/endedContext`` if the context has ended, ``StoreError/closedStore(unsaved:)`` if the
    ///   store was closed. ``StoreError/file(_:path:)`` if opening the draft's own connection to the file fails.
    /// - Complexity: linear in the unsaved objects of this context. While the draft exists, each edit in this context
    ///   is also copied into the draft.
    public func draft() throws(StoreError) -> Draft {
        let context = try ObjectContext(file: try openFile(), over: self)
        addDraft(context)
        return Draft(context)
    }

    /// Returns this context's object for an object of another context of the same store. For an object of this context,
    /// returns the object itself.
    ///
    /// - Returns: nil if the object is deleted here or has no row. Also nil for an object that is new in another
    ///   context, unless this context is a draft of that one. ``existingObject(for:)`` throws the reason instead.
    /// - Complexity: a lookup. For an object that isn't live here, one row is read.
    public func object<M: Model>(for object: M) -> M? {
        if object._object.current.context === self { return object }
        return try? existingObject(for: object)
    }

    /// Returns this context's object for an object of another context of the same store. For an object of this context,
    /// returns the object itself.
    ///
    /// - Throws: ``StoreError/deletedObject(model:)`` if the object is deleted. ``StoreError/foreignObject(model:)`` if
    ///   it is new in another context, unless this context is a draft of that one, or if it belongs to a store with
    ///   other models. ``StoreError/endedContext`` if this context has ended, ``StoreError/closedStore(unsaved:)`` if
    ///   its store was closed.
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
