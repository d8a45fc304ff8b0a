import ObjectStore
import RESTTransport
import Synchronization

/// A change that the server has made, ready to be stored.
struct AcceptedChange: Sendable {
    private var batches: [WriteBatch]
    let confirmations: [WriteBatch.Confirmation]
    /// The JSON to import, if any.
    private var toImport: (body: [UInt8], request: ImportRequest)?

    init(batches: [WriteBatch], confirmations: [WriteBatch.Confirmation]) {
        (self.batches, self.confirmations) = (batches, confirmations)
    }

    /// The deletion of these rows. Those with a pending edit, or changed since the request, stay.
    init(pruning rows: [RecordID], requestedAt requestTime: ChangeStamp?, in context: ObjectContext) {
        self.init(batches: context.pruning(rows, requestedAt: requestTime), confirmations: [])
    }

    init(
        _ reply: Reply, importing body: [UInt8], as request: ImportRequest, after batches: [WriteBatch],
        confirming confirmations: [WriteBatch.Confirmation]
    ) {
        self.init(batches: batches, confirmations: confirmations)
        var request = request
        request.requestTime = reply.requestStart?.stamp
        request.isConfirmation = true
        toImport = (body, request)
    }

    init(
        importing body: [UInt8], as request: ImportRequest, after batches: [WriteBatch] = [],
        confirming confirmations: [WriteBatch.Confirmation]
    ) {
        self.init(batches: batches, confirmations: confirmations)
        var request = request
        request.isConfirmation = true
        toImport = (body, request)
    }

    /// Stores the change in one transaction, off this actor. Cancellation is ignored, since the server has made the
    /// change.
    ///
    /// - Parameter ending: the writes that end the outbox entry that the current task sends.
    @discardableResult
    func store(
        in context: ObjectContext, ending: [WriteBatch] = OutboxScope.ending
    ) async throws(StoreError) -> ImportReport {
        let (file, caller) = (context.file, context.listener)
        var acceptedChange = keepingUnsaved(in: context)
        acceptedChange.batches += ending
        defer { context.mergeWaitingChanges() }
        let task = Task { () async -> Result<ImportReport, StoreError> in
            do throws(StoreError) { return .success(try await acceptedChange.store(in: file, for: caller)) } catch {
                return .failure(error)
            }
        }
        return try await task.value.get()
    }

    /// Makes the import keep rows with unsaved edits in the context.
    private func keepingUnsaved(in context: ObjectContext) -> AcceptedChange {
        guard let toImport else { return self }
        var acceptedChange = self
        acceptedChange.toImport?.request = context.keepingUnsaved(toImport.request)
        return acceptedChange
    }

    private func store(in file: StoreFile, for caller: ObjectIdentifier) async throws(StoreError) -> ImportReport {
        guard let toImport else {
            try await file.write(batches, confirming: confirmations, for: caller)
            return ImportReport()
        }
        return try await file.importBody(toImport.body, toImport.request, after: batches, confirming: confirmations)
            .report
    }
}

/// A creation whose reply is still to be written. Sending it again would create a second object.
struct UnstoredCreation: Sendable {
    let acceptedChange: AcceptedChange
    let outgoing: Outgoing
    let list: ListOwner?
    let request: RequestSummary
    /// Open until the reply is written, so that the import keeps later local changes.
    var requestStart: PausedOperation<RequestStart>?
}

/// The unstored creations of a file, shared by the process's stores.
final class UnstoredCreations: Sendable {
    private let creations = Mutex<[RecordID: UnstoredCreation]>([:])

    func keep(_ creation: UnstoredCreation, of record: RecordID) { creations.withLock { $0[record] = creation } }

    func take(_ record: RecordID) -> UnstoredCreation? { creations.withLock { $0.removeValue(forKey: record) } }
}

extension Model {
    /// Stores the reply to this object's creation, if that failed before.
    ///
    /// - Returns: nil if there was nothing to store.
    nonisolated(nonsending) func storeCreation(
        by client: APIClient, in context: ObjectContext
    ) async throws(APIError) -> UnstoredCreation? {
        guard let creation = context.unstoredCreations.take(_object.record) else { return nil }
        let requestStart = creation.requestStart?.end()
        defer { withExtendedLifetime(requestStart) {} }
        await context.finishSaves()
        context.operations.beginSend(creation.outgoing.atRisk, of: _object.record)
        try await whileSending(creation.outgoing, in: context) { (outcome) throws(APIError) in
            let report: ImportReport
            do throws(StoreError) {
                report = try await creation.acceptedChange.store(
                    in: context, ending: OutboxScope.ending(byCreationIn: creation.list))
            } catch {
                if case .rejected(let report) = error {
                    throw .notCreated(model: _object.model.modelName, report, creation.request)
                }
                let failure = APIError(ofUnstored: error, creation.request)
                if case .unstored = failure {
                    keep(creation, answering: requestStart, in: context)
                }
                throw failure
            }
            outcome = .confirmed
            noteStored(creation.outgoing, creation.acceptedChange.confirmations, in: context)
            try client.reportConfirmed(report, of: creation.request)
        }
        return creation
    }

    nonisolated func keep(
        _ creation: UnstoredCreation, answering requestStart: RequestStart?, in context: ObjectContext
    ) {
        var creation = creation
        creation.requestStart = requestStart.map { PausedOperation($0, in: context.operations) }
        context.unstoredCreations.keep(creation, of: _object.record)
    }
}

extension ObjectContext {
    fileprivate var unstoredCreations: UnstoredCreations { file.shared { UnstoredCreations() } }
}
