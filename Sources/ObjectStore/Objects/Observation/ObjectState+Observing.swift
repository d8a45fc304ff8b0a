// A tracked read notes the value. After each operation, the values of changed objects are compared with it.

extension ObjectState {
    /// `releasenone` holds: this accesses memory and the thread's tracking only, and releases nothing that a caller may
    /// hold.
    @usableFromInline @_effects(releasenone)
    func noteRead(_ index: Int) { noteRead(.property(PropertyIndex(index))) }

    /// Not `releasenone`: this may read the file.
    @usableFromInline
    func noteRelatedRead(_ index: Int) { noteRead(.property(PropertyIndex(index))) }

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

    /// - Parameter isRead: whether the value is being read. A link's target then counts as existing, which saves a read
    ///   of the file. The next comparison finds whether it does.
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

    /// Registers the object for the next notification, at any time during an operation.
    func noteTouch() {
        guard !isTouched, let context else { return }
        guard observed != nil || context.watch.isWatching(model) else {
            // The observers are gone.
            (isWatched, isChanged) = (false, false)
            return
        }
        isTouched = true
        if !context.watch.hasUnreportedChanges { context.handle.wake() }
        context.watch.noteTouch(of: self)
    }

    func noteChange() {
        isChanged = true
        noteTouch()
    }

    /// Notes changes of unedited properties. Call it before the row is replaced.
    func noteRow(_ row: Snapshot) {
        let isSame = model.columns.allSatisfy { column in
            let index = column.property
            return !isUnedited(index.rawValue) && edits.has(index) || snapshot.value(index) == row.value(index)
        }
        if isSame { noteTouch() } else { noteChange() }
    }

    func notifyTrackers() { observed?.notify { observedValue($0) } }
}

extension ObjectContext {
    fileprivate func isDeleted(_ row: RowID, in table: TableID) -> Bool {
        liveObject(RecordID(table: table, row: row))?._object.isDeleted ?? false
    }
}
