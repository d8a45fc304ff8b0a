import HTTPTypes
import ObjectStore
import RESTTransport

extension OutboxDrain {
    /// The number of conflicts that are resolved. A further one rejects the entry.
    private static let resolutionCount = 3

    func resolvingConflicts(
        of job: Job, _ scope: OutboxScope, _ send: (OutboxScope) async -> Attempt
    ) async -> OutboxVerdict {
        var (scope, count) = (scope, 0)
        var known = knownConflict(of: job)
        while true {
            let conflict: KnownConflict
            if let fetched = known {
                (conflict, known) = (fetched, nil)
            } else {
                let attempt = await send(scope)
                guard let found = attempt.conflict, count < Self.resolutionCount else { return attempt.verdict }
                conflict = KnownConflict(found)
                count += 1
            }
            var resolution = Resolution(scope: scope)
            // The fetch uses the entry's account.
            await OutboxScope.$current.withValue(
                scope,
                operation: {
                    _ = self
                    do throws(APIError) {
                        resolution.verdict = try await self.resolve(conflict, of: job, &resolution.scope)
                    } catch {
                        resolution.verdict = OutboxVerdict(error, isCreation: false, now: job.client.api.now())
                    }
                }, isolation: self)
            if let verdict = resolution.verdict { return verdict }
            scope = resolution.scope
        }
    }

    /// If the verdict is nil, the entry is sent again.
    private struct Resolution {
        var scope: OutboxScope
        var verdict: OutboxVerdict?
    }

    /// The conflict that a fetch has shown: the server changed properties that are edited here.
    private func knownConflict(of job: Job) -> KnownConflict? {
        guard job.entry.action == .save, let object = object(of: job.entry), object.isKnownToServer else { return nil }
        let state = object._object
        guard job.client.conditionalWrites(of: state.model) != .never else { return nil }
        let serverValues = ServerValues(of: state)
        guard !serverValues.contestedNames.isEmpty else { return nil }
        let properties = state.unsentProperties.filter { $0.list == nil }
        return KnownConflict(
            base: serverValues.values(of: properties, asEdited: true), local: state.values(of: properties),
            edits: state.unsentEdits(of: state.unsentProperties))
    }

    /// Stores the server's version in one transaction with the decision.
    ///
    /// - Returns: nil if the entry is to be sent again.
    /// - Throws: the error of the fetch, or of the file.
    private func resolve(
        _ conflict: KnownConflict, of job: Job, _ scope: inout OutboxScope
    ) async throws(APIError) -> OutboxVerdict? {
        guard let side = LocalSide(job.entry, object(of: job.entry), in: context) else {
            return .reject(conflict.rejection())
        }
        let server: ServerVersion
        switch try await fetchVersion(of: side, by: job.client) {
        case .found(let version): server = version
        case .unreadable: return .reject(conflict.rejection())
        case .gone:
            // The reply to an unconditional DELETE shows whether the object is gone.
            scope.validator = ""
            return nil
        }
        let versions = conflict.versions(with: server.values, on: side)
        let decision = await decide(conflict, versions, of: server, on: side)
        let rejection = conflict.rejection(changed: versions.contested)
        switch side {
        case .edited(let object):
            let (before, after) = decision.batches(
                of: conflict, with: server.values, about: object, job.entry, rejection)
            try await store(server, as: object._object.record, after: before, then: after)
            if decision == .ask { return .reject(rejection) }
            guard object._object.unsentProperties.isEmpty else { return nil }
            return decision == .discardEdits([]) ? .done : .takenBack
        case .deleted:
            switch decision {
            case .discardEdits([]): scope.validator = server.validator
            case .ask: return try await reject(job.entry, rejection, over: server)
            default: return try await restore(job.entry, as: server)
            }
            return nil
        }
    }

    private struct ServerVersion {
        let trip: RoundTrip
        let reply: Reply
        let values: PropertyValues

        var validator: String {
            guard let model = trip.model else { return "" }
            return trip.client.conditionalWrites(of: model).validator(in: reply.response, of: values) ?? ""
        }
    }

    private enum FetchedVersion {
        case found(ServerVersion)
        case unreadable
        case gone
    }

    private func fetchVersion(of side: LocalSide, by client: APIClient) async throws(APIError) -> FetchedVersion {
        var trip = client.roundTrip(.get, try side.url(by: client), about: side.model, asking: .object, in: context)
        trip.call = trip.call.ofChecks
        let reply: Reply
        do throws(APIError) { reply = try await trip.send() } catch {
            guard side.isDeletion, error.reply?.kind == .notFound else { throw error }
            return .gone
        }
        guard let values = side.version(in: reply, at: client) else { return .unreadable }
        return .found(ServerVersion(trip: trip, reply: reply, values: values))
    }

    /// Asks the policy only if the server's version differs from the base.
    private func decide(
        _ conflict: KnownConflict, _ versions: ConflictVersions, of server: ServerVersion, on side: LocalSide
    ) async -> Decision {
        let client = server.trip.client
        if side.isOutdated(by: server.values, versions, besides: client.conditionalWrites(of: side.model)) {
            return await Decision(client.conflictPolicy(of: side.model), versions, sent: conflict.base.names)
        }
        // If the versions are equal, 409 refuses the change itself.
        return conflict.reply?.status == 409 ? .ask : .discardEdits([])
    }

    /// Stores the server's version beneath the remaining edits.
    private func store(
        _ server: ServerVersion, as record: RecordID, after before: [WriteBatch], then after: [WriteBatch] = []
    ) async throws(APIError) {
        var request = ImportRequest(of: record)
        request.isResolution = true
        let validators = server.trip.validators(in: server.reply, of: record)
        _ = try await server.trip.import(server.reply, as: request, after: before + validators, then: after)
    }

    /// Rejects the entry. A retry is then sent as a change of this version.
    private func reject(
        _ entry: QueuedWrite, _ rejection: Rejection, over server: ServerVersion
    ) async throws(APIError) -> OutboxVerdict {
        let change = OutboxChange.revalidate(entry.subject, server.validator)
        do { try await context.changeOutbox([change]) } catch { throw .store(error) }
        return .reject(rejection)
    }

    private func restore(_ entry: QueuedWrite, as server: ServerVersion) async throws(APIError) -> OutboxVerdict {
        let changes = [OutboxChange.discard(entry.subject, entry.version)]
        try await store(server, as: entry.subject.record, after: [.changingOutbox(changes)])
        return .takenBack
    }
}

private struct KnownConflict {
    let base: PropertyValues
    let local: PropertyValues
    let edits: Set<ChangeStamp>
    let reply: ReplyError?

    init(base: PropertyValues, local: PropertyValues, edits: Set<ChangeStamp>, reply: ReplyError? = nil) {
        (self.base, self.local, self.edits, self.reply) = (base, local, edits, reply)
    }

    init(_ conflict: Conflict) {
        self.init(base: conflict.base, local: conflict.local, edits: conflict.edits, reply: conflict.reply)
    }

    func rejection(changed names: Set<String> = []) -> Rejection {
        let change =
            names.isEmpty
            ? nil : "the server has changed \(names.sorted().joined(separator: ", ")) since it was edited here"
        let texts = [reply?.description, change].compactMap(\.self)
        return Rejection(.conflict, status: reply?.status, texts.joined(separator: "; "))
    }

    /// If the server has a value that an earlier request of this object sent with an unknown outcome, that value counts
    /// as the base.
    func versions(with server: PropertyValues, on side: LocalSide) -> ConflictVersions {
        var base = base
        if case .edited(let object) = side, let context = object.context {
            for (index, value) in context.valuesAtRisk(of: object._object.record) {
                let name = object._object.model[index].name
                if server.attributes[name] == value, base.attributes[name] != nil { base.setAttribute(name, value) }
            }
        }
        return ConflictVersions(base: base, local: local, server: server, isDeletion: side.isDeletion)
    }
}

private enum Decision: Equatable {
    /// A person decides.
    case ask
    /// Drops edits of these properties, and sends all others again.
    case discardEdits(Set<String>)
    case merge(PropertyValues)

    /// - Parameter sent: the names of the attributes and links that were sent. The server's version may lack some.
    init(_ policy: ConflictPolicy, _ versions: ConflictVersions, sent: Set<String>) async {
        let all = versions.isDeletion ? versions.contested.union(versions.local.names) : sent
        switch policy {
        case .ask: self = .ask
        case .serverWins: self = .discardEdits(all)
        case .localWins: self = .discardEdits([])
        case .byProperty(let otherwise):
            guard !versions.contested.isEmpty else {
                self = .discardEdits([])
                return
            }
            self = await Decision(otherwise, versions, sent: sent)
            // The fallback policy applies to contested properties only.
            if case .discardEdits(let names) = self, !names.isEmpty { self = .discardEdits(versions.contested) }
        case .decide(let decide):
            // The closure's requests are apart from the entry.
            switch await CallScope.withoutCurrent({ await decide(versions) }) {
            case .ask: self = .ask
            case .server: self = .discardEdits(all)
            case .local: self = .discardEdits([])
            case .merged(let values): self = versions.isDeletion ? .discardEdits(all) : .merge(values)
            }
        }
    }

    func batches(
        of conflict: KnownConflict, with server: PropertyValues, about object: any Model, _ entry: QueuedWrite,
        _ rejection: Rejection
    ) -> (before: [WriteBatch], after: [WriteBatch]) {
        switch self {
        case .ask: return ([.changingOutbox([.reject(entry.subject, rejection.text, entry.version)])], [])
        case .discardEdits([]): return ([], [])
        case .discardEdits(let names):
            let edits = EditSelection(names: names, stamps: conflict.edits)
            return ([.changingOutbox([.discardEdits(entry.subject, edits)])], [])
        case .merge(let values):
            let edits = EditSelection(names: conflict.local.names, stamps: conflict.edits)
            let merged = OutboxChange.edit(entry.subject, object._object.values(values, over: server))
            return ([.changingOutbox([.discardEdits(entry.subject, edits)])], [.changingOutbox([merged])])
        }
    }
}

private enum LocalSide {
    case edited(any Model)
    case deleted(DeletedRow)

    /// - Returns: nil for creations and changes of lists, whose conflicts are rejected.
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

    func version(in reply: Reply, at client: APIClient) -> PropertyValues? {
        guard reply.hasBody else { return nil }
        switch self {
        case .edited(let object):
            return Subject(object._object, sending: [], to: client).version(in: reply.body)
        case .deleted:
            // The reply is from the object's own URL, so its identity fits.
            var reader = ObjectReader(client.schema)
            let attributes = model.declared.filter { $0.column != nil && $0.link == nil }.map(\.index)
            return try? reader.attributes(attributes, in: reply.body, at: reply.documentKeyPath, of: model)
        }
    }

    func isOutdated(
        by server: PropertyValues, _ versions: ConflictVersions, besides writes: ConditionalWrites
    ) -> Bool {
        let base: PropertyValues
        switch self {
        case .edited(let object):
            if !versions.contested.isEmpty { return true }
            let state = object._object
            let unloaded = state.unloadedProperties
            let edited = Set(state.unsentProperties.map(\.index))
            base = ServerValues(of: state).values(
                of: model.declared.filter { property in
                    property.column != nil && !unloaded.contains(property.index) && !edited.contains(property.index)
                        && !state.isEmbedding(property)
                })
        case .deleted(let row): base = row.values
        }
        return base.names.intersection(server.names).contains { name in
            if case .attribute(name) = writes { return false }
            return !base.hasSame(name, as: server)
        }
    }
}

extension ObjectState {
    /// The attributes that differ from the server's.
    fileprivate func values(_ values: PropertyValues, over server: PropertyValues) -> PropertyMap<StoredValue> {
        var changed = PropertyMap<StoredValue>()
        for property in model.declared where property.column != nil && property.link == nil {
            guard let value = values.attributes[property.name], value != server.attributes[property.name] else {
                continue
            }
            changed[property.index] = value
        }
        return changed
    }

    fileprivate func isEmbedding(_ property: Property) -> Bool {
        property.target.flatMap { context?.schema[$0].isEmbedded } ?? false
    }
}
