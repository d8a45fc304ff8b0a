// A read that somebody tracks is noted; what is edited, merged or deleted of an object that somebody looks at is looked
// at when the operation ends, and who tracks what has another value then is told.

extension ObjectState {
    /// Notes a read of an attribute or a link, where somebody tracks it. It looks at who runs and at what is in memory,
    /// and releases nothing that a caller may hold.
    @usableFromInline @_effects(releasenone)
    func noteRead(_ index: Int) { noteRead(.property(PropertyIndex(index))) }

    /// The same of a list, for which the file may be looked at.
    @usableFromInline
    func noteRelatedRead(_ index: Int) { noteRead(.property(PropertyIndex(index))) }

    /// The same of a property that is known by its token alone.
    func noteRead(of token: some PropertyToken) {
        guard isReadTracked(), let index = model.index(of: token.description) else { return }
        noteRead(.property(index))
    }

    func noteRead(_ aspect: ObservedObject.Aspect) {
        guard isReadTracked(), let context else { return }
        let state = current
        let observed = state.observed ?? ObservedObject()
        state.observed = observed
        state.isWatched = true
        if let index = aspect.property, model.contains(index), model[index].target != nil {
            context.watch.noteRelated(state)
        } else if aspect == .hasChanges, state.mayHaveParts {
            context.watchParts(of: state)
        }
        observed.noteRead(aspect) { state.observedValue(aspect, isRead: true) }
    }

    /// What an aspect is now, for who looks whether it has changed.
    ///
    /// - Parameter isRead: whether it is being read: then what a link leads to is taken for being there, without a look
    ///   at the file. If it isn't, who tracks is told so with the next change.
    func observedValue(_ aspect: ObservedObject.Aspect, isRead: Bool = false) -> ObservedObject.Value {
        switch aspect {
        case .isDeleted: .flag(isDeleted)
        case .isInserted: .flag(isInserted)
        case .hasChanges: .flag(current.hasChanges)
        case .changedProperties: .names(changedProperties)
        case .unsentProperties: .names(unsentProperties.map(\.name))
        default: aspect.property.map { observedValue($0, isRead) } ?? .flag(false)
        }
    }

    private func observedValue(_ index: PropertyIndex, _ isRead: Bool) -> ObservedObject.Value {
        guard model.contains(index), let context else { return .stored(stored(index)) }
        if let list = model[index].list {
            return .members(context.members(of: self, index).filter { !context.isDeleted($0, in: list.target) })
        }
        guard let target = model.linkTarget(of: index) else { return .stored(stored(index)) }
        guard let row = seenRow(index) else { return .target(nil) }
        let record = RecordID(table: target, row: row)
        let object = (isRead ? context.liveObject(record) : context.object(for: record))?._object
        guard let object else { return .target(isRead ? row : nil) }
        return .target(object.isDeleted || !isKept(index, by: object) ? nil : row)
    }

    /// Something of the object may be another value now. Called by what changes it, in the midst of that.
    func noteTouch() {
        guard !isTouched, let context else { return }
        guard observed != nil || context.watch.isWatching(model) else {
            // Who looked is gone.
            (isWatched, isChanged) = (false, false)
            return
        }
        isTouched = true
        if !context.watch.hasNews { context.handle.wake() }
        context.watch.noteTouch(of: self)
    }

    /// Something of the object has another value.
    func noteChange() {
        isChanged = true
        noteTouch()
    }

    /// The row is to be another state: what is not edited may have another value.
    func noteRow(_ row: Snapshot) {
        let isSame = model.columns.allSatisfy { column in
            let index = column.property
            return !isUnedited(index.rawValue) && edits.has(index) || snapshot.value(index) == row.value(index)
        }
        if isSame { noteTouch() } else { noteChange() }
    }

    /// Tells who tracks what has changed of the object.
    func tellTrackers() { observed?.tell { observedValue($0) } }
}

extension ObjectContext {
    fileprivate func isDeleted(_ row: RowID, in table: TableID) -> Bool {
        liveObject(RecordID(table: table, row: row))?._object.isDeleted ?? false
    }
}
