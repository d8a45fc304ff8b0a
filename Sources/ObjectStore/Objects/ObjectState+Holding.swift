extension ObjectState {
    /// The property's value: its edit, else a new object's default, else the row's value.
    package func stored(_ index: PropertyIndex) -> StoredValue {
        if let edit = edits[index] { return edit.value }
        if survivor != nil { return current.stored(index) }
        if isInserted, let value = defaults[index] { return value }
        return snapshot.value(index)
    }

    func linkedRow(_ index: PropertyIndex) -> RowID? {
        if let edit = edits[index] { return edit.value.row }
        return survivor == nil ? snapshot.integer(index).map(RowID.init) : current.linkedRow(index)
    }

    /// The row that a link shows. An unedited one-to-one link follows unsaved edits of its inverse.
    func seenRow(_ index: PropertyIndex) -> RowID? {
        let state = current
        guard let context = state.context, !context.unsaved.isEmpty, state.edits[index] == nil,
            let link = model.linkEnds(of: index), let inverse = link.inverse, context.schema.contains(link.target),
            context.schema[link.target].linkEnds(of: inverse) != nil
        else { return linkedRow(index) }
        let back = UnsavedObjects.Reference(property: inverse, source: link.target, target: state.record)
        let partner = context.unsaved.objects(referencing: back)
            .last {
                $0.reach == .joined && !$0.object._object.isDeleted && $0.object._object.current.edits[inverse] != nil
            }
        return partner?.object._object.localID ?? linkedRow(index)
    }

    /// False if an edit of the partner's inverse references another object or none. It is newer than the committed
    /// value of this side, and in a draft also than the parent's edit.
    func isKept(_ index: PropertyIndex, by partner: ObjectState) -> Bool {
        let other = partner.current
        guard !other.edits.isEmpty, let inverse = model.linkEnds(of: index)?.inverse, let edit = other.edits[inverse]
        else { return true }
        if let own = current.edits[index] {
            guard let base = context?.base, !base.isOwn(own, of: index, in: current.record),
                base.isOwn(edit, of: inverse, in: other.record)
            else { return true }
        }
        return edit.value.row == localID
    }

    /// See ``Model/changedProperties``.
    public var changedProperties: [String] {
        let state = current
        guard context?.base != nil else {
            return model.declared.filter { state.edits[$0.index] != nil || state.hasEditedList($0.index) }.map(\.name)
        }
        let (edits, lists) = (state.ownEdits, state.ownEditedLists)
        return model.declared.filter { edits.has($0.index) || lists.contains($0.index) }.map(\.name)
    }

    // MARK: In flight

    func noteInFlight(_ values: PropertyMap<StoredValue>) { inFlight.note(values, edits) }

    func noteInFlight(_ index: PropertyIndex) { inFlight.note(index, edits[index]) }

    /// - Returns: the properties with nothing more in flight.
    func noteCompleted(_ values: PropertyMap<StoredValue>) -> [PropertyIndex] { inFlight.noteCompleted(values) }

    /// - Returns: whether nothing more is in flight.
    func noteCompleted(_ index: PropertyIndex) -> Bool { inFlight.noteCompleted(index) }
}
