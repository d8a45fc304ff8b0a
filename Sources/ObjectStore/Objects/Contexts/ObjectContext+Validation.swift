extension ObjectContext {
    /// Validates objects before they are written or sent, except deleted ones.
    ///
    /// - Parameters:
    ///   - member: the object that a request adds to a list. Its rules see it as a member.
    ///   - refusals: further errors to report with these.
    /// - Throws: ``StoreError/validation(_:)`` with the errors of all invalid objects.
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

    func errors(of objects: [any Model]) -> [StoreError] {
        let errors = objects.compactMap { $0._object.isDeleted ? nil : validationError(of: $0) }
        return errors.isEmpty ? [] : [.validation(errors)]
    }

    private func validationError(of object: any Model) -> ValidationError? {
        let state = object._object.current
        do {
            // A call on `Submodel` uses the submodel's own implementation.
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

    /// Runs `body` while an object is a member of a list, on both sides, unseen by saves, undo histories and observers.
    ///
    /// Lists depend on the edits of other objects, so all lists with the member are read first.
    private func asMember(_ member: ObjectState, of list: ListOwner, _ body: () -> Void) {
        guard let owner = object(for: list.record)?._object.current, let property = owner.model[list.property].list,
            !members(of: owner, list.property).contains(member.localID)
        else { return body() }
        // Otherwise the link would count as an edit of an object whose edits equal its row.
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

    /// Changes one side only.
    private func withMember(
        _ member: RowID, isMember: Bool, in list: PropertyIndex, of owner: ObjectState, _ body: () -> Void
    ) {
        // This loads the list, if necessary.
        let others = members(of: owner, list).filter { $0 != member }
        let former = owner.lists[list]
        owner.lists[list]?.members = isMember ? others + [member] : others
        body()
        owner.lists[list] = former
    }

    package func objects(in batches: [WriteBatch]) -> [any Model] {
        var seen: Set<ObjectIdentifier> = []
        let records = batches.flatMap { $0.rows.map(\.record) + $0.memberships.map(\.owner.record) }
        return records.compactMap(batchedObject).filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
