public import Foundation

/// What an import gives back: the body's own objects, live in the context, and the report.
public struct Imported<M: Model> {
    /// In the body's order, rejected elements left out.
    public let objects: [M]
    /// What the import did, nested objects included.
    public let report: ImportReport

    package init(objects: [M], report: ImportReport) {
        self.objects = objects
        self.report = report
    }
}

extension ObjectContext {
    /// Imports JSON: an object of the model, or an array of them, with all that is nested in them.
    ///
    /// The bytes are read, written in one transaction and committed off this actor; the change is merged into every
    /// context before this returns. Objects with unsaved edits keep the edited properties.
    ///
    /// ```swift
    /// let issues = try await store.main.import(Issue.self, from: body).objects
    /// ```
    ///
    /// - Parameters:
    ///   - type: the model of the body's own objects.
    ///   - body: JSON in UTF-8.
    ///   - keyPath: the keys that lead to the object or list, with dots between, where the body is an envelope.
    ///   - isAllOrNothing: whether one rejected element refuses all of them.
    ///   - depth: how many relationships away from the body's own objects others are imported: 0 imports those alone. An
    ///     object that is deeper is not read but linked by its identity, at once or when it arrives; embedded objects are
    ///     part of their owner. `nil` imports all, up to 100 objects and lists inside each other.
    /// - Throws: ``StoreError/json(_:)`` for bytes that are not JSON, ``StoreError/rejected(_:)``, or what the file says;
    ///   nothing was written then.
    /// - Complexity: linear in the body; 39 MB of issues take about a fifth of a second.
    @discardableResult
    public nonisolated(nonsending) func `import`<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: String? = nil,
        isAllOrNothing: Bool = false, depth: Int? = nil
    ) async throws(StoreError) -> Imported<M> {
        let file = try openFile()
        let table = try importedTable(of: type)
        var request = ImportRequest(table, depth: depth)
        request.keyPath = keyPath.map { $0.split(separator: ".").map(String.init) } ?? []
        request.isAllOrNothing = isAllOrNothing
        let outcome = try await file.importBody(body, request)
        return Imported(objects: objects(type, table.index, outcome.roots), report: outcome.report)
    }

    /// The same without making live objects of the body's: for bodies that nobody looks at at once.
    @discardableResult
    public nonisolated(nonsending) func importReporting<M: Model>(
        _ type: M.Type, from body: some ContiguousBytes & Sendable, at keyPath: String? = nil,
        isAllOrNothing: Bool = false, depth: Int? = nil
    ) async throws(StoreError) -> ImportReport {
        let file = try openFile()
        var request = ImportRequest(try importedTable(of: type), depth: depth)
        request.keyPath = keyPath.map { $0.split(separator: ".").map(String.init) } ?? []
        request.isAllOrNothing = isAllOrNothing
        return try await file.importBody(body, request).report
    }

    /// A model whose objects a body can be.
    private func importedTable<M: Model>(of type: M.Type) throws(StoreError) -> ModelSchema {
        let table = try table(of: type)
        guard !table.isEmbedded else { throw .embeddedObject(model: table.modelName) }
        return table
    }

    /// The compiled model.
    package func table<M: Model>(of type: M.Type) throws(StoreError) -> ModelSchema {
        guard let table = schema.table(for: type) else {
            throw .models(["\(type) is not among the models that the store was opened with"])
        }
        return table
    }

    /// The live objects of rows, in the keys' order; those that are gone, or deleted here, are left out.
    package func objects<M: Model>(_ type: M.Type, _ table: Int, _ ids: [Int64]) -> [M] {
        ids.compactMap { object(type, table, $0) }.filter { !$0.isDeleted }
    }
}
