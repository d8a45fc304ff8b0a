public import Observation

/// What was edited in a context since it is held, to be undone and done again.
///
/// ```swift
/// let history = store.main.recordUndo()
/// issue.title = "Crash"
/// history.undo()              // the title is what it was
/// history.redo()
/// ```
///
/// What is edited in one step of the context's actor, from one `await` to the next, is undone as one: values, both
/// sides of links, lists, new objects and deletions, and what ``ObjectContext/rollback()`` took back. ``group(_:_:)``
/// makes a group of its own, with a name. What others commit and what a reply brings is never undone.
///
/// To undo is to edit: the properties get the values that they had, whatever has become of them since, as unsaved
/// edits, which are saved and sent as any. A list gets back what was taken out and loses what was added; the rest of it
/// stays. An object whose deletion was saved can't be brought back, and is passed over.
///
/// It holds the objects that it has to do with. Recording ends when it is let go of. In a ``Draft`` it records what is
/// edited there.
public final class UndoHistory: Observable {
    /// The context whose edits it records.
    public let context: ObjectContext
    private let levels: Int
    private let registrar = ObservationRegistrar()
    private var done: [Group] = []
    private var undone: [Group] = []
    /// What is being edited.
    private var open = Group()
    /// What the objects were that have edits, when they were looked at last.
    private var images: [RecordID: Image] = [:]
    /// What lists showed before they were edited first, with what the other side has edited of them.
    private var formerMembers: [RecordID: [PropertyIndex: [RowID]]] = [:]
    /// The same of lists whose members' own links are edited, which they follow.
    private var formerFollowers: [RecordID: [PropertyIndex: [RowID]]] = [:]
    /// Called when a group begins that is not one of undoing.
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
        /// It is here, and was not before.
        case arrival(any Model)
        case deletion(any Model)
    }

    fileprivate struct ListChange {
        var before: [RowID]
        var after: [RowID]
        /// Whether it was edited before.
        let wasEdited: Bool
    }

    private struct Image {
        let object: any Model
        let isHere: Bool
        let edits: EditMap
        let lists: PropertyMap<ObjectState.ListState>

        /// With what another object was that has turned out to be the same: see ``ObjectState/unify(with:)``.
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

    /// Whether there is something to undo. It can be observed.
    public var canUndo: Bool {
        registrar.access(self, keyPath: \.canUndo)
        context.tellWatchers()
        return !context.isEnded && (!done.isEmpty || !open.changes.isEmpty)
    }

    /// Whether there is something to do again. It can be observed.
    public var canRedo: Bool {
        registrar.access(self, keyPath: \.canRedo)
        context.tellWatchers()
        return !undone.isEmpty && open.changes.isEmpty
    }

    /// How many groups can be undone.
    var undoCount: Int {
        context.tellWatchers()
        return done.count + (open.changes.isEmpty ? 0 : 1)
    }

    /// The same of both ways, for descriptions: nobody is told of what was done before.
    var counts: (undo: Int, redo: Int) { (done.count + (open.changes.isEmpty ? 0 : 1), undone.count) }

    /// The name of the group that ``undo()`` would undo.
    public var undoName: String? {
        context.tellWatchers()
        return open.changes.isEmpty ? done.last?.name : open.name
    }

    /// The name of the group that ``redo()`` would do again.
    public var redoName: String? {
        context.tellWatchers()
        return open.changes.isEmpty ? undone.last?.name : nil
    }

    /// Undoes the last group of edits; where there is none, nothing.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func undo() -> Bool {
        close()
        guard !context.isEnded, let group = done.popLast() else { return false }
        undone.append(apply(group))
        tell()
        return true
    }

    /// Does the last group again that was undone; where there is none, or something was edited since, nothing.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    public func redo() -> Bool {
        close()
        guard !context.isEnded, let group = undone.popLast() else { return false }
        done.append(apply(group))
        tell()
        return true
    }

    /// Makes a group of what `body` edits, to be undone as one and by itself.
    ///
    /// - Parameter name: what a menu calls it: "Undo Rename". Groups within this one are part of it.
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

    /// Forgets all groups.
    public func removeAll() {
        close()
        (done, undone) = ([], [])
        tell()
    }

    /// Calls `body` for each group that is begun from now on, with its first edit, where ``undoName`` is its name.
    package func onGroup(_ body: @escaping () -> Void) { listener = body }

    // MARK: Recording

    /// Ends the group of this step.
    func closeStep() { if !isInGroup, !isApplying { close() } }

    private func close() {
        context.tellWatchers()
        guard !open.changes.isEmpty else {
            open = Group()
            return
        }
        done.append(open)
        open = Group()
        if done.count > levels { done.removeFirst(done.count - levels) }
    }

    /// Looks at objects to which something was done.
    func note(_ states: [ObjectState]) {
        let (isBegun, couldUndo, couldRedo) = (!open.changes.isEmpty, !done.isEmpty, !undone.isEmpty)
        // What a link was may depend on what its partner's was.
        let noted = states.map { note($0.current) }
        for case let object? in noted { keepImage(of: object, object._object.current) }
        guard !isApplying, !open.changes.isEmpty else { return }
        undone = []
        if !isBegun, !couldUndo || couldRedo { tell() }
        if !isBegun { listener?() }
    }

    /// A list is about to be edited.
    func note(_ members: [RowID], of list: PropertyIndex, in state: ObjectState) {
        guard images[state.record]?.lists[list] == nil else { return }
        if formerMembers[state.record]?[list] == nil { formerMembers[state.record, default: [:]][list] = members }
    }

    /// A member's own link is about to be edited, which an edited list follows.
    func note(_ members: [RowID], ofFollowing list: PropertyIndex, in state: ObjectState) {
        if formerFollowers[state.record]?[list] == nil { formerFollowers[state.record, default: [:]][list] = members }
    }

    /// An object has turned out to be that of another row, which is no edit: what it was goes along.
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

    /// Something was done to an object that is no edit here, or it is gone.
    func forget(_ record: RecordID) {
        (images[record], formerMembers[record], formerFollowers[record]) = (nil, nil, nil)
    }

    private func tell() {
        registrar.withMutation(of: self, keyPath: \.canUndo) {}
        registrar.withMutation(of: self, keyPath: \.canRedo) {}
    }

    /// - Returns: the object, if there is something to keep of what it is now.
    private func note(_ state: ObjectState) -> (any Model)? {
        let former = images[state.record]
        defer { (formerMembers[state.record], formerFollowers[state.record]) = (nil, nil) }
        guard let object = former?.object ?? context.liveObject(state.record) else { return nil }
        // One that others have deleted is gone, with what was edited of it.
        guard !state.isDeleted || state.isInserted || context.unsaved.contains(object) else {
            forget(state.record)
            return nil
        }
        // So is what the context has deleted that this is a draft of.
        if let base = context.base, state.isDeleted, !state.isInserted, !base.isOwnDeletion(state) {
            images[state.record] = nil
            return nil
        }
        let wasHere = former?.isHere ?? !state.isNewHere
        if !wasHere, !state.isDeleted { open.changes.append(.arrival(object)) }
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
            // Else it was saved or confirmed, or something newer was.
            let isTakenBack = context.watch.takenBack.contains(.init(record: state.record, property: index))
            let before = context.current(edit.value, of: index, in: state.model)
            guard isTakenBack, state.stored(index) != before else { continue }
            open.changes.append(.value(object, index, before: before))
        }
    }

    /// What a property was without an edit of its own: a one-to-one link that the file has led nowhere where its
    /// partner had been given another.
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
                    // What is undone here was edited on the other side.
                    let after = state.lists[index]?.members ?? stored
                    guard before != after else { continue }
                    open.changes.append(
                        .list(object, index, ListChange(before: before, after: after, wasEdited: false)))
                    continue
                }
                guard let old else { continue }
                // One that is in the file, or that others have made what it was, was not set back.
                let isTakenBack = context.watch.takenBack.contains(.init(record: state.record, property: index))
                let isRebased = state.lists[index]?.stamp != nil
                guard let list, case let old = context.current(old, of: list) else { continue }
                guard isTakenBack || (!isRebased && !old.isInEffect(in: stored)) else { continue }
                // What others have done to it since stays.
                let (members, before) = (old.members, old.members(over: stored, in: list))
                guard before != stored else { continue }
                // A draft that was saved shows it still: it is what that was made of that has the edit.
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
                // The link brings the member back, and this its place.
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

    /// - Returns: what undoes it.
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
            if case .arrival(let object) = change { leaving.insert(ObjectIdentifier(object._object)) }
        }
        // What is deleted is set back, too, as it may be brought back later.
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
        for case .arrival(let object) in group.changes.reversed() { context.delete(object) }
        // A member that one side has brought back stands last on the other, whose list may have no edit now.
        context.listVersions.advanceAll()
        context.tellWatchers()
        return open
    }

    /// What others or a save have deleted does not come back: a save would drop it, and what a save drops of a list is
    /// edited.
    private func withoutGone(_ members: [RowID], of list: List?) -> [RowID] {
        guard let list else { return members }
        return members.filter { context.isThere(RecordID(table: list.target, row: $0)) }
    }
}

extension ObjectContext {
    /// Begins to record what is edited here, for as long as what is returned is held.
    ///
    /// - Parameter levels: how many groups can be undone; older ones are forgotten.
    /// - Complexity: linear in the unsaved objects; then each edit is looked at, with the other edits of its object.
    public func recordUndo(levels: Int = 100) -> UndoHistory {
        let history = UndoHistory(of: self, levels: levels)
        guard !isEnded else { return history }
        tellWatchers()
        watch.addHistory(history)
        for map in maps.all { map.watchAll() }
        return history
    }

    /// The members of a list by the rows that they are now: what was new may have turned out to be known.
    fileprivate func current(_ members: [RowID], of list: List?) -> [RowID] {
        guard let list, !survivors.isEmpty else { return members }
        var seen: Set<RowID> = []
        return members.map { survivor(of: RecordID(table: list.target, row: $0)) }.filter { seen.insert($0).inserted }
    }

    /// An edited list, likewise.
    fileprivate func current(_ edited: ObjectState.ListState, of list: List) -> ObjectState.ListState {
        guard !survivors.isEmpty else { return edited }
        return edited.mapped { survivor(of: RecordID(table: list.target, row: $0)) }
    }

    /// A property's value, likewise.
    fileprivate func current(_ value: StoredValue, of index: PropertyIndex, in model: ModelSchema) -> StoredValue {
        guard !survivors.isEmpty, let table = model.linkTarget(of: index), let row = value.row else { return value }
        return StoredValue(survivor(of: RecordID(table: table, row: row)))
    }

    /// An object that was deleted here is there again, if it is still in the file or was never saved.
    fileprivate func revive(_ object: any Model) {
        let state = object._object.current
        guard !isEnded, state.isDeleted, maps.contains(state.model.table) else { return }
        if state.isNewHere {
            guard liveObject(state.record) == nil, state.inFlight.isEmpty else { return }
            state.isDeleted = false
            insert(object)
        } else {
            guard unsaved.contains(object) else { return }
            state.isDeleted = false
            noteEdit(of: object)
        }
        advanceLists(ofMembersIn: state.model.table)
    }

    /// Whether a row is in the file, or a new object's; one that is deleted here is there until that is saved.
    fileprivate func isThere(_ record: RecordID) -> Bool {
        if maps.contains(record.table), maps[record.table].any(record.row) != nil { return true }
        return base?.parent.isThere(record) ?? false || !isGoneFromFile(record)
    }

    /// What no edit could say any more is passed over: what only the server sets, and what the object's class has not
    /// by now.
    fileprivate func setBack(_ index: PropertyIndex, of state: ObjectState, to value: StoredValue) {
        guard state.model.has(index), !state.isRefused(value, for: index) else { return }
        if state.model.linkTarget(of: index) != nil {
            setLink(index, of: state, to: value.row)
        } else {
            state.setStored(index, to: value)
        }
    }

    /// What has come to the list since the edit, and gone, stays so.
    fileprivate func setBack(
        _ index: PropertyIndex, of state: ObjectState, _ change: UndoHistory.ListChange, to before: [RowID]
    ) {
        let now = members(of: state, index)
        guard let list = state.model[index].list, state.model.has(index) else { return }
        guard case .column = list.storage else {
            return setMembers(index, of: state, to: before.rebased(from: change.after, onto: now))
        }
        // The members' links are set back by themselves.
        if change.wasEdited { return setMembers(index, of: state, to: before.order(of: now)) }
        guard !state.inFlight.has(index) else { return }
        state.lists[index] = nil
        noteListChange(of: state)
        state.noteEdit()
    }
}

extension ObjectState {
    /// What a property is without the edit that was made here.
    fileprivate func valueBelow(_ index: PropertyIndex) -> StoredValue {
        if isNewHere { return defaults[index] ?? .null }
        return context?.base?.value(index, of: record) ?? snapshot.value(index)
    }
}
