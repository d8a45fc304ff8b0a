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
    /// Whether the first body of a creation is kept, which is repeated.
    let keepsBody: Bool

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

// MARK: What the requests would be

/// Reads entries, with the requests that they would be.
actor OutboxReading {
    private let file: StoreFile
    private let engine: OutboxEngine
    private lazy var own = file.context(on: self)

    init(_ file: StoreFile, _ engine: OutboxEngine) { (self.file, self.engine) = (file, engine) }

    func entries(after id: Int64 = 0, limit: Int = .max) throws(StoreError) -> [OutboxEntry] {
        own.context.mergeWaitingChanges()
        return try own.context.queuedWrites(after: id, limit: limit).map(entry)
    }

    private func entry(_ write: QueuedWrite) -> OutboxEntry {
        let context = own.context
        let model = context.schema[write.subject.record.table]
        let list = write.subject.membership.map { model[$0.property] }
        let object = subjectObject(of: write)
        let row = write.rows.map { DeletedRow($0, in: write.subject.record.table, context) }
        var made: (request: String?, body: String?, problem: String?) = (nil, nil, nil)
        if let client = try? context.client(of: object?._object.model ?? model) {
            do throws(APIError) {
                let (method, url, body) = try request(write, about: object, deleted: row, by: client)
                made.request = "\(RequestSummary(method: method, url: client.api.requestURL(url)))"
                made.body = body.map { String(decoding: $0, as: UTF8.self) }
            } catch {
                made.problem = error.description
            }
        }
        let isCreation = object.map { !$0.isKnownToServer } ?? false
        let action: OutboxEntry.Action =
            switch write.action {
            case .save: isCreation ? .create : .update
            case .delete: .delete
            case .add: .add(list?.name ?? "")
            case .remove: .remove(list?.name ?? "")
            }
        let state: OutboxEntry.State =
            if let text = write.rejection {
                .rejected(Rejection(text: text))
            } else if engine.isSending(write.subject) {
                .sending
            } else {
                made.problem.map { .blocked($0) } ?? .waiting
            }
        return OutboxEntry(
            id: write.number, action: action,
            model: object?._object.model.modelName ?? row?.model.modelName ?? model.modelName,
            object: object?._object.displayName ?? row?.name ?? model.modelName, since: write.date, state: state,
            account: write.account.isEmpty ? nil : write.account, request: made.request, body: made.body,
            subject: write.subject, version: write.version,
            keepsBody: SentBody(text: write.sent)?.body != nil)
    }

    /// The object that the request is about: of a list, the member.
    private func subjectObject(of write: QueuedWrite) -> (any Model)? {
        let context = own.context
        guard let membership = write.subject.membership else { return context.object(for: write.subject.record) }
        let target = context.schema[write.subject.record.table][membership.property].target
        return target.flatMap { context.object(for: RecordID(table: $0, row: membership.member)) }
    }

    private func request(
        _ write: QueuedWrite, about object: (any Model)?, deleted row: DeletedRow?, by client: APIClient
    ) throws(APIError) -> (method: String, url: RequestURL, body: [UInt8]?) {
        if let row { return ("DELETE", try row.url(by: client), nil) }
        guard let object else {
            throw .store(.deletedObject(model: client.schema[write.subject.record.table].modelName))
        }
        if let membership = write.subject.membership, let owner = own.context.object(for: write.subject.record) {
            let list = owner._object.model[membership.property]
            return try owner.request(to: write.action, of: list, object, by: client)
        }
        let isCreation = !object.isKnownToServer
        if let need = own.context.needs(of: object, isCreation: isCreation).first(where: { !$0.canWait || !isCreation })
        {
            let target = own.context.object(for: need.record)?._object.model.modelName ?? "object"
            throw .unidentified(
                model: object._object.model.modelName, property: object._object.model[need.link].name, target: target)
        }
        return try object.request(isCreation: isCreation, by: client)
    }
}

extension DeletedRow {
    /// The object in words.
    var name: String { rows.key.map { "\(model.modelName) \($0)" } ?? model.modelName }

    func url(by client: APIClient) throws(APIError) -> RequestURL {
        if let declared = try client.declaredURL(of: self, to: .delete) { return declared }
        return try client.url(of: self)
    }
}

extension Model {
    fileprivate func request(
        isCreation: Bool, by client: APIClient
    ) throws(APIError) -> (method: String, url: RequestURL, body: [UInt8]?) {
        let url = try requestURL(to: isCreation ? .create : .update, by: client)
        let method = client.saveMethod(of: _object.model)
        let name =
            isCreation
            ? (client.createMethod(of: _object.model) == .post ? "POST" : "PUT") : HTTPRequest.Method(method).rawValue
        guard let context = _object.context else { throw .store(.endedContext) }
        let purpose = isCreation ? .create : Outgoing.Purpose(saving: method)
        let outgoing = try Outgoing(self, to: purpose, at: client, in: context, after: [])
        return (name, url.naming(outgoing?.body), outgoing?.body.json)
    }

    fileprivate func request<D: Model>(
        to action: QueuedWrite.Action, of list: Property, _ member: D, by client: APIClient
    ) throws(APIError) -> (method: String, url: RequestURL, body: [UInt8]?) {
        guard let context = _object.context else { throw .store(.endedContext) }
        let relationship: Relationship<Self, [D]> = relationship(list)
        let state = member._object
        guard action == .add else {
            let (url, _, body) = try relationship.removalRequest(of: state, by: client)
            return ("DELETE", url, body)
        }
        if member.isKnownToServer {
            let (method, url, hasBody) = try relationship.membershipRequest(of: state, by: client)
            return (method.rawValue, url, hasBody ? try relationship.body(naming: state, in: client.schema) : nil)
        }
        let url = try relationship.route(client, to: .add).url
        return ("POST", url, try Outgoing(member, to: .create, at: client, in: context, after: [])?.body.json)
    }
}
