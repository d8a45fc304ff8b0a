// How edits are made: of a new object mostly by ``ObjectState/append(_:at:_:)``, in the caller's own code; of any other
// by a call, which looks at what else there is to do.

extension ObjectState {
    // MARK: Behind all others

    /// Lets the properties that come after all that were edited be edited by nothing but to put their edits behind the
    /// others. It is so for a new object that its context has noted, of which nobody wants to know anything, and that
    /// has room for all of them. Whatever ends one of these says so.
    func open() {
        guard ownIsInserted, isNoted, isSimple else { return }
        countAppended()
        // Of no property where the last of the 64 has an edit.
        let behind = model.columnBits & ~(.max >> UInt64(edited.leadingZeroBitCount))
        guard let place = unsafe keptEdits.nextPlace(for: behind.nonzeroBitCount) else { return }
        unsafe nextPlace = place
        unsafe stamps = withContext { unsafe Unmanaged.passUnretained($0.stamps) }
        appendable = behind
    }

    /// Takes the edits that were appended in among the others, and what was not compared with the row, if it is one.
    @inline(__always)
    func countAppended() { if keptEdits.mask != edited { countKept() } }

    @inline(never)
    private func countKept() { if comparison == .due { compareEdit() } else { keptEdits.count(edited) } }

    /// The stamp of an edit that is nothing but appended, by whoever gets it; `nil` where there is more to look at.
    @inlinable @inline(__always)
    func stampToAppend(_ index: Int) -> Int64? {
        guard appendable & Self.bit(index) != 0 else { return nil }
        // The context, which holds them, is the object's as long as there is something to append.
        return unsafe stamps.unsafelyUnwrapped._withUnsafeGuaranteedRef { $0.nextTaken() }
    }

    /// Puts the edit of a property behind the others, with the stamp that was got for it.
    @inlinable @inline(__always)
    func append(_ value: consuming StoredValue, at index: Int, _ stamp: Int64) {
        // There is room for all properties that come after this one, too; and the object holds it until something else
        // is done to the edits, which ends this.
        let place = unsafe nextPlace.unsafelyUnwrapped
        unsafe place.initialize(to: Edit(value, of: index, at: stamp))
        unsafe nextPlace = place + 1
        // Properties before this one are not behind all others any more.
        appendable &= ~1 &<< UInt64(truncatingIfNeeded: index)
        edited |= Self.bit(index)
    }

    /// Makes a link of a new object lead to another object, where nobody else says where it leads: it has no other
    /// direction.
    ///
    /// It releases nothing that a caller may hold.
    ///
    /// - Returns: whether it does; else there is more to look at.
    @usableFromInline @_effects(releasenone)
    func appendLink(to target: ObjectState, at index: Int) -> Bool {
        guard model.oneWayLinks & Self.bit(index) != 0, target.survivor == nil, !target.ownIsDeleted,
            isContext(ofAlso: target),
            // The target may have been deleted elsewhere meanwhile.
            withContext({ $0.isBehind }) == false, let stamp = stampToAppend(index)
        else { return false }
        append(.integer(target.ownLocalID.rawValue), at: index, stamp)
        return true
    }

    /// Whether another object is of the same context.
    @inline(__always)
    private func isContext(ofAlso other: ObjectState) -> Bool {
        unsafe context.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
            == other.context.map { unsafe Unmanaged.passUnretained($0).toOpaque() }
    }

    // MARK: Compared later

    /// Whether the only edit of an object was compared with the row, as setting what the file holds is none.
    ///
    /// To look at a row that was not touched lately takes longer than all the rest of an edit, so that is done when
    /// somebody asks what is edited, of the object (``edits``) or in the context (``ObjectContext/unsaved``), or before
    /// the row becomes another.
    enum Comparison: UInt8 {
        /// It was, or there is none.
        case made
        /// It wasn't. The edit isn't counted in ``keptEdits``, and the object is noted as unsaved.
        case due
        /// It was none, and the object is noted all the same.
        case same
    }

    /// Whether an edit of an attribute may be compared later: of an object that is in the file, where it is the only
    /// edit and there is nothing else to look at.
    @inline(__always)
    private func mayCompareLater(_ bit: UInt64) -> Bool {
        isSimple && edited == 0 && unsavedIndex < 0 && !ownIsInserted && (plain | ready) & bit != 0
            && keptEdits.hasNoRoom && model.identityBits & bit == 0
    }

    /// Finds out whether the edit that was not compared is one.
    func compareEdit() {
        guard comparison == .due, let edit = keptEdits.uncounted else { return }
        let index = PropertyIndex(Int(edit.key))
        let isSame = snapshot.has(edit.value, at: index) && !isAtRisk(index)
        comparison = isSame ? .same : .made
        keptEdits.countUncounted(isKept: !isSame)
        guard isSame else { return }
        edited = 0
        noteSlots()
    }

    /// Whether there is something to save, of an object that may be noted without that.
    func isUnsavedAsCompared() -> Bool {
        compareEdit()
        defer { comparison = .made }
        return comparison == .made || hasEdits || ownIsDeleted
    }

    // MARK: Any

    /// Edits an attribute whose values are spelt in one way only.
    ///
    /// It is all that a setter calls, with what that was given, so that what is appended keeps no register for it.
    ///
    /// - Parameter object: the one whose state this is.
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
        // What could be appended but for the stamps that were left.
        if appendable & bit != 0 { return append(value, at: index, newStamp().rawValue) }
        setAny(PropertyIndex(index), to: value, of: object)
    }

    /// - Parameter note: is given the context and the object, of the only class of its table.
    @inline(__always)
    private func note(_ object: AnyObject, by note: (ObjectContext, any Model) -> Void) {
        func asModel<M: Model>(_ type: M.Type) {
            // Its state is of the model that the class has.
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
        if isWatched { context?.tellWatchers() }
        if appendable == 0 { open() }
    }

    /// A stamp for an edit that is made now.
    @inline(__always)
    private func newStamp() -> ChangeStamp { withContext { $0.stamps.now() } ?? .now() }

    /// Sets what a property holds. Setting what the file holds takes the edit back.
    ///
    /// - Parameter leaving: of a link that becomes nil because the object leaves a list: the list's owner.
    func setStored(_ index: PropertyIndex, to value: StoredValue, leaving: RowID? = nil) {
        if survivor != nil { return current.setStored(index, to: value, leaving: leaving) }
        if ownIsInserted, !value.isNull, leaving == nil, !isWatched, context?.base == nil {
            // There is nothing that it could be compared with but an edit.
            if edits[index]?.value != value { edits.set(Edit(value, at: newStamp()), for: index) }
            return noteEdit()
        }
        // One that leaves a list which it joined here waits as before.
        let endsWaiting = value.isNull && leaving == nil && snapshot.has(.null, at: index) && waits(for: index)
        if isWatched, stored(index) != value { noteChange() }
        if !isInserted, !inFlight.has(index), snapshot.has(value, at: index), !isAtRisk(index), !endsWaiting,
            !isEditedBelow(index)
        {
            context?.watch.noteTakenBack(index, of: record)
            edits[index] = nil
        } else if edits[index]?.value != value {
            if let below = editBelow(index), below.value == value, below.leaving == leaving {
                context?.watch.noteTakenBack(index, of: record)
                edits[index] = below
                context?.base?.follow(below, of: index, in: record)
                return noteEdit()
            }
            // One that was moved here before it left is meant to be nowhere.
            let former = leaving.flatMap { linkedRowBelow(index) == $0 ? $0 : nil }
            edits[index] = Edit(ofLink: value, leaving: former, endsWaiting: endsWaiting, at: .now())
        }
        noteEdit()
    }

    /// Whether the server may have been told a value of the property that it has not confirmed: then what the file
    /// holds is not what the server last heard, and an edit back to that is one.
    func isAtRisk(_ index: PropertyIndex) -> Bool { context?.underway.isSent(index, of: record) ?? false }

    /// Whether the file has what an edit says.
    func isStored(_ edit: Edit, at index: PropertyIndex) -> Bool {
        snapshot.has(edit.value, at: index) && !edit.isCutOff && !(edit.endsWaiting && waits(for: index))
    }

    /// Tells the context that there is, or is no longer, something to save.
    func noteEdit() {
        if isNoted, !edits.isEmpty, !isDeleted { return }
        guard let context, let object = context.liveObject(record), object._object === self else { return }
        context.noteEdit(of: object)
    }

    /// The same where the object that was edited is known.
    private func noteEdit(of object: AnyObject) {
        // Another instance of the state may have come in this one's stead, and an unknown class has no table.
        guard !model.hasSubmodels, model.table != .unknown, context != nil else { return noteEdit() }
        note(object) { $0.noteUnsaved($1, self) }
    }

    /// Lends the context, without a retain and a release, which take longer than to note an edit.
    ///
    /// - Parameter body: what sets no object's context, so that this one holds it meanwhile.
    @inline(__always)
    func withContext<Result>(_ body: (ObjectContext) -> Result) -> Result? {
        guard let context = unsafe context.map({ unsafe Unmanaged.passUnretained($0) }) else { return nil }
        return unsafe context._withUnsafeGuaranteedRef(body)
    }
}
