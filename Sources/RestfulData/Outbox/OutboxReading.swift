import Dispatch
import HTTPTypes
import ObjectStore
import RESTTransport

// MARK: Entries with their requests

actor OutboxReading {
    private let file: StoreFile
    private let engine: OutboxEngine
    private lazy var own = file.context(on: self)

    init(_ file: StoreFile, _ engine: OutboxEngine) { (self.file, self.engine) = (file, engine) }

    func entries(after id: Int64 = 0, limit: Int = .max) throws(StoreError) -> [OutboxEntry] {
        try EntryReader(context: own.context, engine: engine).entries(after: id, limit: limit)
    }
}

/// Reads entries synchronously. Its own queue prevents deadlocks while the caller is blocked.
actor OutboxPrinter {
    private final class Executor: SerialExecutor {
        let queue = DispatchQueue(label: "RestfulData.printing")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
    }

    private nonisolated let executor = Executor()
    private let file: StoreFile
    private let engine: OutboxEngine
    private lazy var own = file.context(on: self)

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ file: StoreFile, _ engine: OutboxEngine) { (self.file, self.engine) = (file, engine) }

    nonisolated func text(limit: Int) -> String {
        executor.queue.sync {
            assumeIsolated { printer in
                do throws(StoreError) { return try printer.lines(limit: limit).joined(separator: "\n") } catch {
                    return "The outbox can't be read: \(error)"
                }
            }
        }
    }

    private func lines(limit: Int) throws(StoreError) -> [String] {
        let entries = try EntryReader(context: own.context, engine: engine).entries(after: 0, limit: limit)
        let count = try own.context.countsOfQueuedWrites().all
        let title = count == 0 ? "Nothing waits" : count == 1 ? "1 change waits" : "\(count) changes wait"
        let rest = count > entries.count ? ["… and \(count - entries.count) more"] : []
        return [title] + entries.map(\.description) + rest
    }
}

private struct EntryReader {
    let context: ObjectContext
    let engine: OutboxEngine

    func entries(after id: Int64, limit: Int) throws(StoreError) -> [OutboxEntry] {
        context.mergeWaitingChanges()
        return try context.queuedWrites(after: id, limit: limit).map(entry)
    }

    private func entry(_ write: QueuedWrite) -> OutboxEntry {
        let model = context.schema[write.subject.record.table]
        let list = write.subject.membership.map { model[$0.property] }
        let object = write.subject.object(in: context)
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
            path: context.file.path, subject: write.subject, version: write.version,
            sent: SentBody(text: write.sent))
    }

    private func request(
        _ write: QueuedWrite, about object: (any Model)?, deleted row: DeletedRow?, by client: APIClient
    ) throws(APIError) -> (method: String, url: RequestURL, body: [UInt8]?) {
        if let row, row.rows.isUndecided { return try row.settlingRequest(SentBody(text: write.sent), by: client) }
        if let row { return ("DELETE", try row.url(by: client), nil) }
        guard let object else {
            throw .store(.deletedObject(model: client.schema[write.subject.record.table].modelName))
        }
        if let membership = write.subject.membership, let owner = context.object(for: write.subject.record) {
            let list = owner._object.model[membership.property]
            return try owner.request(to: write.action, of: list, object, by: client)
        }
        let isCreation = !object.isKnownToServer
        if let need = context.needs(of: object, isCreation: isCreation).first(where: { !$0.canWait || !isCreation }) {
            let target = context.object(for: need.record)?._object.model.modelName ?? "object"
            throw .unidentified(
                model: object._object.model.modelName, property: object._object.model[need.link].name, target: target)
        }
        return try object.request(isCreation: isCreation, by: client)
    }
}

extension DeletedRow {
    var name: String { rows.key.map { "\(model.modelName) \($0)" } ?? model.modelName }

    func url(by client: APIClient) throws(APIError) -> RequestURL {
        if let address = rows.address {
            return address.isTemplate
                ? try client.url(URLTemplate(address.text), for: self) : RequestURL(address.text)
        }
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
            return (method.rawValue, url, hasBody ? try relationship.body(naming: [state], in: client.schema) : nil)
        }
        let url = try relationship.route(client, to: .add).url
        return ("POST", url, try Outgoing(member, to: .create, at: client, in: context, after: [])?.body.json)
    }
}
