public import ObjectStore
import RESTTransport

/// A rule of ``ObjectContext/follow(_:_:onFailure:)`` that imports or deletes the objects in events of some types.
///
/// ```swift
/// try await context.follow(
///     api.stream("/events"),
///     .imports(Issue.self, on: "opened", "changed", at: "issue", ifNewer: \.updatedAt),
///     .deletes(Issue.self, on: "deleted", at: "issue", ifNewer: \.updatedAt))
/// ```
public struct EventImport {
    /// The types of the events; empty for all types that no other import names.
    let types: [String]
    /// Imports an event, on the context's actor.
    let take: nonisolated(nonsending) (ObjectContext, ServerEvent) async throws(StoreError) -> ImportReport

    /// Imports the objects in events, as ``ObjectContext/import(_:from:at:ifNewer:areDeleted:)`` does.
    ///
    /// - Parameters:
    ///   - model: The model of the events' top-level objects.
    ///   - types: The types of the events; if empty, all types that no other import names.
    ///   - keyPath: The key path of the object or list in an event's JSON.
    ///   - version: The attribute that grows with every change.
    public static func imports<M: Model>(
        _ model: M.Type, on types: String..., at keyPath: JSONKeyPath? = nil,
        ifNewer version: KeyPath<M.Properties, some PropertyToken>
    ) -> EventImport {
        EventImport(types: types) { (context, event) async throws(StoreError) in
            try await context.import(model, from: event, at: keyPath, ifNewer: version).report
        }
    }

    /// Deletes the objects in events, unless the stored object is newer. See ``imports(_:on:at:ifNewer:)``.
    public static func deletes<M: Model>(
        _ model: M.Type, on types: String..., at keyPath: JSONKeyPath? = nil,
        ifNewer version: KeyPath<M.Properties, some PropertyToken>
    ) -> EventImport {
        EventImport(types: types) { (context, event) async throws(StoreError) in
            try await context.import(model, from: event, at: keyPath, ifNewer: version, areDeleted: true).report
        }
    }
}

extension ObjectContext {
    /// Imports the events of a stream in order, each in its own transaction, until the stream ends or the store is
    /// closed.
    ///
    /// ```swift
    /// try await context.follow(api.stream("/events"), .imports(Issue.self, ifNewer: \.updatedAt))
    /// ```
    ///
    /// Events may arrive twice and in any order (``ObjectContext/import(_:from:at:ifNewer:areDeleted:)``), and pending
    /// edits stay. An event of an unknown type is skipped, and logged at level `debug`.
    ///
    /// An event that isn't JSON, or lacks the expected object, doesn't end the stream. Omissions are reported as those
    /// of a reply (``API/reports``); with strict reports, such an event has failed.
    ///
    /// - Parameters:
    ///   - stream: The events.
    ///   - imports: The rules for types of events. The first one that names an event's type takes it.
    ///   - onFailure: Called with each failed event and its error. Its own errors end the stream and are thrown. Nil
    ///     logs a warning, without values.
    /// - Throws: ``APIError``: the error that ends the stream (``EventStream``), or ``APIError/store(_:)`` if the store
    ///   was closed, the disk is full, or the task was cancelled. The server then sends the event again after
    ///   ``EventStream/lastEventID``.
    public nonisolated(nonsending) func follow(
        _ stream: EventStream, _ imports: EventImport...,
        onFailure: ((ServerEvent, APIError) throws(APIError) -> Void)? = nil
    ) async throws(APIError) {
        let source = try stream.source.get()
        let file: StoreFile
        do throws(StoreError) { file = try openFile() } catch { throw .store(error) }
        var events = stream.makeIterator(whileOpen: file)
        while let event = try await events.next() {
            let taker = imports.first { $0.types.contains(event.type) } ?? imports.first { $0.types.isEmpty }
            guard let taker else {
                source.note("\(source.summary): no import takes the event \(event)")
                continue
            }
            do throws(APIError) {
                try await take(event, by: taker, from: source)
            } catch {
                guard error.isOfPayload else { throw error }
                if let onFailure {
                    try onFailure(event, error)
                } else {
                    source.warn("\(source.summary): the event \(event) could not be imported: \(error)")
                }
            }
        }
    }

    private nonisolated(nonsending) func take(
        _ event: ServerEvent, by taker: EventImport, from source: EventSource
    ) async throws(APIError) {
        let report: ImportReport
        do throws(StoreError) { report = try await taker.take(self, event) } catch { throw .store(error) }
        try source.client.reportConfirmed(report, of: source.summary)
    }
}

extension APIError {
    /// Whether only this event's payload is invalid, so that later events can be imported.
    fileprivate var isOfPayload: Bool {
        switch self {
        case .leftOut, .store(.json), .store(.rejected): true
        default: false
        }
    }
}
