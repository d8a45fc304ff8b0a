public import Observation

/// The objects of a query that share a value, in the query's order, as of the read.
public struct LiveSection<M: Model, Value>: Identifiable, RandomAccessCollection {
    /// Identifies a section by its stored value.
    public struct ID: Hashable, Sendable {
        fileprivate let key: StoredValue
    }

    /// The section's identity, the same if it disappears and returns.
    public let id: ID
    /// The value of the section's objects.
    public let value: Value
    private let objects: ArraySlice<M>

    fileprivate init(_ key: StoredValue, _ value: Value, objects: ArraySlice<M>) {
        (id, self.value, self.objects) = (ID(key: key), value, objects)
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of objects, at least 1.
    public var endIndex: Int { objects.count }
    /// The object at a place of the section.
    public subscript(position: Int) -> M { objects[objects.startIndex + position] }
}

/// The current objects of a query, as an observable collection of sections.
///
/// You observe it as ``LiveResults``. It holds its objects, and lives on its context's actor until you release it.
public final class LiveSections<M: Model, Value>: Observable {
    private let list: LiveList<M>
    private let key: SectionKey<M, Value>
    private var runs: SectionRuns
    private var values: [Value]
    private let registrar = ObservationRegistrar()
    /// Whether an observer may have read the sections since it was last notified.
    private var isTracked = false
    private var readers = LiveReaders<LiveReader<SectionedPlaces>>()
    private var isEnded = false
    private var failure = LiveFailure()
    /// Whether an observer may have read the error since it last appeared or disappeared.
    private var isErrorTracked = false
    /// The error of the last update, if it failed. The sections are then those from before it, and the next change
    /// tries again. Observable.
    public var error: StoreError? {
        registrar.access(self, keyPath: \.error)
        if !isErrorTracked { isErrorTracked = isReadTracked() }
        return failure.error
    }

    init(_ query: ObjectQuery<M>, by key: SectionKey<M, Value>) throws(StoreError) {
        self.key = key
        list = try LiveList(key.ordered(query))
        runs = SectionRuns(of: try key.keys(of: list.objects, in: list.query))
        values = runs.keys.map { key.value($0, query.context) }
        query.context.follow(self)
    }

    deinit { readers.end() }

    /// The nonempty sections, in the order of their values.
    public var sections: [LiveSection<M, Value>] {
        look()
        return runs.keys.indices.map(section)
    }

    /// Without an update, for descriptions.
    var known: [LiveSection<M, Value>] { runs.keys.indices.map(section) }

    private func section(_ index: Int) -> LiveSection<M, Value> {
        LiveSection(runs.keys[index], values[index], objects: list.objects[runs.range(of: index)])
    }

    /// The objects of all sections, in the order of the sections.
    public var objects: [M] {
        look()
        return list.objects
    }

    private func look() {
        registrar.access(self, keyPath: \.sections)
        list.query.context.bringUpToDate()
        update()
        // Last, because an update that notifies observers resets it.
        if !isTracked { isTracked = isReadTracked() }
    }

    var places: SectionedPlaces { SectionedPlaces(list.places, runs) }
}

// MARK: - As a collection

extension LiveSections: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// The current number of sections.
    public var endIndex: Int {
        look()
        return runs.keys.count
    }
    /// The section at a place of the current list.
    public subscript(position: Int) -> LiveSection<M, Value> {
        look()
        return section(position)
    }
    /// Iterates over the current sections, so a loop may edit the objects.
    public func makeIterator() -> IndexingIterator<[LiveSection<M, Value>]> { sections.makeIterator() }
    /// The object at a place of the current list.
    public subscript(path: SectionPath) -> M { self[path.section][path.item] }
}

// MARK: - Following

extension LiveSections: QueryFollower {
    var tables: Set<TableID> { list.tables }

    func follow(_ tableChanges: TableChanges) {
        guard !isEnded else { return }
        list.note(tableChanges)
        if isTracked || isErrorTracked || !readers.isEmpty { update() } else { list.compactChanges() }
    }

    func end() {
        isEnded = true
        readers.end()
    }

    private func note(_ error: StoreError?) {
        guard failure.note(error) else { return }
        isErrorTracked = false
        registrar.withMutation(of: self, keyPath: \.error) {}
        // Readers that wait throw the error.
        if error != nil { for reader in readers.all { reader.wake() } }
    }

    private func update() {
        guard list.isStale, !isEnded else { return }
        let former = places
        var keys: [StoredValue] = []
        let edit: LiveEdit
        do {
            edit = try list.update { (objects) throws(StoreError) in keys = try key.keys(of: objects, in: list.query) }
            note(nil)
        } catch {
            note(error)
            return
        }
        let difference = difference(edit, keys, from: former)
        if difference.isReordering {
            isTracked = false
            registrar.withMutation(of: self, keyPath: \.sections) {}
        }
        guard !difference.isEmpty else { return }
        let changed = difference.changes.map { list.places[runs.range(of: $0.section).lowerBound + $0.item] }
        let waiting = readers.all
        guard !waiting.isEmpty else { return }
        let removed = edit.removed(from: former.ids, to: list.places)
        for reader in waiting { reader.note(difference, from: former, changed, removing: removed) }
    }

    /// - Parameter keys: the sections of all objects, if these were fetched again.
    private func difference(
        _ edit: LiveEdit, _ keys: [StoredValue], from former: SectionedPlaces
    ) -> SectionDifference {
        switch edit {
        case .refetched(let changed, _):
            runs = SectionRuns(of: keys)
            values = runs.keys.map { key.value($0, list.query.context) }
            return SectionDifference(from: former, to: places, changed: changed)
        case .patched(let patch):
            let put = patch.put.map { key.key(of: list.objects[$0.to]) }
            let (runs, matching) = former.runs.patched(patch, keys: put, by: key.precedes)
            values = matching.former.enumerated().map { section, former in
                former.map { values[$0] } ?? key.value(runs.keys[section], list.query.context)
            }
            self.runs = runs
            return SectionDifference(patch, from: former.runs, to: runs, matching)
        }
    }
}

// MARK: - Changes

extension LiveSections {
    /// The changes of the sections, as an asynchronous sequence. The first one inserts all sections. Others follow as
    /// in ``LiveResults/changes``.
    public var changes: LiveSectionChanges<M, Value> { LiveSectionChanges(source: self) }

    func add(_ reader: LiveReader<SectionedPlaces>) {
        if isEnded { reader.end() } else { readers.add(reader) }
    }
}
