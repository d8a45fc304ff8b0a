extension ObjectContext {
    /// Asks objects whether they are right, before they are written or sent. Deleted ones aren't asked.
    ///
    /// - Throws: ``StoreError/validation(_:)`` with the errors of all that are not.
    ///
    /// - Parameters:
    ///   - member: the one of them that the server is asked to add to a list. Its rules see it as a member.
    ///   - list: that list.
    ///   - refusals: other errors to report with them.
    package func validate(
        _ objects: [any Model], adding member: (any Model)? = nil, to list: ListOwner? = nil,
        besides refusals: [StoreError] = []
    ) throws(StoreError) {
        var errors: [StoreError] = []
        if let member, let list {
            asMember(member._object.current, of: list) { errors = self.errors(of: objects) }
        } else {
            errors = self.errors(of: objects)
        }
        if let error = StoreError(all: refusals + errors) { throw error }
    }

    /// What objects' own rules say is wrong with them. Deleted objects aren't asked.
    func errors(of objects: [any Model]) -> [StoreError] {
        let errors = objects.compactMap { $0._object.isDeleted ? nil : validationError(of: $0) }
        return errors.isEmpty ? [] : [.validation(errors)]
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
            error.object = state.displayName
            return error
        }
    }

    /// Runs `body` while an object is a member of a list, on both sides of the relationship. Afterwards both are as
    /// they were: nothing was edited, so nothing is saved, undone or observed.
    ///
    /// What a list shows depends on the edits of other objects. So all lists that have the member before or meanwhile
    /// are read before anything is changed.
    private func asMember(_ member: ObjectState, of list: ListOwner, _ body: () -> Void) {
        guard let owner = object(for: list.record)?._object.current, let property = owner.model[list.property].list,
            !members(of: owner, list.property).contains(member.localID)
        else { return body() }
        // Else the link would count as an edit of an object that turns out to have none.
        if hasUncompared { compareEdits() }
        guard let inverse = property.inverse else {
            return withMember(member.localID, isMember: true, in: list.property, of: owner, body)
        }
        guard member.model.linkEnds(of: inverse) != nil else {
            _ = members(of: member, inverse)
            return withMember(member.localID, isMember: true, in: list.property, of: owner) {
                withMember(owner.localID, isMember: true, in: inverse, of: member, body)
            }
        }
        let former = member.seenRow(inverse).flatMap { row in
            row == owner.localID ? nil : object(for: RecordID(table: list.record.table, row: row))
        }
        if let former { _ = members(of: former._object, list.property) }
        withMember(member.localID, isMember: true, in: list.property, of: owner) {
            let edit = member.edits[inverse]
            member.edits[inverse] = Edit(StoredValue(owner.localID), at: edit?.stamp ?? .now())
            defer { member.edits[inverse] = edit }
            guard let former = former?._object.current else { return body() }
            withMember(member.localID, isMember: false, in: list.property, of: former, body)
        }
    }

    /// Runs `body` while an object is a member of a list, or is not, on that side only.
    private func withMember(
        _ member: RowID, isMember: Bool, in list: PropertyIndex, of owner: ObjectState, _ body: () -> Void
    ) {
        // A list that isn't loaded is read first.
        let others = members(of: owner, list).filter { $0 != member }
        let former = owner.lists[list]
        owner.lists[list]?.members = isMember ? others + [member] : others
        body()
        owner.lists[list] = former
    }

    /// The live objects that batches are made of, each once.
    package func objects(in batches: [WriteBatch]) -> [any Model] {
        var seen: Set<ObjectIdentifier> = []
        let records = batches.flatMap { $0.rows.map(\.record) + $0.memberships.map(\.owner.record) }
        return records.compactMap(batchedObject).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
