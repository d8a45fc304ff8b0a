import HTTPTypes
import ObjectStore
import RESTTransport

extension OutboxDrain {
    /// How often an entry is sent again after a conflict, before it is rejected.
    private static let resolutionCount = 3

    /// Sends an entry, and resolves conflicts by the policy of its model.
    ///
    /// - Parameter send: sends it once.
    func resolvingConflicts(
        of job: Job, _ scope: OutboxScope, _ send: (OutboxScope) async -> Attempt
    ) async -> OutboxVerdict {
        var (scope, count) = (scope, 0)
        while true {
            let attempt = await send(scope)
            guard let conflict = attempt.conflict, count < Self.resolutionCount else { return attempt.verdict }
            count += 1
            do throws(APIError) {
                if let verdict = try await resolve(conflict, of: job, &scope) { return verdict }
            } catch {
                return OutboxVerdict(error, isCreation: false, now: job.client.api.now())
            }
        }
    }

    /// Fetches the server's version, and stores it together with the decision.
    ///
    /// - Returns: nil if the entry is to be sent again.
    /// - Throws: the error of the fetch, or of the file.
    private func resolve(
        _ conflict: Conflict, of job: Job, _ scope: inout OutboxScope
    ) async throws(APIError) -> OutboxVerdict? {
        let rejection = Rejection(.conflict, status: conflict.reply.status, conflict.description)
        guard let side = LocalSide(job.entry, object(of: job.entry), in: context) else { return .reject(rejection) }
        let client = job.client
        var trip = client.roundTrip(.get, try side.url(by: client), about: side.model, asking: .object, in: context)
        trip.call = trip.call.ofChecks
        let reply = try await trip.send()
        guard let server = side.version(in: reply, at: client) else { return .reject(rejection) }
        let writes = client.conditionalWrites(of: side.model)
        var decision = Decision.takeBack([])
        if side.isOutdated(by: server, besides: writes) {
            let versions = ConflictVersions(
                base: conflict.base, local: conflict.local, server: server, isDeletion: side.isDeletion)
            decision = await Decision(client.conflictPolicy(of: side.model), versions)
        } else if conflict.reply.status == 409 {
            // The server refuses the change itself, and not the version that it was made on.
            decision = .ask
        }
        switch (side, decision) {
        case (.deleted, .ask): return .reject(rejection)
        case (.deleted, .takeBack([])):
            scope.validator = writes.validator(in: reply.response)
            return nil
        case (.deleted, _):
            let record = job.entry.subject.record
            let changes = [OutboxChange.discard(job.entry.subject, job.entry.version)]
            try await store(
                reply, of: trip, about: record, [.changingOutbox(changes)] + trip.validators(in: reply, of: record))
            return .takenBack
        case (.edited(let object), _):
            let batches = decision.batches(of: conflict, with: server, about: object, job.entry, rejection)
            try await store(
                reply, of: trip, about: object._object.record, batches + trip.fetchedValidators(in: reply, of: object))
            if decision == .ask { return .reject(rejection) }
            return object._object.unsentProperties.isEmpty ? .takenBack : nil
        }
    }

    /// Stores the server's version of an object in one transaction with the decision.
    private func store(
        _ reply: Reply, of trip: RoundTrip, about record: RecordID, _ batches: [WriteBatch]
    ) async throws(APIError) {
        _ = try await trip.import(reply, as: ImportRequest(of: record), after: batches)
    }
}

/// What is decided about a conflict.
private enum Decision: Equatable {
    /// Somebody is asked.
    case ask
    /// The server's values of these properties stay, and the edits of all others are sent again.
    case takeBack(Set<String>)
    /// These values are sent.
    case merge(PropertyValues)

    init(_ policy: ConflictPolicy, _ versions: ConflictVersions) async {
        let all = versions.isDeletion ? versions.contested.union(versions.local.names) : versions.local.names
        switch policy {
        case .ask: self = .ask
        case .serverWins: self = .takeBack(all)
        case .localWins: self = .takeBack([])
        case .byProperty(let otherwise):
            guard !versions.contested.isEmpty else {
                self = .takeBack([])
                return
            }
            self = await Decision(otherwise, versions)
            // The other policy is about the contested properties alone.
            if case .takeBack(let names) = self, !names.isEmpty { self = .takeBack(versions.contested) }
        case .decide(let decide):
            switch await decide(versions) {
            case .ask: self = .ask
            case .server: self = .takeBack(all)
            case .local: self = .takeBack([])
            case .merged(let values): self = versions.isDeletion ? .takeBack(all) : .merge(values)
            }
        }
    }

    /// What is written before the server's version is imported.
    func batches(
        of conflict: Conflict, with server: PropertyValues, about object: any Model, _ entry: QueuedWrite,
        _ rejection: Rejection
    ) -> [WriteBatch] {
        switch self {
        case .ask: return [.changingOutbox([.reject(entry.subject, rejection.text, entry.version)])]
        case .takeBack([]): return []
        case .takeBack(let names):
            let edits = EditSelection(names: names, stamps: conflict.edits)
            return [.changingOutbox([.takeBack(entry.subject, edits)])]
        case .merge(let values):
            let edits = EditSelection(names: conflict.local.names, stamps: conflict.edits)
            var merged = WriteBatch()
            merged.rows = [object._object.row(of: values, over: server, besides: conflict.edits)]
            return [.changingOutbox([.takeBack(entry.subject, edits)]), merged]
        }
    }
}

/// The local side of a conflict.
private enum LocalSide {
    case edited(any Model)
    case deleted(DeletedRow)

    /// - Returns: nil for an entry whose conflicts can't be resolved: a creation, or a change of a list.
    init?(_ entry: QueuedWrite, _ object: (any Model)?, in context: ObjectContext) {
        switch entry.action {
        case .delete:
            guard let rows = entry.rows else { return nil }
            self = .deleted(DeletedRow(rows, in: entry.subject.record.table, context))
        case .save:
            guard let object, object.isKnownToServer else { return nil }
            self = .edited(object)
        case .add, .remove: return nil
        }
    }

    var isDeletion: Bool { if case .deleted = self { true } else { false } }

    var model: ModelSchema {
        switch self {
        case .edited(let object): object._object.model
        case .deleted(let row): row.model
        }
    }

    func url(by client: APIClient) throws(APIError) -> RequestURL {
        switch self {
        case .edited(let object): try client.ownURL(of: object._object, to: .fetch)
        case .deleted(let row): try row.ownURL(by: client)
        }
    }

    /// The server's version of the object; nil for a reply about another one.
    func version(in reply: Reply, at client: APIClient) -> PropertyValues? {
        guard reply.hasBody else { return nil }
        switch self {
        case .edited(let object):
            return Subject(object._object, sending: [], to: client).version(in: reply.body)
        case .deleted:
            // It was asked for by its own URL.
            var reader = ObjectReader(client.schema)
            guard let objects = try? reader.objects(in: reply.body, of: model), objects.count == 1 else { return nil }
            return objects[0]
        }
    }

    /// Whether the server's version differs from the one that it last sent, other than by its validator.
    func isOutdated(by server: PropertyValues, besides writes: ConditionalWrites) -> Bool {
        let base =
            switch self {
            case .edited(let object): LastSaid(of: object._object).values(of: model.declared)
            case .deleted(let row): row.values
            }
        return base.names.intersection(server.names).contains { name in
            if case .attribute(name) = writes { return false }
            return !base.hasSame(name, as: server)
        }
    }
}

extension ObjectState {
    /// The row of values that were merged: the attributes that differ from the server's, without those that were
    /// edited after the request.
    fileprivate func row(
        of values: PropertyValues, over server: PropertyValues, besides sent: Set<ChangeStamp>
    ) -> WriteBatch.Row {
        var changed = PropertyMap<StoredValue>()
        for property in model.declared where property.column != nil && property.link == nil {
            guard let value = values.attributes[property.name], value != server.attributes[property.name],
                unsentEdits(of: [property]).isSubset(of: sent)
            else { continue }
            changed[property.index] = value
        }
        return WriteBatch.Row(record, values: changed, isInsert: false)
    }
}
