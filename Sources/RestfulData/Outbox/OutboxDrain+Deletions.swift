import HTTPTypes
import ObjectStore
import RESTTransport

// If the outcome of the object's creation is unknown, it is determined first. If the server has the object, the entry
// gets its identity.

extension OutboxDrain {
    func delete(_ rows: DeletedRows, of job: Job, _ scope: OutboxScope) async -> OutboxVerdict {
        var job = job
        if rows.isUndecided {
            if let verdict = await settleCreation(of: job, rows, scope) { return verdict }
            guard let settled = newest(job.entry.key), settled.rows?.isUndecided == false else { return .later }
            job = Job(entry: settled, client: job.client, task: job.task)
        }
        let client = job.client
        let row = DeletedRow(job.entry.rows ?? rows, in: job.entry.subject.record.table, context)
        return await resolvingConflicts(of: job, scope) { (scope) async -> Attempt in
            _ = self
            return await self.perform(scope, isCreation: false, by: client) { (_) async throws(APIError) in
                _ = self
                try await row.deleteAtServer(by: client)
            }
        }
    }

    /// - Returns: nil if the entry now has the object's identity.
    private func settleCreation(
        of job: Job, _ rows: DeletedRows, _ scope: OutboxScope
    ) async -> OutboxVerdict? {
        var scope = scope
        scope.endsEntry = false
        let (entry, client) = (job.entry, job.client)
        let row = DeletedRow(rows, in: entry.subject.record.table, context)
        let isRepeated = scope.mayRepeat && (scope.natural == nil || scope.repeated?.key != nil)
        if isRepeated, let sent = scope.repeated, sent.url != nil {
            return await repeatCreation(sent, of: row, by: job, scope)
        }
        guard !isRepeated, scope.natural != nil else {
            let canRepeat = scope.repeated?.url != nil
            return .reject(.undecidedDeletion(of: row.model.modelName, canRepeat: canRepeat))
        }
        let lookup = await lookUp(row, at: entry.subject.record, scope, by: client)
        // The import of the fetched list may have recognized the object.
        guard newest(entry.key)?.rows?.isUndecided == true else { return nil }
        switch lookup {
        case .failure(let error): return OutboxVerdict(error, isCreation: true, now: client.api.now())
        case .success(.missing): return await end(entry)
        case .success(.found(let found)):
            let attempt = await perform(scope, isCreation: true, by: client) { (_) async throws(APIError) in
                _ = self
                try await row.settle(by: found._object.identityJSON(), at: entry.subject.record)
            }
            return attempt.verdict == .done ? nil : attempt.verdict
        case .success(.several): return .reject(.several(row.model.modelName))
        case .success(.unclear): return .reject(.unclear(row.model.modelName))
        case .success(.impossible):
            return .reject(.undecidedDeletion(of: row.model.modelName, canRepeat: scope.repeated?.url != nil))
        }
    }

    private func repeatCreation(
        _ sent: SentBody, of row: DeletedRow, by job: Job, _ scope: OutboxScope
    ) async -> OutboxVerdict? {
        let (entry, subject, client) = (job.entry, job.entry.subject, job.client)
        if sent.isDecided == true {
            do { try await context.changeOutbox([.send(subject, sent.carriedOut.text)]) } catch { return .later }
        }
        let attempt = await perform(scope, isCreation: true, by: client) { (_) async throws(APIError) in
            _ = self
            try await row.repeatCreation(sent, at: subject.record, by: client)
        }
        switch attempt.verdict {
        case .done: return nil
        // The server would have repeated the reply to an accepted request with this key. So the object doesn't exist.
        case .reject(let rejection) where rejection.kind == .invalid && sent.key != nil: return await end(entry)
        default: return attempt.verdict
        }
    }
}

extension DeletedRow {
    func settlingRequest(
        _ sent: SentBody?, by client: APIClient
    ) throws(APIError) -> (method: String, url: RequestURL, body: [UInt8]?) {
        if sent?.key == nil, let natural = sent?.natural ?? naturalKey(by: client) {
            return ("GET", try client.lookUpURL(of: self, natural), nil)
        }
        guard let sent, let url = sent.url, let method = sent.method else {
            throw .undecidedCreation(model: model.modelName)
        }
        return (method, RequestURL(url), sent.body.map { Array($0.utf8) })
    }

    /// Repeats the creation. The reply names the object to delete.
    nonisolated(nonsending) func repeatCreation(
        _ sent: SentBody, at record: RecordID, by client: APIClient
    ) async throws(APIError) {
        guard let url = sent.url, let method = sent.method.flatMap({ HTTPRequest.Method($0) }) else {
            throw .undecidedCreation(model: model.modelName)
        }
        var trip = client.roundTrip(
            method, RequestURL(url), body: .json(sent.body.map { Array($0.utf8) }), about: model, asking: .object,
            in: context)
        trip.call.idempotencyKey = sent.key
        trip.repeatsCreation = true
        let reply = try await trip.send()
        guard !reply.isAccepted else { throw reply.accepted }
        let bases = [RequestURL(url), try? client.collectionURL(for: self)].compactMap { $0.map(client.api.url) }
        let location = reply.location(
            at: client.urlAroundKey(of: self, below: nil), below: bases, isPath: client.keyIsPath(of: model))
        let validator = client.conditionalWrites(of: model).validator(in: reply.response)
        let changes = validator.map { [OutboxChange.revalidate(QueuedSubject(record), $0)] } ?? []
        // An empty reply confirms an identity that was made locally.
        let own = reply.hasObject || reply.isList ? nil : try? identityJSON()
        var refused: APIError = reply.notCreated(ImportReport())
        for (body, keyPath) in [(reply.hasObject ? reply.body : nil, reply.keyPath), (location, []), (own, [])] {
            guard let body else { continue }
            do throws(APIError) {
                return try await settle(by: body, at: record, keyPath, after: changes, acknowledging: sent)
            } catch {
                guard case .notCreated = error else { throw error }
                refused = error
            }
        }
        throw refused
    }

    /// Stores the identity that the server has given the object, so that it can be deleted.
    ///
    /// - Parameter body: JSON with the identity.
    nonisolated(nonsending) func settle(
        by body: [UInt8], at record: RecordID, _ keyPath: [String] = [], after changes: [OutboxChange] = [],
        acknowledging sent: SentBody? = nil
    ) async throws(APIError) {
        var request = ImportRequest(of: record)
        (request.isCreation, request.teachesShapes, request.keyPath) = (true, false, keyPath)
        let confirmation = WriteBatch.Confirmation(
            of: record, properties: model.properties.map(\.name), edits: sent?.stamps ?? [])
        let acceptedChange = AcceptedChange(
            importing: body, as: request, after: [.changingOutbox(changes)], confirming: [confirmation])
        do throws(StoreError) { _ = try await acceptedChange.store(in: context) } catch {
            if case .rejected(let report) = error {
                let method = sent?.method ?? "GET"
                throw .notCreated(model: model.modelName, report, RequestSummary(method: method, url: sent?.url ?? ""))
            }
            throw .store(error)
        }
    }
}
