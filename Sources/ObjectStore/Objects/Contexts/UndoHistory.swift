public import Observation

/// Records the edits of a context, so that you can undo and redo them.
///
/// ```swift
/// let history = store.main.recordUndo()
/// issue.title = "Crash"
/// history.undo()
/// ```
///
/// The edits from one `await` of the context's actor to the next are undone together, as a group: values, both sides of
/// links, lists, new objects, deletions, and edits discarded by ``ObjectContext/rollback()``. ``group(_:_:)`` makes a
/// group with a name. Commits of others and replies stay.
///
/// Properties get their former values as unsaved edits, whatever has happened to them since. In a list, removed members
/// come back and added ones leave; all others stay. Objects with saved deletions are skipped.
///
/// The history holds the objects of its groups, and records until you release it. That of a ``Draft`` records the edits
/// in the draft.
public final class UndoHistory: Observable {
    /// The recorded context.
    public let context: ObjectContext
    private let levels: Int
    private let registrar = ObservationRegistrar()
    private var done: [Group] = []
    private var undone: [Group] = []
    private var open = Group()
    /// The edits as of the last comparison.
    private var images: [RecordID: Image] = [:]
    /// The members before a list's first edit, with edits from the other side.
    private var formerMembers: [RecordID: [PropertyIndex: [RowID]]] = [:]
    /// The members of edited lists before their members' links were edited.
    private var formerFollowers: [RecordID: [PropertyIndex: [RowID]]] = [:]
    /// Called when a group begins, except by undoing or redoing.
    private var listener: (() -> Void)?
    private var isInGroup = false
    private var isApplying = false

    private struct Group {
        var name: String?
        var changes: [Change] = []
    }

    private enum Change {
        case value(any Model, PropertyIndex, before: StoredValue)
        case list(any Model, PropertyIndex, ListChange)
        /// The object was made, or brought back.
        case insertion(any Model)
        case deletion(any Model)
    }

    fileprivate struct ListChange {
        var before: [RowID]
        var after: [RowID]
        /// Whether the list was edited before.
        let wasEdited: Bool
    }

    private struct Image {
        let object: any Model
        let isHere: Bool
        let edits: EditMap
        let lists: PropertyMap<ObjectState.ListState>

        /// For objects that were unified; see ``ObjectState/unify(with:)``.
        func with(_ other: Image) -> Image {
            var (edits, lists) = (edits, lists)
            for (index, edit) in other.edits where edits[index].map({ $0.stamp < edit.stamp }) ?? true {
                edits[index] = edit
            }
            for (index, list) in other.lists { lists[index] = list.joined(with: lists[index]) }
            return Image(object: object, isHere: isHere, edits: edits, lists: lists)
        }
    }

    init(of context: ObjectContext, levels: Int) {
        self.context = context
        self.levels = max(1, levels)
        for object in context.unsavedObjects { keepImage(of: object, object._object.current) }
    }

    // MARK: Undoing

    /// Whether there is a group to undo. You can observe it.
    public var canUndo: Bool {
        registrar.access(self, keyPath: \.canUndo)
        context.notifyObservers()
        return !context.isEnded && (!done.isEmpty || !open.changes.isEmpty)
    }

    /// Whether there is a group to redo. You can observe it.
    public var canRedo: Bool {
        registrar.access(self, keyPath: \.canRedo)
        context.notifyObservers()
        return !context.isEnded && !undone.isEmpty && open.changes.isEmpty
    }

    var undoCount: Int {
        context.notifyObservers()
        return done.count + (open.changes.isEmpty ? 0 : 1)
    }

    /// For descriptions: reading it notifies no observers.
    var counts: (undo: Int, redo: Int) { (done.count + (open.changes.isEmpty ? 0 : 1), undone.count) }

    /// The name of the group that ``undo()`` would undo, if it has one.
    public var undoName: String? {
        context.notifyObservers()
        return open.changes.isEmpty ? done.last?.name : open.name
    }

    /// The name of the group that ``redo()`` would redo, if it has one.
    public var redoName: String? {
        context.notifyObservers()
        return open.changes.isEmpty ? undone.last?.name : nil
    }

    /// Undoes the last group of edits.
    ///
    /// - Returns: false, without effect, if there is no group to undo, or the context has ended.
    @discardableResult
    public func undo() -> Bool {
        close()
        guard !context.isEnded, let group = done.popLast() else { return false }
        undone.append(apply(group))
        notify()
        return true
    }

    /// Redoes the group that was undone last.
    ///
    /// - Returns: false, without effect, if there is no group to redo, for example after other edits, or the context
    ///   has ended.
    @discardableResult
    public func redo() -> Bool {
        close()
        guard !context.isEnded, let group = undone.popLast() else { return false }
        done.append(apply(group))
        notify()
        return true
    }

    /// Makes one group of the edits in `body`. A call within another group adds to that group.
    ///
    /// - Parameter name: the name in a menu, such as "Rename" in "Undo Rename".
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`. The edits made before it stay, and form a group.
    public func group<Result>(_ name: String? = nil, _ body: () throws -> Result) rethrows -> Result {
        guard !isInGroup else { return try body() }
        close()
        (isInGroup, open.name) = (true, name)
        defer {
            isInGroup = false
            close()
        }
        return try body()
    }

    /// Removes all groups.
    public func removeAll() {
        close()
        (done, undone) = ([], [])
        notify()
    }

    /// Calls `body` after the first edit of each new group, when ``undoName`` is the group's name.
    package func onGroup(_ body: @escaping () -> Void) { listener = body }

    // MARK: Recording

    func closeStep() { if !isInGroup, !isApplying { close() } }

    private func close() {
        context.notifyObservers()
        guard !open.changes.isEmpty else {
            open = Group()
            return
        }
        done.append(open)
        open = Group()
        if done.count > levels { done.removeFirst(done.count - levels) }
    }

    func note(_ states: [ObjectState]) {
        let (isBegun, couldUndo, couldRedo) = (!open.changes.isEmpty, !done.isEmpty, !undone.isEmpty)
        // A link's former value may depend on its partner's image.
        let noted = states.map { note($0.current) }
        for case let object? in noted { keepImage(of: object, object._object.current) }
        guard !isApplying, !open.changes.isEmpty else { return }
        undone = []
        if !isBegun, !couldUndo || couldRedo { notify() }
        if !isBegun { listener?() }
    }

    /// Call it before an edit of the list.
    func note(_ members: [RowID], of list: PropertyIndex, in state: ObjectState) {
        guard images[state.record]?.lists[list] == nil else { return }
        if formerMembers[state.record]?[list] == nil { formerMembers[state.record, default: [:]][list] = members }
    }

    /// Call it before an edit of a member's link.
    func note(_ members: [RowID], ofFollowing list: PropertyIndex, in state: ObjectState) {
        if formerFollowers[state.record]?[list] == nil { formerFollowers[state.record, default: [:]][list] = members }
    }

    func noteUnifying(of record: RecordID, into object: any Model) {
        let row = object._object.current.record
        if let image = images.removeValue(forKey: record) {
            let moved = Image(object: object, isHere: image.isHere, edits: image.edits, lists: image.lists)
            images[row] = images[row]?.with(moved) ?? moved
        }
        if let members = formerMembers.removeValue(forKey: record) {
            formerMembers[row, default: [:]].merge(members) { own, _ in own }
        }
        if let members = formerFollowers.removeValue(forKey: record) {
            formerFollowers[row, default: [:]].merge(members) { own, _ in own }
        }
    }

    /// For an object that is gone, or was changed by others.
    func forget(_ record: RecordID) {
        (images[record], formerMembers[record], formerFollowers[record]) = (nil, nil, nil)
    }

    private func notify() {
        registrar.withMutation(of: self, keyPath: \.canUndo) {}
        registrar.withMutation(of: self, keyPath: \.canRedo) {}
    }

    /// - Returns: the object, if a new image of it should be kept.
    private func note(_ state: ObjectState) -> (any Model)? {
        let former = images[state.record]
        defer { (formerMembers[state.record], formerFollowers[state.record]) = (nil, nil) }
        guard let object = former?.object ?? context.liveObject(state.record) else { return nil }
        // Others have deleted the object, along with its edits.
        guard !state.isDeleted || state.isInserted || context.unsaved.contains(object) else {
            forget(state.record)
            return nil
        }
        if let base = context.base, state.isDeleted, !state.isInserted, !base.isOwnDeletion(state) {
            images[state.record] = nil
            return nil
        }
        let wasHere = former?.isHere ?? !state.isNewHere
        if !wasHere, !state.isDeleted { open.changes.append(.insertion(object)) }
        noteValues(of: object, state, former)
        noteLists(of: object, state, former)
        if wasHere, state.isDeleted { open.changes.append(.deletion(object)) }
        return object
    }

    private func keepImage(of object: any Model, _ state: ObjectState) {
        let (edits, lists) = (state.ownEdits, state.ownEditedLists)
        guard state.isDeleted || state.isNewHere || !edits.isEmpty || !lists.isEmpty else {
            images[state.record] = nil
            return
        }
        images[state.record] = Image(
            object: object, isHere: !state.isDeleted, edits: edits,
            lists: state.lists.filter { lists.contains($0.key) })
    }

    private func noteValues(of object: any Model, _ state: ObjectState, _ former: Image?) {
        let edits = state.ownEdits
        for (index, edit) in edits where former?.edits[index]?.stamp != edit.stamp {
            let known = former?.edits[index].map { context.current($0.value, of: index, in: state.model) }
            let before = known ?? formerValue(index, of: state)
            if before != edit.value { open.changes.append(.value(object, index, before: before)) }
        }
        for (index, edit) in former?.edits ?? [:] where !edits.has(index) {
            // Otherwise the edit was saved or acknowledged, or a newer value was stored.
            let isDiscarded = context.watch.discardedEdits.contains(.init(record: state.record, property: index))
            let before = context.current(edit.value, of: index, in: state.model)
            guard isDiscarded, state.stored(index) != before else { continue }
            open.changes.append(.value(object, index, before: before))
        }
    }

    /// The value before the first edit here. A one-to-one link is nil if its partner's edit referenced another object.
    private func formerValue(_ index: PropertyIndex, of state: ObjectState) -> StoredValue {
        let value = state.valueBelow(index)
        guard let row = value.row, let link = state.model.linkEnds(of: index), let inverse = link.inverse,
            let edit = images[RecordID(table: link.target, row: row)]?.edits[inverse], edit.value.row != state.localID
        else { return value }
        return .null
    }

    private func noteLists(of object: any Model, _ state: ObjectState, _ former: Image?) {
        let touched = formerMembers[state.record] ?? [:]
        let followed = formerFollowers[state.record] ?? [:]
        for index in Set(state.ownEditedLists).union(former?.lists.keys ?? []).union(touched.keys).sorted() {
            let old = former?.lists[index]
            let list = state.model[index].list
            guard let now = state.lists[index], now.isEdited else {
                let stored = context.storedMembers(of: state, index) ?? []
                if old == nil, let before = touched[index].map({ context.current($0, of: list) }),
                    case .join? = state.model[index].list?.storage
                {
                    // The edit was made from the other side.
                    let after = state.lists[index]?.members ?? stored
                    guard before != after else { continue }
                    open.changes.append(
                        .list(object, index, ListChange(before: before, after: after, wasEdited: false)))
                    continue
                }
                guard let old else { continue }
                // Edits that were saved or made redundant by others are left out.
                let isDiscarded = context.watch.discardedEdits.contains(.init(record: state.record, property: index))
                let isRebased = state.lists[index]?.stamp != nil
                guard let list, case let old = context.current(old, of: list) else { continue }
                guard isDiscarded || (!isRebased && !old.isInEffect(in: stored)) else { continue }
                let (members, before) = (old.members, old.members(over: stored, in: list))
                guard before != stored else { continue }
                // After a draft was saved, the edit is in the parent.
                if context.base != nil, context.members(of: state, index) == members { continue }
                open.changes.append(
                    .list(object, index, ListChange(before: before, after: stored, wasEdited: true)))
                continue
            }
            if now.stamp == old?.stamp, followed[index] == nil { continue }
            let shown = old?.members ?? touched[index] ?? context.storedMembers(of: state, index)
            let before = context.current(shown ?? [], of: list)
            if now.stamp == old?.stamp, let before = followed[index].map({ context.current($0, of: list) }),
                case .column? = state.model[index].list?.storage,
                before != now.members
            {
                // Undoing the edit of the link brings the member back. This restores its place.
                open.changes.append(
                    .list(object, index, ListChange(before: before, after: now.members, wasEdited: true)))
                continue
            }
            guard now.stamp != old?.stamp, now.members != before else { continue }
            open.changes.append(
                .list(object, index, ListChange(before: before, after: now.members, wasEdited: old != nil)))
        }
    }

    // MARK: Applying

    /// - Returns: the group that reverts this one.
    private func apply(_ group: Group) -> Group {
        isApplying = true
        defer {
            open = Group()
            isApplying = false
        }
        context.catchUp()
        open = Group(name: group.name)
        var leaving: Set<ObjectIdentifier> = []
        for change in group.changes {
            if case .deletion(let object) = change { context.revive(object) }
            if case .insertion(let object) = change { leaving.insert(ObjectIdentifier(object._object)) }
        }
        // Deleted objects are set back, too, since they may be brought back later.
        func isHere(_ object: any Model) -> Bool { !leaving.contains(ObjectIdentifier(object._object)) }
        for case .value(let object, let index, let before) in group.changes.reversed() where isHere(object) {
            let state = object._object.current
            context.setBack(index, of: state, to: context.current(before, of: index, in: state.model))
        }
        for case .list(let object, let index, let change) in group.changes.reversed() where isHere(object) {
            let (state, list) = (object._object.current, object._object.current.model[index].list)
            var change = change
            (change.before, change.after) = (
                context.current(change.before, of: list), context.current(change.after, of: list)
            )
            context.setBack(index, of: state, change, to: withoutGone(change.before, of: list))
        }
        for case .insertion(let object) in group.changes.reversed() { context.delete(object) }
        // A member that was brought back from one side is last in the other side's list, even if that is unedited.
        context.listVersions.advanceAll()
        context.notifyObservers()
        return open
    }

    /// A save would remove members whose deletion is in the file, and make that an edit of the list.
    private func withoutGone(_ members: [RowID], of list: List?) -> [RowID] {
        guard let list else { return members }
        return members.filter { context.isThere(RecordID(table: list.target, row: $0)) }
    }
}

extension ObjectContext {
    /// Records the edits of this context until you release the history.
    ///
    /// - Parameter levels: the number of groups that can be undone, at least 1. Older groups are removed.
    /// - Complexity: linear in the unsaved objects. Later, each edit costs a comparison of all edits of its object.
    public func recordUndo(levels: Int = 100) -> UndoHistory {
        let history = UndoHistory(of: self, levels: levels)
        guard !isEnded else { return history }
        notifyObservers()
        watch.addHistory(history)
        for map in maps.all { map.watchAll() }
        return history
    }

    /// New objects may have been unified with other rows.
    fileprivate func current(_ members: [RowID], of list: List?) -> [RowID] {
        guard let list, !survivors.isEmpty else { return members }
        var seen: Set<RowID> = []
        return members.map { survivor(of: RecordID(table: list.target, row: $0)) }.filter { seen.insert($0).inserted }
    }

    fileprivate func current(_ edited: ObjectState.ListState, of list: List) -> ObjectState.ListState {
        guard !survivors.isEmpty else { return edited }
        return edited.mapped { survivor(of: RecordID(table: list.target, row: $0)) }
    }

    fileprivate func current(_ value: StoredValue, of index: PropertyIndex, in model: ModelSchema) -> StoredValue {
        guard !survivors.isEmpty, let table = model.linkTarget(of: index), let row = value.row else { return value }
        return StoredValue(survivor(of: RecordID(table: table, row: row)))
    }

    /// Whether a context or the file has the row.
    fileprivate func isThere(_ record: RecordID) -> Bool {
        if maps.contains(record.table), maps[record.table].any(record.row) != nil { return true }
        return base?.parent.isThere(record) ?? false || !isGoneFromFile(record)
    }

    /// Skips properties that are read-only by now, or that the object's current class lacks.
    func setBack(_ index: PropertyIndex, of state: ObjectState, to value: StoredValue) {
        guard state.model.has(index), !state.isRefused(value, for: index) else { return }
        if state.model.linkTarget(of: index) != nil {
            setLink(index, of: state, to: value.row)
        } else {
            state.setStored(index, to: value)
        }
    }

    /// Other members that were added or removed since stay so.
    fileprivate func setBack(
        _ index: PropertyIndex, of state: ObjectState, _ change: UndoHistory.ListChange, to before: [RowID]
    ) {
        let now = members(of: state, index)
        guard let list = state.model[index].list, state.model.has(index) else { return }
        guard case .column = list.storage else {
            return setMembers(index, of: state, to: before.rebased(from: change.after, onto: now))
        }
        if change.wasEdited { return setMembers(index, of: state, to: before.order(of: now)) }
        guard !state.inFlight.has(index) else { return }
        state.lists[index] = nil
        noteListChange(of: state)
        state.noteEdit()
    }
}

extension ObjectState {
    /// The value beneath this context's own edit.
    fileprivate func valueBelow(_ index: PropertyIndex) -> StoredValue {
        if isNewHere { return defaults[index] ?? .null }
        return context?.base?.value(index, of: record) ?? snapshot.value(index)
    }
}
