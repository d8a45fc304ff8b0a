import Conventions
import ObjectStore
import RESTTransport

/// One run through the entries of an outbox. Entries that depend on each other are sent in order, others in parallel.
actor OutboxDrain {
    let file: StoreFile
    private let engine: OutboxEngine
    private lazy var own = file.context(on: self)
    private var report = OutboxReport()
    /// The next entries, in reverse order.
    private var next: [QueuedWrite.Key] = []
    private var lastRead: Int64 = 0
    /// ``OutboxEngine/State/newEntryCount`` when entries were last read.
    private var lastNewEntryCount: Int?
    /// Entries by the object that must first be created or deleted.
    private var blocked: [RecordID: [QueuedWrite.Key]] = [:]
    /// The object that each unsent object waits for.
    private var needs: [RecordID: Need] = [:]
    private var isStopped = false
    private var isAutomatic = false

    init(_ file: StoreFile, _ engine: OutboxEngine) { (self.file, self.engine) = (file, engine) }

    var context: ObjectContext { own.context }

    /// - Parameter isAutomatic: whether ``OutboxEngine/stop()`` ends the run.
    func run(until deadline: ContinuousClock.Instant? = nil, isAutomatic: Bool = false) async -> OutboxReport {
        self.isAutomatic = isAutomatic
        engine.watch(file)
        let sending = Task { await self.sendInTurn() }
        let alarm = deadline.map { deadline in
            Task {
                try? await Task.sleep(until: deadline)
                if !Task.isCancelled { sending.cancel() }
            }
        }
        await withTaskCancellationHandler {
            await sending.value
        } onCancel: {
            sending.cancel()
        }
        alarm?.cancel()
        context.mergeWaitingChanges()
        if let left = try? context.countsOfQueuedWrites() {
            (report.waiting, report.rejected) = (left.all - left.rejected, left.rejected)
        } else if !file.isClosed {
            // Reading the file failed.
            report.nextAttempt = engine.time.elapsed() + .seconds(5)
        }
        return report
    }

    private func sendInTurn() async {
        let gate = file.shared { OutboxGate() }
        guard await gate.enter() else { return }
        defer { gate.leave() }
        engine.read { $0.hasBlocked = false }
        // Taking the lease writes to the file, so an entry must be due.
        guard let first = takeNext() else { return }
        let hasLease = try? await file.takeOutboxLease()
        engine.read { _ = $0.sending.remove(first.entry.subject) }
        guard hasLease == true else {
            report.isBusy = hasLease == false
            // Writing the file failed.
            if hasLease == nil { report.nextAttempt = engine.time.elapsed() + .seconds(5) }
            return notify()
        }
        // With the lease, the context sees the results of other processes.
        next.append(first.entry.key)
        await sendAll()
        // In a task of its own, since a cancelled one is refused by the file.
        await Task { [file] in await file.endOutboxLease() }.value
    }

    private func sendAll() async {
        await withTaskGroup(of: Void.self) { group in
            var active = 0
            let width = engine.read(\.width)
            while true {
                while active < width, !Task.isCancelled, let job = takeNext() {
                    active += 1
                    group.addTask { await self.send(job) }
                }
                guard active > 0 else { return }
                await group.next()
                active -= 1
            }
        }
    }

    // MARK: Order

    struct Job: Sendable {
        let entry: QueuedWrite
        let client: APIClient
        var task = Task.nothing
        var failures = 0

        enum Task {
            /// The entry is obsolete.
            case nothing
            case send(OutboxScope, isCreation: Bool)
        }
    }

    private func takeNext() -> Job? {
        context.mergeWaitingChanges()
        while !isStopped, !isAutomatic || engine.read(\.isStarted) {
            if next.isEmpty { readNew() }
            guard let key = next.popLast() else { return nil }
            guard let entry = newest(key), entry.rejection == nil, let client = client(of: entry.subject),
                entry.account == client.api.account, !engine.isSending(entry.subject), isDue(entry.number, client),
                var job = job(entry, client)
            else { continue }
            job.failures = engine.failureCount(of: client.index)
            engine.read { _ = $0.sending.insert(entry.subject) }
            notify()
            return job
        }
        return nil
    }

    /// Reads new entries, except those of other accounts, and of APIs on hold.
    private func readNew() {
        let newEntryCount = engine.read(\.newEntryCount)
        guard newEntryCount != lastNewEntryCount, let clients = file.companion as? APIClients else { return }
        lastNewEntryCount = newEntryCount
        context.mergeWaitingChanges()
        let due = Set(clients.all.filter { isDue(nil, $0) }.map(\.index))
        guard !due.isEmpty else { return }
        var strays: [APIIndex: StrayEntries] = [:]
        let read = try? context.queuedKeys(after: lastRead) { subject, account in
            guard let client = client(of: subject) else { return false }
            strays[client.index, default: StrayEntries()].note(account, at: client.api)
            return due.contains(client.index) && account == client.api.account
        }
        for (index, strays) in strays { engine.warn(of: strays, at: clients[index]) }
        guard let read, let last = read.last else { return }
        (lastRead, next) = (last.number, read.reversed())
    }

    /// Whether an entry is due. If not, the report gets the time of the next attempt.
    ///
    /// - Parameter entry: its number; nil for any entry of the API.
    private func isDue(_ entry: Int64?, _ client: APIClient) -> Bool {
        switch engine.due(entry, to: client.index) {
        case .now: return true
        case .later(let time): report.nextAttempt = min(report.nextAttempt ?? time, time)
        case .never: break
        }
        return false
    }

    /// Returns nil while the entry must wait.
    private func job(_ entry: QueuedWrite, _ client: APIClient) -> Job? {
        var job = Job(entry: entry, client: client)
        var scope = OutboxScope(subject: entry.subject, version: entry.version, account: entry.account)
        guard entry.action != .delete else {
            guard let rows = entry.rows else { return job }
            if rows.isUndecided {
                if isElsewhere(entry, client) { return nil }
                let row = DeletedRow(rows, in: entry.subject.record.table, context)
                scope.prepareCreation(of: row, by: client, sentBefore: SentBody(text: entry.sent))
            }
            job.task = .send(scope, isCreation: rows.isUndecided)
            return job
        }
        guard let object = object(of: entry) else { return job }
        if isElsewhere(entry, client) { return nil }
        if let membership = entry.subject.membership {
            guard let owner = context.object(for: entry.subject.record) else { return job }
            if !owner.isKnownToServer {
                block(entry, by: Need(record: entry.subject.record, link: membership.property, canWait: false))
                return nil
            }
            if entry.action == .remove, !object.isKnownToServer { return job }
            // A later move of the member is a pending edit of its own. A creation that may have been sent is repeated
            // regardless.
            let isBegun = entry.sent != nil && !object.isKnownToServer
            let isMember =
                isBegun || context.hasUnknownOutcome(object)
                ? nil : context.storesMembers([object._object.localID], of: owner._object, membership.property)
            if let isMember, isMember != (entry.action == .add) { return job }
        }
        let isCreation = entry.action != .remove && !object.isKnownToServer
        let canBeSplit = isCreation && entry.action == .save
        for need in context.needs(of: object, isCreation: isCreation) where isCreation || entry.action == .save {
            guard canBeSplit, need.canWait, isInCircle(need, of: entry.subject.record) else {
                block(entry, by: need)
                return nil
            }
            scope.omitted.insert(need.link)
        }
        guard isCreation else {
            job.task = .send(scope, isCreation: false)
            return job
        }
        if let deletion = deletion(withIdentityOf: object) {
            block(entry, by: deletion)
            return nil
        }
        scope.prepareCreation(of: object._object, by: client, sentBefore: SentBody(text: entry.sent))
        job.task = .send(scope, isCreation: true)
        return job
    }

    /// Whether another process has the entry's object in flight. If so, the entry is tried again later.
    private func isElsewhere(_ entry: QueuedWrite, _ client: APIClient) -> Bool {
        guard context.isSentElsewhere(record(of: entry)) else { return false }
        engine.note(.later, of: entry.number, to: client.index, after: 0)
        _ = isDue(entry.number, client)
        return true
    }

    private func record(of entry: QueuedWrite) -> RecordID { entry.subject.sentRecord(in: context.schema) }

    /// The entry's object; for a change of a list, the member.
    func object(of entry: QueuedWrite) -> (any Model)? { entry.subject.object(in: context) }

    private func unblock(_ record: RecordID) {
        needs[record] = nil
        guard let waiting = blocked.removeValue(forKey: record) else { return }
        for entry in waiting { needs[entry.subject.record] = nil }
        next += waiting.sorted { $0.number > $1.number }
    }

    private func block(_ entry: QueuedWrite, by need: Need) {
        needs[entry.subject.record] = need
        engine.read { $0.hasBlocked = true }
        blocked[need.record, default: []].append(entry.key)
    }

    private func client(of subject: QueuedSubject) -> APIClient? {
        guard let clients = file.companion as? APIClients else { return nil }
        let schema = context.schema
        let model = schema[subject.record.table]
        let target = subject.membership.flatMap { schema.target(of: model[$0.property]) }
        return clients[(target ?? model).api]
    }

    // MARK: Sending

    private func send(_ job: Job) async {
        let (entry, subject) = (job.entry, job.entry.subject)
        let verdict = await perform(job)
        engine.note(verdict, of: entry.number, to: job.client.index, after: job.failures)
        if verdict.isTriedAgain, isDue(entry.number, job.client) {
            let now = engine.time.elapsed()
            report.nextAttempt = min(report.nextAttempt ?? now, now)
        }
        await note(verdict, of: entry)
        engine.read { _ = $0.sending.remove(subject) }
        notify()
    }

    private func notify() {
        engine.notify()
        context.noteOutbox()
    }

    /// The current entry; nil if it has ended.
    func newest(_ key: QueuedWrite.Key) -> QueuedWrite? {
        guard let found = try? context.queuedWrite(key.subject), found.number == key.number else { return nil }
        return found
    }

    private func note(_ verdict: OutboxVerdict, of entry: QueuedWrite) async {
        let subject = entry.subject
        switch verdict {
        case .done, .takenBack:
            if verdict == .done {
                report.sent += 1
                report.sentEntries.append(entry.number)
            } else {
                report.takenBack += 1
            }
            // Sends edits that were made during the request.
            if newest(entry.key) != nil { next.append(entry.key) }
            unblock(subject.record)
            if subject.membership != nil { unblock(subject.sentRecord(in: context.schema)) }
        case .reject(let rejection):
            report.rejections.append(rejection)
            // If this fails, the entry will be sent and rejected again.
            let changes = [OutboxChange.reject(subject, rejection.text, entry.version)]
            try? await context.changeOutbox(
                changes + bodyChanges(of: entry, after: rejection) + unknownOutcomeChanges(of: entry, after: rejection))
            // Sends a correction that was queued during the request.
            if let corrected = newest(entry.key), corrected.rejection == nil, corrected.version != entry.version {
                next.append(entry.key)
            }
        case .stop: isStopped = true
        case .wait:
            engine.read { $0.hasBlocked = true }
            await forgetUnsentBody(of: entry)
        case .hold, .pause, .later: await forgetUnsentBody(of: entry)
        }
    }

    /// A corrected creation gets a new body and key, unless an earlier request may have created the object.
    private func bodyChanges(of entry: QueuedWrite, after rejection: Rejection) -> [OutboxChange] {
        if rejection.kind == .undecided || entry.action == .delete { return [] }
        guard let object = object(of: entry), !object.isKnownToServer, context.hasUnknownOutcome(object) else {
            return [.send(entry.subject, nil)]
        }
        guard SentBody(text: newest(entry.key)?.sent)?.key != nil else { return [] }
        // The server would have repeated the reply to an accepted request with this key. Only a validation error proves
        // that there was none: for other reasons a server may refuse before it looks at the key.
        return rejection.kind == .invalid
            ? [.send(entry.subject, nil), .settle(QueuedSubject(object._object.record))] : []
    }

    /// If the object is gone, its earlier requests are settled, unless an edited identity may have renamed it.
    private func unknownOutcomeChanges(of entry: QueuedWrite, after rejection: Rejection) -> [OutboxChange] {
        guard rejection.kind == .gone, entry.action == .save, let state = object(of: entry)?._object, state.isAtServer,
            !state.unsentProperties.contains(where: { state.model.identity.contains($0.index) })
        else { return [] }
        return [.settle(entry.subject)]
    }

    /// The next attempt of an unsent creation has the newest values.
    private func forgetUnsentBody(of entry: QueuedWrite) async {
        guard newest(entry.key)?.sent != nil, let object = object(of: entry), !context.hasUnknownOutcome(object) else {
            return
        }
        try? await context.changeOutbox([.send(entry.subject, nil)])
    }

    private func perform(_ job: Job) async -> OutboxVerdict {
        let (entry, client) = (job.entry, job.client)
        let (scope, isCreation): (OutboxScope, Bool)
        switch job.task {
        case .nothing where entry.action == .delete:
            return .reject(Rejection(.unsendable, "The deleted object can't be read any more. Discard this entry."))
        case .nothing: return await end(entry)
        case .send(let made, let makes): (scope, isCreation) = (made, makes)
        }
        if let rows = entry.rows, entry.action == .delete { return await delete(rows, of: job, scope) }
        guard let object = object(of: entry) else { return await end(entry) }
        if isCreation, !scope.mayRepeat, context.hasUnknownOutcome(object) {
            return await lookUp(object, scope, by: client) { (scope) async -> OutboxVerdict in
                _ = self
                return await self.send(object, of: job, scope, isCreation: true)
            }
        }
        return await send(object, of: job, scope, isCreation: isCreation)
    }

    private func send(
        _ object: any Model, of job: Job, _ scope: OutboxScope, isCreation: Bool
    ) async -> OutboxVerdict {
        let (entry, client) = (job.entry, job.client)
        if let membership = entry.subject.membership {
            guard let owner = context.object(for: entry.subject.record) else { return await end(entry) }
            let (list, isAdded) = (owner._object.model[membership.property], entry.action == .add)
            return await perform(scope, isCreation: isCreation, by: client) { (settings) async throws(APIError) in
                _ = self
                try await owner.change(list, object, isAdded: isAdded, with: settings)
            }.verdict
        }
        var isSent = true
        let verdict = await resolvingConflicts(of: job, scope) { (scope) async -> Attempt in
            _ = self
            return await self.perform(scope, isCreation: isCreation, by: client) { (settings) async throws(APIError) in
                _ = self
                if isCreation {
                    try await object.createNow(settings)
                } else {
                    isSent = try await object.saveNow(nil, settings)
                }
            }
        }
        guard verdict == .done, newest(entry.key) != nil, object.isKnownToServer else { return verdict }
        let unsent = object._object.unsentProperties
        if unsent.isEmpty { return await end(entry) }
        if isSent { return verdict }
        let names = unsent.map(\.name).joined(separator: ", ")
        return .reject(Rejection(.unsendable, "No request changes \(names). Discard this entry, or fetch the object."))
    }

    private func lookUp(
        _ object: any Model, _ scope: OutboxScope, by client: APIClient,
        creating create: (OutboxScope) async -> OutboxVerdict
    ) async -> OutboxVerdict {
        let lookup: CreationLookup
        switch await lookUp(object._object, at: object._object.record, scope, by: client) {
        case .success(let found): lookup = found
        case .failure(let error): return OutboxVerdict(error, isCreation: true, now: client.api.now())
        }
        // The import of the fetched list may have recognized the object.
        if object.isKnownToServer { return .done }
        switch lookup {
        case .impossible:
            var scope = scope
            scope.mayRepeat = client.api.conventions.unknownCreations == .repeat
            return await create(scope)
        case .missing:
            var scope = scope
            scope.mayRepeat = true
            return await create(scope)
        case .found(let found):
            return await perform(scope, isCreation: true, by: client) { (_) async throws(APIError) in
                _ = self
                try await object.adopt(found, by: client, in: self.context)
            }.verdict
        case .several: return .reject(.several(object._object.model.modelName))
        case .unclear: return .reject(.unclear(object._object.model.modelName))
        }
    }

    func lookUp(
        _ row: any OutboundRow, at record: RecordID, _ scope: OutboxScope, by client: APIClient
    ) async -> Result<CreationLookup, APIError> {
        await OutboxScope.$current.withValue(
            scope,
            operation: { () async -> Result<CreationLookup, APIError> in
                _ = self
                do throws(APIError) {
                    return .success(
                        try await self.context.lookUpCreation(of: row, at: record, scope.natural, by: client))
                } catch {
                    return .failure(error)
                }
            }, isolation: self)
    }

    func end(_ entry: QueuedWrite) async -> OutboxVerdict {
        var changes = [
            entry.action == .save
                ? OutboxChange.drop(entry.subject, entry.version) : .end(entry.subject, entry.version)
        ]
        // A new object that left the list must still be created.
        if entry.action == .add, let object = object(of: entry), !object.isKnownToServer {
            changes.append(.queue(.save, QueuedSubject(object._object.record), account: entry.account))
        }
        do {
            try await context.changeOutbox(changes)
            return .done
        } catch {
            return .later
        }
    }

    struct Attempt {
        var verdict: OutboxVerdict
        var conflict: Conflict?

        init(_ verdict: OutboxVerdict, _ conflict: Conflict? = nil) {
            (self.verdict, self.conflict) = (verdict, conflict)
        }
    }

    /// - Parameter operation: must mention `self`, which isolates the closure to this actor.
    func perform(
        _ scope: OutboxScope, isCreation: Bool, by client: APIClient,
        _ operation: (Call.Settings?) async throws(APIError) -> Void
    ) async -> Attempt {
        let settings: Call.Settings? = scope.key.map { key in { $0.idempotencyKey = key } }
        return await OutboxScope.$current.withValue(
            scope,
            operation: { () async -> Attempt in
                _ = self
                do throws(APIError) {
                    try await operation(settings)
                    return Attempt(.done)
                } catch {
                    var verdict = OutboxVerdict(error, isCreation: isCreation, now: client.api.now())
                    // Another account has signed in during the request. The pause concerned the former one.
                    if case .pause = verdict, scope.account != client.api.account { verdict = .later }
                    if verdict.isTriedAgain { self.report.problem = error }
                    if case .conflict(let conflict) = error { return Attempt(verdict, conflict) }
                    return Attempt(verdict)
                }
            }, isolation: self)
    }

    // MARK: Needs

    private func isInCircle(_ need: Need, of record: RecordID) -> Bool {
        // The creation of the needed object is in flight, so its end is all that is missing.
        if engine.isSending(QueuedSubject(need.record)) { return false }
        var (next, seen) = (need.record, Set<RecordID>())
        while seen.insert(next).inserted {
            if next == record { return true }
            guard let further = needs[next] else { break }
            next = further.record
        }
        // The needed object's entry may still be unread.
        guard let object = context.object(for: need.record), !object.isKnownToServer else { return false }
        return context.leads(object, to: record)
    }

    /// The queued deletion that must be sent before an object with the same identity is created.
    private func deletion(withIdentityOf object: any Model) -> Need? {
        guard object._object.hasIdentity, let deleted = context.queuedDeletion(withIdentityOf: object) else {
            return nil
        }
        return Need(record: deleted, link: PropertyIndex(0), canWait: false)
    }
}

struct Need: Sendable {
    let record: RecordID
    let link: PropertyIndex
    let canWait: Bool
}
