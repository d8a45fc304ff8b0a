public import Observation

extension ObjectQuery {
    /// How many objects there are, kept up to date as ``live()`` is.
    ///
    /// - Throws: ``StoreError`` as ``count()``.
    public func liveCount() throws(StoreError) -> LiveValue<M, Int> { try live { try $0.count() } }

    /// What is asked of the query, kept up to date: asked again after each edit, merge or rollback that touches what
    /// the query reads, or another one that `value` asks of the context: `$0.grouped { $0.user.login }` reads users,
    /// too.
    ///
    /// ```swift
    /// let newest = try context.query(Issue.self).order(by: { $0.number }, .descending).live { try $0.first() }
    /// ```
    ///
    /// - Throws: ``StoreError``; what else `value` throws is described in one.
    public func live<Value: Equatable>(
        _ value: @escaping (ObjectQuery<M>) throws -> Value
    ) throws(StoreError) -> LiveValue<M, Value> {
        try LiveValue(self, value)
    }
}

/// A value that is asked of a query, as it is now: observable, and a sequence of its values.
///
/// Who reads it within `withObservationTracking` is woken once by each edit, merge or rollback after which it is
/// another. It lives where its context does, and follows it until it is let go of.
public final class LiveValue<M: Model, Value: Equatable>: Observable {
    private let query: ObjectQuery<M>
    private let ask: (ObjectQuery<M>) throws -> Value
    /// Those that the query reads, and those that what is asked of it does.
    private(set) var tables: Set<TableID>
    private let registrar = ObservationRegistrar()
    private(set) var known: Value
    private var isStale = false
    private var isTracked = false
    private var isEnded = false
    private var failure = LiveFailure()
    private var readers = LiveReaders<LiveSignal>()
    /// Why the value is not what it should be: the file could not be read when something had changed. It is tried again
    /// with the next change. Who tracks it is woken when there is one, and when there is none any longer.
    public var error: StoreError? {
        registrar.access(self, keyPath: \.error)
        return failure.error
    }

    init(_ query: ObjectQuery<M>, _ ask: @escaping (ObjectQuery<M>) throws -> Value) throws(StoreError) {
        (self.query, self.ask) = (query, ask)
        var read = query.tables(of: try query.context.model(of: M.self))
        do {
            known = try query.context.notingQuestions(of: &read) { try ask(query) }
        } catch {
            throw StoreError(wrapping: error, path: query.context.path)
        }
        tables = read
        query.context.follow(self)
    }

    deinit { readers.end() }

    /// The value now.
    public var value: Value {
        registrar.access(self, keyPath: \.value)
        if !isTracked { isTracked = isReadTracked() }
        query.context.bringUpToDate()
        update()
        return known
    }

    private func note(_ error: StoreError?) {
        if failure.note(error) { registrar.withMutation(of: self, keyPath: \.error) {} }
    }

    private func update() {
        guard isStale, !isEnded else { return }
        isStale = false
        do {
            var read: Set<TableID> = []
            // What it may ask now, it may not have asked before.
            defer { followMore(read) }
            let value = try query.context.notingQuestions(of: &read) { try ask(query) }
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

    func follow(_ news: TableNews) {
        isStale = true
        if isTracked || !readers.isEmpty { update() }
    }

    func end() {
        isEnded = true
        readers.end()
    }
}

// MARK: - As a sequence

extension LiveValue {
    /// The value now, and each time that it is another. A slow reader gets the newest only. It ends with the context.
    public var changes: LiveValues<M, Value> { LiveValues(source: self) }

    fileprivate func add(_ reader: LiveSignal) {
        if isEnded { reader.end() } else { readers.add(reader) }
    }
}

/// See ``LiveValue/changes``.
public struct LiveValues<M: Model, Value: Equatable>: AsyncSequence {
    fileprivate let source: LiveValue<M, Value>

    /// An iterator that listens from now on.
    public func makeAsyncIterator() -> Iterator { Iterator(source) }

    /// It lives where its context does.
    public final class Iterator: AsyncIteratorProtocol {
        private let source: LiveValue<M, Value>
        private let reader = LiveSignal()
        private var last: Value?

        fileprivate init(_ source: LiveValue<M, Value>) {
            self.source = source
            source.add(reader)
        }

        /// The next value that is another; the present one at once the first time. `nil` when the context has ended, or
        /// the task is cancelled.
        ///
        /// - Throws: ``StoreError`` when the file can't be read.
        public nonisolated(nonsending) func next() async throws(StoreError) -> Value? {
            try await next(isolation: #isolation)
        }

        /// The same, on the given actor.
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
