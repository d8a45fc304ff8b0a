public import Observation

/// The objects of a query that have one value, in the query's order, as they were when they were asked for.
public struct LiveSection<M: Model, Value>: Identifiable, RandomAccessCollection {
    /// What tells a section from the others: its value as it is stored.
    public struct ID: Hashable, Sendable {
        fileprivate let key: StoredValue
    }

    /// Stays the same as long as the section is there, and when it comes again.
    public let id: ID
    /// The value that its objects have.
    public let value: Value
    private let objects: ArraySlice<M>

    fileprivate init(_ key: StoredValue, _ value: Value, objects: ArraySlice<M>) {
        (id, self.value, self.objects) = (ID(key: key), value, objects)
    }

    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many objects there are; never 0.
    public var endIndex: Int { objects.count }
    /// The object at a place of the section.
    public subscript(position: Int) -> M { objects[objects.startIndex + position] }
}

/// The objects of a query as they are now, in sections: a collection of these that can be observed, and a sequence of
/// its changes.
///
/// Who reads it within `withObservationTracking`, as SwiftUI does, is woken once by each edit, merge or rollback after
/// which it has other sections, or one has other objects or another order; what changes within an object wakes who
/// reads that object. ``changes`` tells both.
///
/// It holds its objects, lives where its context does, and follows it until it is let go of.
public final class LiveSections<M: Model, Value>: Observable {
    private let list: LiveList<M>
    private let key: SectionKey<M, Value>
    private var runs: SectionRuns
    /// The sections' values.
    private var values: [Value]
    private let registrar = ObservationRegistrar()
    /// Whether somebody may track what they have read.
    private var isTracked = false
    private var readers = LiveReaders<LiveReader<SectionedPlaces>>()
    private var isEnded = false
    private var failure = LiveFailure()
    /// Why the objects are not what they should be: the file could not be read when something had changed. It is tried
    /// again with the next change. Who tracks it is woken when there is one, and when there is none any longer.
    public var error: StoreError? {
        registrar.access(self, keyPath: \.error)
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

    /// The sections, in the order of their values. None is empty.
    public var sections: [LiveSection<M, Value>] {
        look()
        return runs.keys.indices.map(section)
    }

    /// The sections as they were last looked at, for descriptions.
    var known: [LiveSection<M, Value>] { runs.keys.indices.map(section) }

    private func section(_ index: Int) -> LiveSection<M, Value> {
        LiveSection(runs.keys[index], values[index], objects: list.objects[runs.range(of: index)])
    }

    /// The objects of all sections, one after the other.
    public var objects: [M] {
        look()
        return list.objects
    }

    private func look() {
        registrar.access(self, keyPath: \.sections)
        if !isTracked { isTracked = isReadTracked() }
        list.query.context.bringUpToDate()
        update()
    }

    var places: SectionedPlaces { SectionedPlaces(list.places, runs) }
}

// MARK: - As a collection

extension LiveSections: RandomAccessCollection {
    /// Always 0.
    public var startIndex: Int { 0 }
    /// How many sections there are now.
    public var endIndex: Int {
        look()
        return runs.keys.count
    }
    /// The section at a place of the list as it is now.
    public subscript(position: Int) -> LiveSection<M, Value> {
        look()
        return section(position)
    }
    /// The object at a place of the list as it is now.
    public subscript(path: SectionPath) -> M { self[path.section][path.item] }
}

// MARK: - Following

extension LiveSections: QueryFollower {
    var tables: Set<TableID> { list.tables }

    func follow(_ news: TableNews) {
        guard !isEnded else { return }
        list.note(news)
        if isTracked || !readers.isEmpty { update() } else { list.forgetWhatIsMany() }
    }

    func end() {
        isEnded = true
        readers.end()
    }

    private func note(_ error: StoreError?) {
        if failure.note(error) { registrar.withMutation(of: self, keyPath: \.error) {} }
    }

    /// Makes the sections what the query gives now, and tells who looks.
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
        for reader in readers.all { reader.note(difference, from: former, changed) }
    }

    /// - Parameter keys: the sections of all objects, where these were fetched again.
    private func difference(
        _ edit: LiveEdit, _ keys: [StoredValue], from former: SectionedPlaces
    ) -> SectionDifference {
        switch edit {
        case .refetched(let changed):
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
    /// The sections now, all of them inserted, and then after each edit and commit after which they are others, stand
    /// elsewhere, or objects of them are others, stand elsewhere or have other values. A slow reader gets what has come
    /// of all that happened meanwhile. It ends with the context.
    public var changes: LiveSectionChanges<M, Value> { LiveSectionChanges(source: self) }

    func add(_ reader: LiveReader<SectionedPlaces>) {
        if isEnded { reader.end() } else { readers.add(reader) }
    }
}
