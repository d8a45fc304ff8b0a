public import Foundation

/// What an import gives back: the body's own objects, live in the context, and the report.
public struct Imported<M: Model> {
    /// In the body's order, rejected elements left out.
    public let objects: [M]
    /// What the import did, nested objects included.
    public let report: ImportReport
    /// Where the objects came from; `nil` for a body that the server did not send.
    public let source: AnswerSource?
    /// When the server has said so, by the local clock: of several pages, when the oldest was. `nil` likewise.
    public let fetchedAt: Date?
    /// What became of what a fetched list left out; `nil` where nothing was to become of it.
    public package(set) var pruned: PruneReport?

    package init(objects: [M], report: ImportReport, source: AnswerSource? = nil, fetchedAt: Date? = nil) {
        self.objects = objects
        self.report = report
        self.source = source
        self.fetchedAt = fetchedAt
    }
}

/// What an answer was made of.
public enum AnswerSource: Sendable, Hashable, Comparable {
    /// The server has sent it.
    case network
    /// The server has said that what is in the store is as it was (304).
    case validated
    /// The store alone: the server was not asked, or has not answered.
    case store
}

extension ObjectContext {
    /// The answers to a question that are stored, whoever has asked it, without their rows. Which of them is the
    /// caller's is known once the request goes out, and that one alone need be checked then.
    ///
    /// An answer that was checked later than now, as the clock has been set back since, counts as checked now, and ages
    /// from then on.
    ///
    /// - Parameter now: seconds since 1970 by the local clock.
    package func answers(to question: String, now: Double) throws(StoreError) -> [UncheckedAnswer] {
        let file = try openFile()
        return try reading { reader in
            let answers = try reader.answers(to: question)
            if !answers.isEmpty { try file.noteChanges(by: reader) }
            return answers.map { file.newest($0, now: now) }
        }
    }

    /// The URLs, without what may be secret, of all stored answers about objects of a table, the newest first.
    ///
    /// - Complexity: linear in all answers that are stored.
    package func answeredURLs(of table: TableID) throws(StoreError) -> [String] {
        _ = try openFile()
        return try reading { reader in try reader.answeredURLs(of: table) }
    }

    /// When an answer was last checked that has said what a row is: seconds since 1970.
    package func lastAnswer(about record: RecordID) throws(StoreError) -> Double? {
        let file = try openFile()
        return try reading { reader in
            try reader.answers(about: record).map { file.checkedAt($0.id, written: $0.checkedAt) }.max()
        }
    }

    /// How far a list has been listed; `nil` where nothing of it has.
    package func listing(_ key: Listing.Key) throws(StoreError) -> Listing? {
        let file = try openFile()
        if let noted = file.listing(key) { return noted }
        return try reading { reader in try reader.listing(key) }
    }

    /// All lists of which something has been listed.
    package func listings() throws(StoreError) -> [Listing] {
        let file = try openFile()
        let noted = file.listings
        let stored = try reading { reader in try reader.listings() }
        let known = Set(stored.map(\.key))
        return stored.map { listing in file.listing(listing.key) ?? listing } + noted.filter { !known.contains($0.key) }
    }

    /// A stored answer with its rows, as it is by now; `nil` when it is gone.
    package func answer(_ kept: KeptAnswer) throws(StoreError) -> KeptAnswer? {
        let file = try openFile()
        return try reading { reader in
            guard let stored = try reader.answer(kept.id), let rows = try reader.answeredRows(kept.id) else {
                return nil
            }
            try file.noteChanges(by: reader)
            var found = KeptAnswer(file.newest(stored), isIntact: file.isIntact(stored))
            found.rows = rows
            return found
        }
    }
}

/// A response type with what its import did.
public struct ImportedBody<Body: ResponseBody> {
    /// The response type, with the models that were imported into it.
    public let body: Body
    /// What the import did, nested objects included.
    public let report: ImportReport

    package init(body: Body, report: ImportReport) {
        self.body = body
        self.report = report
    }
}

// MARK: - Models

extension ObjectContext {
    /// Imports JSON: an object of the model, or an array of them, with all that is nested in them.
    ///
    /// The bytes are read, written in one transaction and committed off this actor; the change is merged into this
    /// context before this returns, and into others as soon as their actors are free. Objects with unsaved edits keep
    /// the edited properties.
    ///
    /// ```swift
    /// let issues = try await store.main.import(Issue.self, from: body).objects
    /// ```
    ///
    /// - Parameters:
    ///   - type: the model of the body's own objects.
    ///   - body: JSON in UTF-8.
    ///   - keyPath: the keys that lead to the object or list, where the body is an envelope.
    ///   - isAllOrNothing: whether one rejected element refuses all of them.
    ///   - depth: how many relationships away from the body's own objects others are imported: 0 imports those alone.
    ///     An object that is deeper is not read but linked by its identity, at once or when it arrives; embedded
    ///     objects are part of their owner. `nil` imports all, up to 100 objects and lists inside each other.
    /// - Throws: ``StoreError/json(_:)`` for bytes that are not JSON, ``StoreError/rejected(_:)``, or what the file
    ///   says; nothing was written then. ``StoreError/endedContext`` also when the context ends before this returns:
    ///   what was read is in the file then.
    /// - Complexity: linear in the body; 39 MB of issues take about a fifth of a second.
    @discardableResult
    public nonisolated(nonsending) func `import`<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: JSONKeyPath? = nil,
        isAllOrNothing: Bool = false, depth: Int? = nil
    ) async throws(StoreError) -> Imported<M> {
        var request = ImportRequest(try importedModel(type), at: keyPath, depth: depth)
        request.isAllOrNothing = isAllOrNothing
        let outcome = try await importBody(body, request)
        return Imported(objects: objects(type, of: outcome.roots), report: outcome.report)
    }

    /// The same without making live objects of the body's: for bodies that nobody looks at at once.
    @discardableResult
    public nonisolated(nonsending) func importReporting<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: JSONKeyPath? = nil,
        isAllOrNothing: Bool = false, depth: Int? = nil
    ) async throws(StoreError) -> ImportReport {
        var request = ImportRequest(try importedModel(type), at: keyPath, depth: depth)
        request.isAllOrNothing = isAllOrNothing
        return try await importBody(body, request).report
    }

    /// A model whose objects a body can be, in a context that hasn't ended.
    func importedModel<M: Model>(_ type: M.Type) throws(StoreError) -> ModelSchema {
        _ = try openFile()
        let model = try model(of: type)
        guard !model.isEmbedded else { throw .embeddedObject(model: model.modelName) }
        return model
    }
}

// MARK: - Response types

extension ObjectContext {
    /// Reads a response type from JSON, importing the models in it.
    ///
    /// All models of the body are written in one transaction, off this actor, and the change is merged into this
    /// context before this returns, and into others as soon as their actors are free. A part that the body has nothing
    /// for is nil, empty or its default; a value that is not of its part's type likewise, and is reported.
    ///
    /// ```swift
    /// let page = try await store.main.import(IssuePage.self, from: body).body
    /// ```
    ///
    /// - Throws: ``StoreError/json(_:)`` for bytes that are not JSON, ``StoreError/models(_:)`` for a declaration that
    ///   contradicts itself or takes a model that the store does not have, ``StoreError/rejected(_:)`` for a body that
    ///   can hold none of the parts (an array where an object is expected) or, all or nothing, for one element, or what
    ///   the file says; nothing was written then.
    @discardableResult
    public nonisolated(nonsending) func `import`<Body: ResponseBody>(
        _ type: Body.Type, from body: some ContiguousBytes & Sendable, isAllOrNothing: Bool = false
    ) async throws(StoreError) -> ImportedBody<Body> {
        _ = try openFile()
        var request = ImportRequest(response: try ResponsePlan(type, schema))
        request.isAllOrNothing = isAllOrNothing
        let outcome = try await importBody(body, request)
        guard let read = self.body(type, outcome) else { throw .rejected(outcome.report) }
        return ImportedBody(body: read, report: outcome.report)
    }

    /// The response type that an import read; `nil` when the body can hold none of its parts.
    package func body<Body: ResponseBody>(_ type: Body.Type, _ outcome: ImportOutcome) -> Body? {
        outcome.response.map { Body(ResponseValues(record: $0, context: self)) }
    }

    /// A response type in which every part is missing: what a reply without a body says.
    package func emptyBody<Body: ResponseBody>(_ type: Body.Type) -> Body {
        Body(ResponseValues(record: ResponseRecord(), context: self))
    }
}
