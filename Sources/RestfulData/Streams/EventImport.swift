public import ObjectStore
import RESTTransport

/// What ``ObjectContext/follow(_:_:onFailure:)`` does with events of some types.
///
/// ```swift
/// try await context.follow(
///     api.stream("/events"),
///     .imports(Issue.self, on: "opened", "changed", at: "issue", ifNewer: \.updatedAt),
///     .deletes(Issue.self, on: "deleted", at: "issue", ifNewer: \.updatedAt))
/// ```
public struct EventImport {
    /// The types of the events; empty for all that no other import names.
    let types: [String]
    /// Imports an event, on the context's actor.
    let take: nonisolated(nonsending) (ObjectContext, ServerEvent) async throws(StoreError) -> ImportReport

    /// Imports the objects in events, as
    /// ``ObjectContext/import(_:from:at:ifNewer:areDeleted:)`` does.
    ///
    /// - Parameters:
    ///   - model: the model of the events' own objects.
    ///   - types: the types of the events; none for all events that no other import names.
    ///   - keyPath: the keys that lead to the object or list in an event's JSON.
    ///   - version: the attribute that grows with every change.
    public static func imports<M: Model>(
        _ model: M.Type, on types: String..., at keyPath: JSONKeyPath? = nil,
        ifNewer version: KeyPath<M.Properties, some PropertyToken>
    ) -> EventImport {
        EventImport(types: types) { (context, event) async throws(StoreError) in
            try await context.import(model, from: event, at: keyPath, ifNewer: version).report
        }
    }

    /// Deletes the objects in events, unless what is here is newer.
    ///
    /// - Parameters: as those of ``imports(_:on:at:ifNewer:)``.
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
    /// Imports the events of a stream, each in a transaction of its own and in their order, until the stream ends.
    ///
    /// ```swift
    /// try await context.follow(api.stream("/events"), .imports(Issue.self, ifNewer: \.updatedAt))
    /// ```
    ///
    /// Events may come twice and in any order, as with
    /// ``ObjectContext/import(_:from:at:ifNewer:areDeleted:)``, and pending edits stay. An event of a type
    /// that no import takes is passed over, with a line of level `debug` in the log.
    ///
    /// An event that is not JSON, or has no object where one is expected, doesn't end the stream. What is left out of
    /// an event is reported as of a reply (``API/reports``); where the API is strict, such an event has failed.
    ///
    /// - Parameters:
    ///   - stream: the events.
    ///   - imports: what is done with which events. The first one that names an event's type takes it.
    ///   - onFailure: called with each event that failed, and why; what it throws ends the stream and is thrown here.
    ///     Nil writes a warning to the log, without values.
    /// - Throws: ``APIError``: what ends the stream (``EventStream``), and ``APIError/store(_:)`` where the store takes
    ///   no more: it was closed, the disk is full, the task was cancelled. The event that was to be imported isn't
    ///   handled then, and comes again after ``EventStream/lastEventID``.
    public nonisolated(nonsending) func follow(
        _ stream: EventStream, _ imports: EventImport...,
        onFailure: ((ServerEvent, APIError) throws(APIError) -> Void)? = nil
    ) async throws(APIError) {
        let source = try stream.source.get()
        for try await event in stream {
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
        try source.client.tellConfirmed(report, of: source.summary)
    }
}

extension APIError {
    /// Whether it is an event's own fault, so that others may be imported.
    fileprivate var isOfPayload: Bool {
        switch self {
        case .leftOut, .store(.json), .store(.rejected): true
        default: false
        }
    }
}
