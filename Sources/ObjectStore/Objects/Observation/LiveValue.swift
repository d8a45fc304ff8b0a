public import Observation

extension ObjectQuery {
    /// Returns the number of objects, kept up to date as ``live()`` is.
    ///
    /// - Throws: ``StoreError`` as ``count()``.
    public func liveCount() throws(StoreError) -> LiveValue<M, Int> { try live { try $0.count() } }

    /// Returns a result of the query, kept up to date. `value` runs again after each edit, merge or rollback that
    /// touches a table which it reads: `$0.grouped { $0.user.login }` also reads users.
    ///
    /// ```swift
    /// let newest = try context.query(Issue.self).order(by: { $0.number }, .descending).live { try $0.first() }
    /// ```
    ///
    /// - Throws: ``StoreError``, which describes any other error of `value`.
    public func live<Value: Equatable>(
        _ value: @escaping (ObjectQuery<M>) throws -> Value
    ) throws(StoreError) -> LiveValue<M, Value> {
        try LiveValue(self, value)
    }
}

/// The current result of a query, observable and as an asynchronous sequence.
///
/// You observe it as ``LiveResults``. It lives on its context's actor until you release it.
public final class LiveValue<M: Model, Value: Equatable>: Observable {
    private let query: ObjectQuery<M>
    private let ask: (ObjectQuery<M>) throws -> Value
    /// The tables that the query and `ask` read.
    private(set) var tables: Set<TableID>
    private let registrar = ObservationRegistrar()
    private(set) var known: Value
    private var isStale = false
    private var isTracked = false
    private var isEnded = false
    private var failure = LiveFailure()
    /// Whether an observer may have read the error since it last appeared or disappeared.
    private var isErrorTracked = false
    private var readers = LiveReaders<LiveSignal>()
    /// The error of the last update, if it failed. The value is then that from before it, and the next change tries
    /// again. Observable.
    public var error: StoreError? {
        registrar.access(self, keyPath: \.error)
        if !isErrorTracked { isErrorTracked = isReadTracked() }
        return failure.error
    }

    init(_ query: ObjectQuery<M>, _ ask: @escaping (ObjectQuery<M>) throws -> Value) throws(StoreError) {
        (self.query, self.ask) = (query, ask)
        var read = query.tables(of: try query.context.model(of: M.self))
        do {
            known = try query.context.notingQueriedTables(of: &read) { try ask(query) }
        } catch {
            throw StoreError(wrapping: error, path: query.context.path)
        }
        tables = read
        query.context.follow(self)
    }

    deinit { readers.end() }

    /// The current value.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        query.context.bringUpToDate()
        update()
        // Last, because an update that notifies observers resets it.
        if !isTracked { isTracked = isReadTracked() }
        return known
    }

    private func note(_ error: StoreError?) {
        guard failure.note(error) else { return }
        isErrorTracked = false
        registrar.withMutation(of: self, keyPath: \.error) {}
        // Readers that wait throw the error.
        if error != nil { for reader in readers.all { reader.wake() } }
    }

    private func update() {
        guard isStale, !isEnded else { return }
        isStale = false
        do {
            var read: Set<TableID> = []
            // The function may read more tables than before.
            defer { followMore(read) }
            let value = try query.context.notingQueriedTables(of: &read) { try ask(query) }
            note(nil)
            guard value != known else { return }
            known = value
        } catch {
            note(StoreError(wrapping: error, path: query.context.path))
            isStale = true
            return
        }
        isTracked = false
        registrar.withMutation(of: self, keyPath: \.value) {}
        for reader in readers.all { reader.wake() }
    }
}

extension LiveValue: QueryFollower {
    private func followMore(_ read: Set<TableID>) {
        let new = read.subtracting(tables)
        guard !new.isEmpty else { return }
        tables.formUnion(new)
        query.context.watchReading(of: new)
    }

    func follow(_ tableChanges: TableChanges) {
        isStale = true
        if isTracked || isErrorTracked || !readers.isEmpty { update() }
    }

    func end() {
        isEnded = true
        readers.end()
    }
}

// MARK: - As a sequence

extension LiveValue {
    /// The current value, and each new one, as an asynchronous sequence, which ends with the context. A slow reader
    /// gets the newest value only.
    public var changes: LiveValues<M, Value> { LiveValues(source: self) }

    fileprivate func add(_ reader: LiveSignal) {
        if isEnded { reader.end() } else { readers.add(reader) }
    }
}

/// The values of a live value; see ``LiveValue/changes``.
public struct LiveValues<M: Model, Value: Equatable>: AsyncSequence {
    fileprivate let source: LiveValue<M, Value>

    /// Makes an iterator that receives values from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// The iterator of the values, on the context's actor.
    public final class Iterator: AsyncIteratorProtocol {
        private let source: LiveValue<M, Value>
        private let reader = LiveSignal()
        private var last: Value?

        fileprivate init(_ source: LiveValue<M, Value>) {
            self.source = source
            source.add(reader)
        }

        /// Waits for the next different value. The first call returns the current value at once.
        ///
        /// - Returns: nil if the context has ended or the task is cancelled.
        /// - Throws: ``StoreError`` if the file can't be read.
        public nonisolated(nonsending) func next() async throws(StoreError) -> Value? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next different value; see ``next()``.
        public func next(isolation actor: isolated (any Actor)?) async throws(StoreError) -> Value? {
            while await reader.wait(isolation: actor) {
                let value = source.value
                if let error = source.error { throw error }
                guard value != last else { continue }
                last = value
                return value
            }
            return nil
        }
    }
}
