public import Foundation

/// The result of an import or a fetch: live objects and a report.
public struct Imported<M: Model> {
    /// The objects in the order of the body, without rejected ones.
    public let objects: [M]
    /// The report of the import, including nested objects.
    public let report: ImportReport
    /// The source of the objects; nil for an import.
    public let source: AnswerSource?
    /// When the server sent or confirmed the objects, for several pages the oldest, by the local clock; nil for an
    /// import.
    public let fetchedAt: Date?
    /// The report about objects that a fetched list omits; nil if the call doesn't prune.
    public package(set) var pruned: PruneReport?

    package init(objects: [M], report: ImportReport, source: AnswerSource? = nil, fetchedAt: Date? = nil) {
        self.objects = objects
        self.report = report
        self.source = source
        self.fetchedAt = fetchedAt
    }
}

/// The source of a fetched result.
public enum AnswerSource: Sendable, Hashable, Comparable {
    /// The server has sent the result.
    case network
    /// The server has confirmed the stored result (304 Not Modified).
    case validated
    /// The store. The request wasn't sent, or failed.
    case store
}

extension ObjectContext {
    /// The stored replies to a question, of all callers, without their rows. A caller recognizes its own reply when
    /// it prepares its request. After the clock was set back, a reply from the future counts as confirmed now.
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

    /// The URLs of replies, the newest first; parts that may be secret are left out.
    ///
    /// - Complexity: linear in the number of stored replies.
    package func answeredURLs(of table: TableID) throws(StoreError) -> [String] {
        _ = try openFile()
        return try reading { reader in try reader.answeredURLs(of: table) }
    }

    /// In seconds since 1970.
    package func lastAnswer(about record: RecordID) throws(StoreError) -> Double? {
        let file = try openFile()
        return try reading { reader in
            try reader.answers(about: record).map { file.checkedAt($0.id, written: $0.checkedAt) }.max()
        }
    }

    /// Nil before the first page was listed.
    package func listing(_ key: Listing.Key) throws(StoreError) -> Listing? {
        let file = try openFile()
        if let noted = file.listing(key) { return noted }
        return try reading { reader in try reader.listing(key) }
    }

    package func listings() throws(StoreError) -> [Listing] {
        let file = try openFile()
        let noted = file.listings
        let stored = try reading { reader in try reader.listings() }
        let known = Set(stored.map(\.key))
        return stored.map { listing in file.listing(listing.key) ?? listing } + noted.filter { !known.contains($0.key) }
    }

    /// Reads a stored reply again, with its rows, if it still exists.
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

/// A response type, and the report of its import.
public struct ImportedBody<Body: ResponseBody> {
    /// The response type with the imported models.
    public let body: Body
    /// The report of the import, including nested objects.
    public let report: ImportReport

    package init(body: Body, report: ImportReport) {
        self.body = body
        self.report = report
    }
}

// MARK: - Models

extension ObjectContext {
    /// Imports an object or an array from JSON, with all nested objects.
    ///
    /// The call writes everything in one transaction, off this actor, and merges it into this context; other contexts
    /// follow as soon as their actors are free. Unsaved edits stay.
    ///
    /// ```swift
    /// let issues = try await store.main.import(Issue.self, from: body).objects
    /// ```
    ///
    /// - Parameters:
    ///   - body: JSON in UTF-8.
    ///   - keyPath: the keys that lead to the object or array in an envelope.
    ///   - isAllOrNothing: whether one rejected element rejects the whole body.
    ///   - depth: the number of relationships to follow; negative numbers count as 0. A deeper object is linked by its
    ///     identity, at once or when it arrives. Embedded objects are imported with their owners. Nil imports
    ///     everything, up to 100 nested objects and arrays.
    /// - Throws: ``StoreError/json(_:)``, ``StoreError/rejected(_:)``, or another ``StoreError`` of the file. Nothing
    ///   was written then. ``StoreError/endedContext`` also if the context ends meanwhile; the file may have the
    ///   objects then.
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

    /// Imports JSON as ``import(_:from:at:isAllOrNothing:depth:)``, but leaves the objects in the file, for later use.
    @discardableResult
    public nonisolated(nonsending) func importReporting<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: JSONKeyPath? = nil,
        isAllOrNothing: Bool = false, depth: Int? = nil
    ) async throws(StoreError) -> ImportReport {
        var request = ImportRequest(try importedModel(type), at: keyPath, depth: depth)
        request.isAllOrNothing = isAllOrNothing
        return try await importBody(body, request).report
    }

    /// Throws if the context has ended or the model is embedded.
    func importedModel<M: Model>(_ type: M.Type) throws(StoreError) -> ModelSchema {
        _ = try openFile()
        let model = try model(of: type)
        guard !model.isEmbedded else { throw .embeddedObject(model: model.modelName) }
        return model
    }
}

// MARK: - Response types

extension ObjectContext {
    /// Imports a response type from JSON, with the models in it.
    ///
    /// The models are imported as by ``import(_:from:at:isAllOrNothing:depth:)``. A part that is missing, or of another
    /// type, which is reported, is nil, empty or its default.
    ///
    /// - Parameters:
    ///   - body: JSON in UTF-8.
    ///   - isAllOrNothing: whether one rejected element rejects the whole body.
    /// - Throws: Nothing was written then.
    ///   - ``StoreError/json(_:)``, or a ``StoreError`` of the file.
    ///   - ``StoreError/models(_:)`` if the response type contradicts itself, or has a model that isn't the store's.
    ///   - ``StoreError/rejected(_:)`` if the body can't hold any of the parts, such as an array instead of an object.
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

    /// Nil: all parts need another kind of body.
    package func body<Body: ResponseBody>(_ type: Body.Type, _ outcome: ImportOutcome) -> Body? {
        outcome.response.map { Body(ResponseValues(record: $0, context: self)) }
    }

    package func emptyBody<Body: ResponseBody>(_ type: Body.Type) -> Body {
        Body(ResponseValues(record: ResponseRecord(), context: self))
    }
}
