public import ObjectStore
public import Observation

/// A form's edits of one object, apart from the object's context, with the error of the last save.
///
/// ```swift
/// @State private var form: ObjectDraft<Issue>?
///
/// Button("Edit") { form = try? context.draft(of: issue) }
///     .sheet(item: $form) { form in IssueForm(form: form) }
/// ```
///
/// The form edits ``object``, shows `messages(for:)` below its fields, and calls ``save(_:)``. If the user cancels,
/// release the draft with its edits. ``Draft`` has the rules of edits.
///
/// You can observe all properties. Keep the draft in the state of the view that presents the form, not in an
/// initializer.
@Observable
public final class ObjectDraft<M: Model>: Identifiable {
    /// The draft's object. Edit its properties.
    public let object: M
    /// The draft with the edits, and further objects for the form: `form.draft.object(for: label)`.
    public let draft: Draft
    /// The error of the last ``save(_:)``; nil if it succeeded, or before the first one.
    public private(set) var error: APIError?
    /// Whether a ``save(_:)`` is in progress.
    public var isSaving: Bool { saveCount > 0 }

    /// The saves in progress, which may overlap.
    private var saveCount = 0

    fileprivate init(_ object: M, in draft: Draft) { (self.object, self.draft) = (object, draft) }

    /// Whether there are edits to save. A new object is one.
    public var hasChanges: Bool { draft.hasChanges }

    /// Sends the object with its edits, now or through the outbox. A new object is created.
    ///
    /// If it fails, the edits stay. ``error`` has the error, unless the task was cancelled.
    ///
    /// - Parameter timing: nil for the store's own (``StoreOptions/writes``).
    /// - Throws: ``APIError``, as ``Model/save(_:)``.
    public nonisolated(nonsending) func save(_ timing: WriteTiming? = nil) async throws(APIError) {
        saveCount += 1
        defer { saveCount -= 1 }
        do throws(APIError) {
            try await object.save(timing ?? draft.context.file.writes)
            error = nil
        } catch {
            if !error.isCancellation { self.error = error }
            throw error
        }
    }

    /// Discards all edits and the error.
    public func rollback() {
        draft.rollback()
        error = nil
    }

    /// Returns the messages about a property: those of the last ``save(_:)``, or else of the rejection of a queued
    /// change (``SyncState/rejected(_:)``).
    ///
    /// ```swift
    /// TextField("Title", text: $issue.title)
    /// ForEach(form.messages(for: \.title), id: \.self) { Text($0) }
    /// ```
    public func messages(for property: KeyPath<M.Properties, some PropertyToken>) -> [String] {
        refusal?.messages(for: M.properties[keyPath: property]) ?? []
    }

    private var refusal: (any PropertyErrors)? {
        if let error { return error }
        if case .rejected(let rejection) = object.syncState { return rejection }
        return nil
    }
}

extension ObjectDraft where M: Submodel {
    /// Returns the messages about a property that the class itself declares, as `messages(for:)`.
    public func messages(for property: KeyPath<M.OwnProperties, some PropertyToken>) -> [String] {
        refusal?.messages(for: M.ownProperties[keyPath: property]) ?? []
    }
}

extension ObjectContext {
    /// Makes a draft for a form that edits an object.
    ///
    /// - Throws: ``StoreError``, as ``draft()`` and ``existingObject(for:)``.
    public func draft<M: Model>(of object: M) throws(StoreError) -> ObjectDraft<M> {
        let draft = try self.draft()
        return ObjectDraft(try draft.existingObject(for: object), in: draft)
    }

    /// Makes a draft for a form that creates an object.
    ///
    /// ```swift
    /// form = try context.draft(making: { draft in
    ///     let issue = Issue(in: draft.context)
    ///     issue.repository = draft.object(for: repository)
    ///     return issue
    /// })
    /// ```
    ///
    /// - Parameter make: makes the object, with objects of the draft. The object exists only in the draft until it is
    ///   saved.
    /// - Throws: ``StoreError``, as ``draft()`` and ``existingObject(for:)``; errors of `make`.
    public func draft<M: Model>(making make: (Draft) throws(StoreError) -> M) throws(StoreError) -> ObjectDraft<M> {
        let draft = try self.draft()
        return ObjectDraft(try draft.existingObject(for: try make(draft)), in: draft)
    }
}
