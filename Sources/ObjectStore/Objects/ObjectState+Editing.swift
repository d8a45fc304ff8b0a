// Most edits of a new object are made by ``ObjectState/append(_:at:_:)``, inlined into the setter.

extension ObjectState {
    // MARK: Appending

    /// Allows appending: an edit of a property after the last edited one is then only a write to memory.
    ///
    /// The object must be new, simple (``isSimple``) and registered as unsaved, and its edits need room. A change of
    /// one of these conditions clears `appendable`.
    func open() {
        guard ownIsInserted, isNoted, isSimple else { return }
        countAppended()
        // The mask is empty if the last of the 64 properties has an edit.
        let behind = model.columnBits & ~(.max >> UInt64(edited.leadingZeroBitCount))
        guard let place = unsafe keptEdits.nextPlace(for: behind.nonzeroBitCount) else { return }
        unsafe nextPlace = place
        unsafe stamps = withContext { unsafe Unmanaged.passUnretained($0.stamps) }
        appendable = behind
    }

    @inline(__always)
    func countAppended() { if keptEdits.mask != edited { countKept() } }

    @inline(never)
    private func countKept() { if comparison == .due { compareEdit() } else { keptEdits.count(edited) } }

    /// Takes a stamp for ``append(_:at:_:)``. `nil` if the edit needs the general path.
    @inlinable @inline(__always)
    func stampToAppend(_ index: Int) -> Int64? {
        guard appendable & Self.bit(index) != 0 else { return nil }
        // Safe: the context owns the stamps, and has this object as long as `appendable` has bits.
        return unsafe stamps.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.nextTaken() }
    }

    @inlinable @inline(__always)
    func append(_ value: consuming StoredValue, at index: Int, _ stamp: Int64) {
        // Safe: ``open()`` made sure of room for this property and all that follow, and any other operation on the
        // edits clears `appendable`.
        let place = unsafe nextPlace.unsafelyUnwrapped
        unsafe place.initialize(to: Edit(value, of: index, at: stamp))
        unsafe nextPlace = place + 1
        // Only later properties can be appended from now on.
        appendable &= ~1 &<< UInt64(truncatingIfNeeded: index)
        edited |= Self.bit(index)
    }

    /// Links a new object to another one, if the link lacks an inverse. It releases only objects that its caller holds.
    ///
    /// - Returns: false if the caller has to take the general path.
    @usableFromInline @_effects(releasenone)
    func appendLink(to target: ObjectState, at index: Int) -> Bool {
        guard model.oneWayLinks & Self.bit(index) != 0, target.survivor == nil, !target.ownIsDeleted,
            isContext(ofAlso: target),
            // Another context may have deleted the target.
            withContext({ $0.isBehind }) == false, let stamp = stampToAppend(index)
        else { return false }
        append(.integer(target.ownLocalID.rawValue), at: index, stamp)
        return true
    }

    /// Compares addresses, which avoids a retain.
    @inline(__always)
    private func isContext(ofAlso other: ObjectState) -> Bool {
        unsafe context.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
            == other.context.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    }

    // MARK: Comparing later

    /// Whether the only edit of an object has been compared with the row. Reading a row outside the processor's cache
    /// takes longer than the rest of an edit, so the comparison waits until the edits are read or the row is replaced.
    enum Comparison: UInt8 {
        case made
        /// The edit is uncounted in ``keptEdits``. The object is registered as unsaved.
        case due
        /// The edit is gone, but the object is still registered as unsaved.
        case same
    }

    @inline(__always)
    private func mayCompareLater(_ bit: UInt64) -> Bool {
        isSimple && edited == 0 && unsavedIndex < 0 && !ownIsInserted && (plain | ready) & bit != 0
            && keptEdits.hasNoRoom && model.identityBits & bit == 0
    }

    func compareEdit() {
        guard comparison == .due, let edit = keptEdits.uncounted else { return }
        let index = PropertyIndex(Int(edit.key))
        let isSame = snapshot.has(edit.value, at: index) && !isAtRisk(index)
        comparison = isSame ? .same : .made
        keptEdits.countUncounted(isKept: !isSame)
        guard isSame else { return }
        edited = 0
        updateSlotMasks()
    }

    func isUnsavedAsCompared() -> Bool {
        compareEdit()
        defer { comparison = .made }
        return comparison == .made || hasEdits || ownIsDeleted
    }

    // MARK: Other edits

    /// Edits an attribute of a type with one stored form for each value. Its arguments are those of setters, so the
    /// inlined append keeps its registers.
    ///
    /// - Parameter object: the object of this state.
    @usableFromInline @inline(never)
    func set(_ index: Int, to value: consuming StoredValue, of object: AnyObject) {
        let value = consume value
        let bit = Self.bit(index)
        if mayCompareLater(bit) {
            keptEdits.putOnly(Edit(value, of: index, at: newStamp().rawValue))
            comparison = .due
            edited = bit
            plain &= ~bit
            ready &= ~bit
            return note(object) { $0.noteUncompared($1, self) }
        }
        // The reserved stamps are used up.
        if appendable & bit != 0 { return append(value, at: index, newStamp().rawValue) }
        setAny(PropertyIndex(index), to: value, of: object)
    }

    /// - Parameter note: gets the context and the object, whose table must have one class only.
    @inline(__always)
    private func note(_ object: AnyObject, by note: (ObjectContext, any Model) -> Void) {
        func asModel<M: Model>(_ type: M.Type) {
            // Safe: the model of the state has the object's class.
            withContext { note($0, unsafe unsafeDowncast(object, to: type)) }
        }
        asModel(model.type)
    }

    private func setAny(_ index: PropertyIndex, to value: consuming StoredValue, of object: AnyObject) {
        let value = consume value
        guard survivor == nil, !ownIsDeleted, !model.hasFixed, ownIsInserted || !snapshot.has(value, at: index),
            !keptEdits.mayContain(index) || context?.base == nil
        else { return set(index, to: value) }
        if edits[index]?.value != value {
            edits.set(Edit(value, at: newStamp()), for: index)
            if isWatched { noteChange() }
        }
        if !isNoted { noteEdit(of: object) }
        if isWatched { context?.notifyObservers() }
        if appendable == 0 { open() }
    }

    @inline(__always)
    private func newStamp() -> ChangeStamp { withContext { $0.stamps.now() } ?? .now() }

    /// Setting the file's value discards the edit, unless a request, a pending link or a draft's parent
    /// makes it necessary.
    ///
    /// - Parameter leaving: for a link that becomes nil because the object leaves a list: the list's owner.
    func setStored(_ index: PropertyIndex, to value: StoredValue, leaving: RowID? = nil) {
        if survivor != nil { return current.setStored(index, to: value, leaving: leaving) }
        if setPart(index, to: value) { return }
        if ownIsInserted, !value.isNull, leaving == nil, !isWatched, context?.base == nil {
            if edits[index]?.value != value { edits.set(Edit(value, at: newStamp()), for: index) }
            return noteEdit()
        }
        // A member that leaves a list which it joined locally keeps its pending link.
        let endsWaiting = value.isNull && leaving == nil && snapshot.has(.null, at: index) && waits(for: index)
        if isWatched, stored(index) != value { noteChange() }
        if !isInserted, !inFlight.has(index), snapshot.has(value, at: index), !isAtRisk(index), !endsWaiting,
            !isEditedBelow(index)
        {
            context?.watch.noteDiscardedEdit(index, of: record)
            edits[index] = nil
        } else if edits[index]?.value != value {
            if let below = editBelow(index), below.value == value, below.leaving == leaving {
                context?.watch.noteDiscardedEdit(index, of: record)
                edits[index] = below
                context?.base?.follow(below, of: index, in: record)
                return noteEdit()
            }
            // Only the owner beneath the edit is a former owner.
            let former = leaving.flatMap { linkedRowBelow(index) == $0 ? $0 : nil }
            edits[index] = Edit(ofLink: value, leaving: former, endsWaiting: endsWaiting, at: .now())
        }
        noteEdit()
    }

    /// Whether a request with the property is in flight or has an unknown outcome. The server's value may then differ
    /// from the file's, so setting the file's value is an edit, too.
    func isAtRisk(_ index: PropertyIndex) -> Bool { context?.operations.isSent(index, of: record) ?? false }

    func isStored(_ edit: Edit, at index: PropertyIndex) -> Bool {
        if let choice = model.choice(with: index) { return isStoredWithOthers(edit, at: index, of: choice) }
        return hasResult(of: edit, at: index)
    }

    func hasResult(of edit: Edit, at index: PropertyIndex) -> Bool {
        snapshot.has(edit.value, at: index) && !edit.isCutOff && !(edit.endsWaiting && waits(for: index))
    }

    func noteEdit() {
        if isNoted, !edits.isEmpty, !isDeleted { return }
        guard let context, let object = context.liveObject(record), object._object === self else { return }
        context.noteEdit(of: object)
    }

    private func noteEdit(of object: AnyObject) {
        // The row may have become that of another model with a new instance.
        guard !model.hasSubmodels, model.table != .unknown, context != nil else { return noteEdit() }
        note(object) { $0.noteUnsaved($1, self) }
    }

    /// Calls `body` with the unretained context, as retaining it takes longer than to register an edit.
    ///
    /// - Parameter body: must leave this object's `context` as it is, because only that holds the context meanwhile.
    @inline(__always)
    func withContext<Result>(_ body: (ObjectContext) -> Result) -> Result? {
        guard let context = unsafe context.map({ unsafe Unmanaged.passUnretained($0) }) else { return nil }
        return unsafe context._withUnsafeGuaranteedRef(body)
    }
}
