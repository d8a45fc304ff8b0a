public import Foundation

extension ObjectContext {
    /// Imports objects that the server has pushed, for example by a socket, unless the store has newer versions.
    ///
    /// Events may arrive twice, late and in any order, so each object needs a version: an attribute that grows with
    /// every change.
    ///
    /// ```swift
    /// try await context.import(Issue.self, from: event.data, ifNewer: \.updatedAt)
    /// ```
    ///
    /// | the body's object has | the store has | result |
    /// |---|---|---|
    /// | the same or a newer version | the object | it is imported; pending edits stay |
    /// | an older version, or none | the object, with a version | it is left out |
    /// | a deletion with no older version | the object | it is deleted, unless it has a pending edit |
    /// | a version | a pushed deletion with the same or a newer version | it is left out |
    ///
    /// These rules apply to the body's objects, and to nested objects of the same model. Replies to requests are
    /// imported in the order of the requests.
    ///
    /// - Parameters:
    ///   - body: JSON in UTF-8: one object or an array.
    ///   - keyPath: the keys that lead to the object or array in an envelope.
    ///   - version: an attribute: an integer, a floating-point number, a date, or sortable text.
    ///   - areDeleted: whether the event reports the objects' deletion. Those with a tombstone (`@Model(tombstones:)`)
    ///     are deleted in any case.
    /// - Returns: the body's objects that the store has, in any version.
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
    /// Whether stored values sort like the attribute's values.
    fileprivate var isVersion: Bool {
        guard case .attribute(let kind, _, _) = kind else { return false }
        return switch kind {
        case .integer, .real, .float, .date, .text: true
        default: false
        }
    }
}
