public import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// A change that waits in the outbox, with the request as of when you read it.
public struct OutboxEntry: Sendable, Hashable, Identifiable {
    /// The effect of an entry.
    public enum Action: Sendable, Hashable {
        /// Creates the object.
        case create
        /// Sends the object's edits.
        case update
        /// Deletes the object, which is already deleted locally.
        case delete
        /// Makes an object a member of the list with this name.
        case add(String)
        /// Removes an object from the list with this name.
        case remove(String)
    }

    /// The progress of an entry.
    public enum State: Sendable, Hashable {
        /// It is sent as soon as possible.
        case waiting
        /// It waits for another object, which the text names.
        case blocked(String)
        /// Its request is in flight.
        case sending
        /// It waits for your decision.
        case rejected(Rejection)
    }

    /// The entry's number, greater for later entries.
    public let id: Int64
    /// The effect of the entry.
    public let action: Action
    /// The name of the object's model.
    public let model: String
    /// The object's display name: `Issue 7 "Found a bug"`.
    public let object: String
    /// The time at which the change was queued.
    public let since: Date
    /// The progress of the entry.
    public let state: State
    /// The account that made the change, if any.
    ///
    /// The entry is sent only while this account (``AuthenticationProvider/account``) is signed in.
    public let account: String?
    /// The request, with secrets replaced; nil while making it fails.
    public let request: String?
    /// The body as JSON, if any. It may contain secrets.
    public let body: String?

    /// The path of the store's file, in which the subject's rows are valid.
    let path: String
    let subject: QueuedSubject
    let version: QueuedWrite.Version
    /// The request of a creation with an unknown outcome, as it was first sent.
    let sent: SentBody?

    /// The reason for the rejection; nil for other entries.
    public var rejection: Rejection? { if case .rejected(let rejection) = state { rejection } else { nil } }

    /// Returns the entry's object; for a change of a list, the member.
    ///
    /// ```swift
    /// if let issue = entry.object(in: store.main) as? Issue { selection = issue }
    /// ```
    ///
    /// - Returns: nil if the object is deleted, or the context belongs to another store or has ended.
    /// - Complexity: a lookup. For an object outside the context, one row is read.
    public func object(in context: ObjectContext) -> (any Model)? {
        guard context.file.path == path, let object = subject.object(in: context) else { return nil }
        return object._object.isDeleted ? nil : object
    }
}

extension QueuedSubject {
    /// The sent record; for a change of a list, the member's.
    func sentRecord(in schema: Schema) -> RecordID {
        let target = membership.flatMap { schema[record.table][$0.property].target }
        guard let membership, let target else { return record }
        return RecordID(table: target, row: membership.member)
    }

    /// The object of ``sentRecord(in:)``.
    func object(in context: ObjectContext) -> (any Model)? { context.object(for: sentRecord(in: context.schema)) }
}

extension OutboxEntry: CustomStringConvertible, CustomReflectable {
    /// The entry in one line: `1 POST https://api.example.com/issues (waiting)`.
    public var description: String { "\(id) \(request ?? "\(action) \(object)") (\(state))" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension OutboxEntry.Action: CustomStringConvertible {
    /// The action in words: `create`, `add to labels`.
    public var description: String {
        switch self {
        case .create: "create"
        case .update: "save"
        case .delete: "delete"
        case .add(let list): "add to \(list)"
        case .remove(let list): "remove from \(list)"
        }
    }
}

extension OutboxEntry.State: CustomStringConvertible {
    /// The state in words, with its reason.
    public var description: String {
        switch self {
        case .waiting: "waiting"
        case .blocked(let reason): "waits: \(reason)"
        case .sending: "sending"
        case .rejected(let rejection): "\(rejection)"
        }
    }
}

/// The result of one run through the outbox.
public struct OutboxReport: Sendable {
    /// The number of entries that the server has accepted.
    public internal(set) var sent = 0
    /// The numbers of the accepted entries (``OutboxEntry/id``), in the replies' order.
    public internal(set) var sentEntries: [Int64] = []
    /// The number of changes that were dropped because the server's version won a conflict (``ConflictPolicy``).
    public internal(set) var takenBack = 0
    /// The number of rejected entries in the outbox, of this run and earlier ones.
    public internal(set) var rejected = 0
    /// The number of other entries, which back off, or wait for an object or account.
    public internal(set) var waiting = 0
    /// The rejections of this run.
    public internal(set) var rejections: [Rejection] = []
    /// The last error after which an entry backs off, if any.
    public internal(set) var problem: APIError?
    /// Whether this run left the entries to another process.
    public internal(set) var isBusy = false
    /// The time of the next attempt, by the outbox's clock.
    var nextAttempt: Duration?
}

extension QueuedWrite {
    var date: Date { Date(timeIntervalSince1970: since) }
}
