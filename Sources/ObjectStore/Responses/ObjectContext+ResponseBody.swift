public import Foundation

/// A response type with what its import did.
public struct ImportedBody<Body: ResponseBody> {
    public let body: Body
    public let report: ImportReport

    package init(body: Body, report: ImportReport) {
        self.body = body
        self.report = report
    }
}

extension ObjectContext {
    /// Reads a response type from JSON, importing the models in it.
    ///
    /// All models of the body are written in one transaction, off this actor, and the change is merged into every context
    /// before this returns. A part that the body has nothing for is nil, empty or its default; a value that is not of its
    /// part's type likewise, and is reported.
    ///
    /// ```swift
    /// let page = try await store.main.import(IssuePage.self, from: body).body
    /// ```
    ///
    /// - Throws: ``StoreError/json(_:)`` for bytes that are not JSON, ``StoreError/models(_:)`` for a declaration that
    ///   contradicts itself or takes a model that the store does not have, ``StoreError/rejected(_:)`` for a body that can
    ///   hold none of the parts (an array where an object is expected) or, all or nothing, for one element, or what the file
    ///   says; nothing was written then.
    @discardableResult
    public nonisolated(nonsending) func `import`<Body: ResponseBody>(
        _ type: Body.Type, from body: some ContiguousBytes & Sendable, isAllOrNothing: Bool = false
    ) async throws(StoreError) -> ImportedBody<Body> {
        let file = try openFile()
        var request = ImportRequest(response: try ResponsePlan(type, schema))
        request.isAllOrNothing = isAllOrNothing
        let outcome = try await file.importBody(body, request)
        guard let read = self.body(type, outcome) else { throw .rejected(outcome.report) }
        return ImportedBody(body: read, report: outcome.report)
    }

    /// The response type that an import read; `nil` where the body can hold none of its parts.
    package func body<Body: ResponseBody>(_ type: Body.Type, _ outcome: ImportOutcome) -> Body? {
        outcome.response.map { Body(ResponseValues(record: $0, context: self)) }
    }

    /// A response type in which every part is missing: what a reply without a body says.
    package func emptyBody<Body: ResponseBody>(_ type: Body.Type) -> Body {
        Body(ResponseValues(record: ResponseRecord(), context: self))
    }
}
