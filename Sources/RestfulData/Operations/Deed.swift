import ObjectStore
import RESTTransport
import Synchronization

/// What the server has done, as the file is to have it: what was sent, with what the reply says of that.
struct Deed: Sendable {
    private var batches: [WriteBatch]
    /// What the server has taken.
    let confirmations: [WriteBatch.Confirmation]
    /// What the reply says; nil where that could not be imported.
    private var said: (body: [UInt8], request: ImportRequest)?

    /// What a reply says nothing of.
    init(batches: [WriteBatch], confirmations: [WriteBatch.Confirmation]) {
        (self.batches, self.confirmations) = (batches, confirmations)
    }

    /// - Parameters:
    ///   - body: the reply's, or what stands for it.
    ///   - batches: what is stored before, in the same transaction.
    init(
        _ reply: Reply, saying body: [UInt8], as request: ImportRequest, after batches: [WriteBatch],
        confirming confirmations: [WriteBatch.Confirmation]
    ) {
        self.init(batches: batches, confirmations: confirmations)
        var request = request
        request.asked = reply.question?.stamp
        request.isConfirmation = true
        said = (body, request)
    }

    /// - Parameter body: JSON of the object that the server has created.
    init(
        importing body: [UInt8], as request: ImportRequest, after batches: [WriteBatch] = [],
        confirming confirmations: [WriteBatch.Confirmation]
    ) {
        self.init(batches: batches, confirmations: confirmations)
        var request = request
        request.isConfirmation = true
        said = (body, request)
    }

    /// Stores it in one transaction, off this actor, also when the task is cancelled: the server has acted, and doesn't
    /// undo it.
    ///
    /// - Returns: what the import did.
    func store(in context: ObjectContext) async throws(StoreError) -> ImportReport {
        let (file, caller) = (context.file, context.listener)
        var deed = keepingUnsaved(in: context)
        deed.batches += OutboxScope.ending
        defer { context.mergeWaitingChanges() }
        let task = Task { () async -> Result<ImportReport, StoreError> in
            do throws(StoreError) { return .success(try await deed.store(in: file, for: caller)) } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    /// The same, but for the deletion of what a list in the reply leaves out and is edited in the context.
    private func keepingUnsaved(in context: ObjectContext) -> Deed {
        guard let said else { return self }
        var deed = self
        deed.said?.request = context.keepingUnsaved(said.request)
        return deed
    }

    private func store(in file: StoreFile, for caller: ObjectIdentifier) async throws(StoreError) -> ImportReport {
        guard let said else {
            try await file.write(batches, confirming: confirmations, for: caller)
            return ImportReport()
        }
        return try await file.importBody(said.body, said.request, after: batches, confirming: confirmations).report
    }
}

/// An object that the server has created, and the file could not take it: not to be created again.
struct UnstoredCreation: Sendable {
    let deed: Deed
    let outgoing: Outgoing
    /// The list that it has joined by that.
    let list: ListOwner?
    let request: RequestSummary
    /// What has happened here since is newer than the reply, as far as that is still known.
    var question: Intermission<Question>?
}

/// Those of the stores of a process that have one file open, as long as they do.
final class UnstoredCreations: Sendable {
    private let creations = Mutex<[RecordID: UnstoredCreation]>([:])

    func keep(_ creation: UnstoredCreation, of record: RecordID) { creations.withLock { $0[record] = creation } }

    /// Whoever takes one keeps it again if it can't be stored.
    func take(_ record: RecordID) -> UnstoredCreation? { creations.withLock { $0.removeValue(forKey: record) } }
}

extension Model {
    /// Stores what the server has said when it created this object, where the file could not take that.
    ///
    /// - Returns: what was stored; nil where there was nothing.
    /// - Throws: ``APIError/unstored(_:_:)`` where it still can't be; it is kept then.
    nonisolated(nonsending) func storeCreation(
        by client: APIClient, in context: ObjectContext
    ) async throws(APIError) -> UnstoredCreation? {
        guard let creation = context.unstoredCreations.take(_object.record) else { return nil }
        let question = creation.question?.end()
        defer { withExtendedLifetime(question) {} }
        await context.finishSaves()
        context.underway.beginSend(creation.outgoing.atRisk, of: _object.record)
        try await whileSending(creation.outgoing, in: context) { (outcome) throws(APIError) in
            let report: ImportReport
            do throws(StoreError) {
                report = try await creation.deed.store(in: context)
            } catch {
                if case .rejected(let report) = error {
                    throw .notCreated(model: _object.model.modelName, report, creation.request)
                }
                let failure = APIError(ofUnstored: error, creation.request)
                if case .unstored = failure {
                    keep(creation, answering: question, in: context)
                }
                throw failure
            }
            outcome = .confirmed
            noteStored(creation.outgoing, creation.deed.confirmations, in: context)
            try client.tellConfirmed(report, of: creation.request)
        }
        return creation
    }

    /// Keeps what could not be stored of this object's creation.
    ///
    /// - Parameter question: open until the reply's values are stored.
    nonisolated func keep(_ creation: UnstoredCreation, answering question: Question?, in context: ObjectContext) {
        var creation = creation
        creation.question = question.map { Intermission($0, in: context.underway) }
        context.unstoredCreations.keep(creation, of: _object.record)
    }
}

extension ObjectContext {
    fileprivate var unstoredCreations: UnstoredCreations { file.shared { UnstoredCreations() } }
}
