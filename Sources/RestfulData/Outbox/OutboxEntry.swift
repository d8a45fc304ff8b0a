public import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

/// A change that waits in the outbox.
///
/// It is a value: its description shows the request as it would be made at the time of reading.
public struct OutboxEntry: Sendable, Hashable, Identifiable {
    /// What the entry does.
    public enum Action: Sendable, Hashable {
        /// It creates the object.
        case create
        /// It sends the object's edits.
        case update
        /// It deletes the object, which is gone here.
        case delete
        /// It makes an object a member of this list.
        case add(String)
        /// It removes an object from this list.
        case remove(String)
    }

    /// Where the entry stands.
    public enum State: Sendable, Hashable {
        /// It is sent as soon as possible.
        case waiting
        /// It waits for another object; the text says for which.
        case blocked(String)
        /// Its request is on its way.
        case sending
        /// It waits for a decision.
        case rejected(Rejection)
    }

    /// Its number. Later entries have greater numbers.
    public let id: Int64
    /// What it does.
    public let action: Action
    /// The name of the object's model.
    public let model: String
    /// The object in words: `Issue 7 "Found a bug"`.
    public let object: String
    /// When the change was queued.
    public let since: Date
    /// Where it stands.
    public let state: State
    /// The account that made the change; nil for none. It is sent only while this account is signed in. Accounts are
    /// told apart by the name that the authentication provider gives them (``AuthenticationProvider/account``).
    public let account: String?
    /// The method and URL of the request, without secrets; nil while it can't be made.
    public let request: String?
    /// The body of the request, as JSON; nil for none. It may have secrets.
    public let body: String?

    let subject: QueuedSubject
    let version: QueuedWrite.Version
    /// A creation whose outcome may be unknown, as it was first sent.
    let sent: SentBody?

    /// Why it waits for a decision; nil if it doesn't.
    public var rejection: Rejection? { if case .rejected(let rejection) = state { rejection } else { nil } }
}

extension OutboxEntry: CustomStringConvertible, CustomReflectable {
    /// The entry in one line, without the body: `1 POST https://api.example.com/issues (waiting)`.
    public var description: String { "\(id) \(request ?? "\(action) \(object)") (\(state))" }

    /// What `dump` shows: the description.
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

/// What one run through the outbox has done.
public struct OutboxReport: Sendable {
    /// How many entries the server has accepted.
    public internal(set) var sent = 0
    /// The numbers of these entries (``OutboxEntry/id``), in the order of the replies.
    public internal(set) var sentEntries: [Int64] = []
    /// How many changes were taken back, as the server's version of the object won (``ConflictPolicy``).
    public internal(set) var takenBack = 0
    /// How many are rejected, by this run or an earlier one.
    public internal(set) var rejected = 0
    /// How many others are left: they are to be tried again, or wait for another object or account.
    public internal(set) var waiting = 0
    /// The rejections of this run.
    public internal(set) var rejections: [Rejection] = []
    /// The last error after which entries wait to be tried again; nil if there was none.
    public internal(set) var problem: APIError?
    /// Whether another process is sending; then this one sent nothing.
    public internal(set) var isBusy = false
    /// When the first of the entries that are tried again may be, by the outbox's clock.
    var nextAttempt: Duration?
}

extension QueuedWrite {
    /// When it was queued.
    var date: Date { Date(timeIntervalSince1970: since) }
}
