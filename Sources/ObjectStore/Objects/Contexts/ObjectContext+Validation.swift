extension ObjectContext {
    /// Asks objects whether they are right, before they are written or sent. Deleted ones aren't asked.
    ///
    /// - Throws: ``StoreError/validation(_:)`` with the errors of all that are not.
    package func validate(_ objects: [any Model]) throws(StoreError) {
        let errors = objects.compactMap { $0._object.isDeleted ? nil : validationError(of: $0) }
        if !errors.isEmpty { throw .validation(errors) }
    }

    private func validationError(of object: any Model) -> ValidationError? {
        let state = object._object.current
        do {
            // A submodel's own rules are found by its own conformance.
            if state.model.family != nil, let submodel = object as? any Submodel {
                try submodel.validate()
            } else {
                try object.validate()
            }
            return nil
        } catch {
            var error = error
            (error.model, error.identity) = (state.model.modelName, state.identityText)
            return error
        }
    }

    /// The live objects that batches are made of, each once.
    package func objects(in batches: [WriteBatch]) -> [any Model] {
        var seen: Set<ObjectIdentifier> = []
        let records = batches.flatMap { $0.rows.map(\.record) + $0.memberships.map(\.owner.record) }
        return records.compactMap(batchedObject).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
