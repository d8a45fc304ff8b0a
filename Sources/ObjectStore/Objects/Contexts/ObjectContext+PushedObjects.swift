public import Foundation

extension ObjectContext {
    /// Imports objects that the server has pushed, by a webhook, a socket or a stream of events, unless what is here is
    /// newer.
    ///
    /// Events may come twice, late and in any order. So each object says its version, in an attribute that grows with
    /// every change: a date or a counter.
    ///
    /// ```swift
    /// try await context.import(Issue.self, from: event.data, ifNewer: \.updatedAt)
    /// ```
    ///
    /// | the body's object | here | |
    /// |---|---|---|
    /// | has a version that isn't older | the object | is imported; pending edits stay |
    /// | has an older version, or none | the object, with a version | is left out |
    /// | is deleted, in a version that isn't older, or in none | the object | is deleted here, unless an edit waits |
    /// | has a version | an object whose pushed deletion had that version or a newer one | is left out |
    ///
    /// The rule is for the body's own objects, and for others of their model within them. Replies to requests are
    /// imported in the order of the requests, as always.
    ///
    /// - Parameters:
    ///   - type: the model of the body's own objects.
    ///   - body: JSON in UTF-8: one object or a list.
    ///   - keyPath: the keys that lead to the object or list, where the body is an envelope.
    ///   - version: the attribute: an integer, a floating-point number, a date, or text that sorts.
    ///   - areDeleted: whether the event says that the body's own objects are deleted. Objects that say so themselves
    ///     (`@Model(tombstones:)`) are deleted in any case.
    /// - Returns: the objects that are here, those included that were left out for a newer version.
    /// - Throws: ``StoreError``, as ``import(_:from:at:isAllOrNothing:depth:)``.
    ///   ``StoreError/unanswerable(model:reason:)`` for an attribute whose values have no order.
    @discardableResult
    public nonisolated(nonsending) func `import`<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: JSONKeyPath? = nil,
        ifNewer version: KeyPath<M.Properties, some PropertyToken>, areDeleted: Bool = false
    ) async throws(StoreError) -> Imported<M> {
        let model = try importedModel(type)
        let description = M.properties[keyPath: version].description
        guard let index = model.index(of: description), model[index].isVersion else {
            throw .unanswerable(
                model: model.modelName, reason: "\(description.name) is no number, date or text, so it has no order")
        }
        var request = ImportRequest(model, at: keyPath, depth: nil)
        (request.version, request.areDeleted) = (index, areDeleted)
        let outcome = try await importBody(body, request)
        return Imported(objects: objects(type, of: outcome.roots), report: outcome.report)
    }
}

extension Property {
    /// Whether stored values of the attribute are in the order of the values.
    fileprivate var isVersion: Bool {
        guard case .attribute(let kind, _, _) = kind else { return false }
        return switch kind {
        case .integer, .real, .float, .date, .text: true
        default: false
        }
    }
}
