import Foundation
import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

/// One request to the API, and the effect of its reply. Each page of a list is one, too.
///
/// Cancelling the task discards a fetched reply, but an acknowledged change is still stored.
///
/// ```
/// RoundTrip(url, body, model, subject)
///   send()          → Reply                a success or a 304, read by the API's conventions
///                     APIError             no reply, a failure, a conflict with both versions, another object
///   import(…)       → ImportOutcome        the reply's objects are in the file
///   confirm(…)                             the sent values are in the file, and the reply's
/// ```
struct RoundTrip {
    let client: APIClient
    let context: ObjectContext
    /// Keeps the context alive until the reply is stored.
    let hold: ContextHold?
    let method: HTTPRequest.Method
    var url: RequestURL
    var body: RequestDraft.Body?
    var call: Call
    var form: Reply.Form
    /// The model whose property names errors use.
    var model: ModelSchema? { form.model }
    /// The object that this is about; nil for several objects, or other things.
    var subject: Subject?
    /// Whether this repeats the creation of an object deleted locally. The subject is then nil.
    var repeatsCreation = false
    /// A 303 must redirect to this URL to show the outcome of a change.
    var address: (() -> URLAroundKey?)?
    /// New objects in the body, which the server may create.
    var nestedCreations: [ImportRequest.NestedCreation] = []
    /// Known objects in the body, with the edits sent.
    var nestedEdits: [RecordID: Set<ChangeStamp>] = [:]
    /// The use of a stored answer, if any. See ``keeping(_:by:)``.
    var purpose: String?
    var policy = FetchPolicy.revalidate
    var canRevalidate = false
}

// MARK: Sending

extension RoundTrip {
    func about(_ subject: Subject) -> RoundTrip {
        var trip = self
        trip.subject = subject
        return trip
    }

    func send(_ ahead: RequestAhead? = nil) async throws(APIError) -> Reply {
        do { try context.checkActor(#isolation) } catch { throw .store(error) }
        let completion = if let ahead { await ahead.completion() } else { try await dispatch().completion() }
        let response = try completion.response.get()
        noteResponse(response, from: completion.exchange)
        switch try storeStep(response, completion) {
        case .answered(let reply): return reply
        case .askAgain: return try await reloading.send()
        case .none: break
        }
        var reply = try await understand(response, to: completion.request)
        reply.requestStart = completion.requestStart
        if let exchange = completion.exchange { noteFreshness(of: &reply, in: exchange) }
        return reply
    }

    /// - Throws: ``APIError`` if the response is a failure, or is about another object.
    private func understand(_ response: APIResponse, to request: APIRequest) async throws(APIError) -> Reply {
        if isRedirected(response) { return try await replyAtOwnURL(response) }
        guard response.isSuccess && !isRefusal(response) || isUnmodified(response, to: request) else {
            let error = await ReplyError.read(response, FieldNames(model, client.schema))
            guard error.kind == .conflict, let subject else { throw .reply(error) }
            throw .conflict(await conflict(error, about: subject))
        }
        var response = response
        if let reader = call.reading, response.isSuccess { response = try await read(response, by: reader) }
        try checkBody(response)
        let reply = try await read(response)
        if isSafe, reply.isFailure {
            throw .reply(await ReplyError.read(response, FieldNames(model, client.schema)))
        }
        return reply
    }

    /// Runs the call's reader. If its own request fails before it is sent, the error is wrapped, since the server has
    /// accepted this request.
    private func read(_ response: APIResponse, by reader: ReplyReader) async throws(APIError) -> APIResponse {
        do throws(APIError) { return try await reader(response) } catch {
            guard !isSafe, error.outcome == .refused, !error.isRefusal else { throw error }
            throw .unread(error, RequestSummary(response.request))
        }
    }

    private func noteResponse(_ response: APIResponse, from exchange: AnswerExchange?) {
        guard let responses = CallScope.current?.responses, exchange?.course.isUnsent != true, response.unsent == nil
        else { return }
        responses.add(ResponseHead(response))
    }

    private func read(_ response: APIResponse) async throws(APIError) -> Reply {
        let reply = await Reply.read(response, as: form, from: client)
        if isCreation {
            guard reply.isList, response.status == .created else { return reply }
            return await reply.onlyObject(from: client) ?? reply
        }
        guard let subject, method != .delete else { return reply }
        if reply.isList, let object = await reply.onlyObject(from: client), try subject.isSubject(of: object) == true {
            return object
        }
        if try subject.isSubject(of: reply) == false {
            throw .otherObject(model: subject.model.modelName, reply.request)
        }
        return reply
    }

    private func isUnmodified(_ response: APIResponse, to request: APIRequest) -> Bool {
        guard response.status == .notModified, isSafe else { return false }
        return [request, response.request].contains { sent in
            [HTTPField.Name.ifNoneMatch, .ifModifiedSince].contains(where: sent.headerFields.contains)
        }
    }

    /// Whether a success reports a failure. Creations are checked by ``names(_:in:or:)``, lists by their import.
    private func isRefusal(_ response: APIResponse) -> Bool {
        guard let model, !isCreation else { return false }
        guard isSafe else { return response.isRefusal(of: model, at: client) }
        return form.content == .object && response.isErrorReport(about: model, at: client)
    }

    /// Whether the URL asks for parts of objects (sparse fields).
    var asksForParts: Bool {
        RequestURL(client.api.requestURL(url)).has(client.api.conventions.partParameters)
    }

    var isSafe: Bool { Dispatch.isSafe(method) }

    var isCreation: Bool { repeatsCreation || subject?.isNew == true }

    /// - Throws: ``APIError/body(_:_:)`` for a page of HTML, an image or the like.
    private func checkBody(_ response: APIResponse) throws(APIError) {
        guard !isSafe, response.isForeign, let error = JSONError(readingFrom: response.body) else { return }
        throw APIError(error, response)
    }

    func dispatch() throws(APIError) -> Dispatch {
        let request = try client.request(
            RequestDraft(method: method, url: url, body: body, call: call, model: model))
        let exchange = try exchange(for: request)
        // A reader's result stays out of the store.
        if call.reading != nil, policy.kind == .offline { throw .notStored(RequestSummary(request)) }
        let requestStart = context.operations.startRequest()
        do {
            return Dispatch(
                request: request, exchange: exchange, requestStart: requestStart,
                flights: try context.openFile().shared { Flights() }, api: client.api)
        } catch {
            throw .store(error)
        }
    }

    func checking(
        _ url: RequestURL, about model: ModelSchema? = nil, asking content: Reply.Content = .other
    ) -> RoundTrip {
        var get = client.roundTrip(
            .get, url.addingMissing(call.query, at: client), about: model, asking: content, in: context)
        get.call = call.ofChecks
        return get
    }

    /// The server's version is in the reply's body, or else fetched by one GET, and left out of the store.
    private func conflict(_ error: ReplyError, about subject: Subject) async -> Conflict {
        var server = subject.version(in: error.body)
        // The outbox fetches the version itself, with its validator.
        if server == nil, OutboxScope.current == nil, let url = subject.url {
            let get = checking(url, about: model)
            if let reply = try? await get.send(), reply.hasBody { server = subject.version(in: reply.body) }
        }
        return Conflict(
            reply: error, base: subject.base, local: subject.sent, server: server, edits: subject.edits)
    }
}

// MARK: Storing fetched replies

extension RoundTrip {
    /// Stores `batches`, the reply and `following` in one transaction, off this actor.
    func `import`(
        _ reply: Reply, as request: ImportRequest, after batches: [WriteBatch] = [], then following: [WriteBatch] = []
    ) async throws(APIError) -> ImportOutcome {
        try reply.checkContent()
        if let model, model.options.singular, reply.isList {
            let rejection = ImportReport.Rejection(
                path: "", model: model.modelName, reason: .notAnObject(found: "a list"))
            throw reply.noObject(ImportReport(rejecting: rejection))
        }
        // A reply from an object's own URL is never a list.
        let isEmptyList = request.target == nil && reply.isEmptyList
        var request = request
        request.keyPath = isEmptyList ? [] : reply.keyPath
        request.wholeKey = isEmptyList ? nil : reply.wholeKey
        request.elementPath = reply.elementPath
        request.isOfParts = asksForParts
        request.requestTime = reply.requestStart?.stamp
        request.isAnswer = reply.content == .object
        request.isStrict = client.api.reports.isStrict
        (request.answer, request.outdated) = (reply.answer, reply.outdated)
        // Storing a reply may take as long as its request.
        request.deadline = ContinuousClock.now + (call.timeout ?? client.api.timeout)
        let outcome: ImportOutcome
        do {
            outcome = try await context.importBody(
                isEmptyList ? Array("[]".utf8) : reply.body, request, after: batches, then: following)
        } catch {
            if case .rejected(let report) = error {
                throw report.lacksKnownProperties ? reply.noObject(report) : .leftOut(report, reply.request)
            }
            throw APIError(error, reply.response)
        }
        for batch in batches { context.noteSaved(batch) }
        deliver(outcome.report, of: reply)
        return outcome
    }

    func fetchObject<M: Model>(
        _ type: M.Type, joining membership: ImportRequest.Membership? = nil, after batches: [WriteBatch] = [],
        known: () throws(APIError) -> M? = { () throws(APIError) in nil }
    ) async throws(APIError) -> M {
        var trip = self
        trip.canRevalidate = membership == nil
        let reply = try await trip.send()
        if let kept = reply.kept {
            reportKept(reply)
            if reply.isStale, let model { revalidateLater(as: ImportRequest(model)) }
            if let object = context.objects(type, of: kept.rows.roots).first { return object }
            throw reply.noObject(ImportReport())
        }
        if reply.isUnmodified, let object = try known() { return object }
        guard let model, !reply.isUnmodified else { throw reply.noObject(ImportReport()) }
        var request = ImportRequest(model)
        request.membership = membership
        let outcome = try await self.import(reply, as: request, after: batches)
        guard let object = context.objects(type, of: outcome.roots).first else {
            try context.checkNotErased()
            throw reply.noObject(outcome.report)
        }
        let validators = fetchedValidators(in: reply, of: object)
        if !validators.isEmpty {
            do { try await context.write(validators) } catch { throw .store(error) }
        }
        return object
    }

    func fetchObjects<M: Model>(_ type: M.Type) async throws(APIError) -> [M] {
        let reply = try await send()
        guard let model, !reply.isUnmodified, reply.hasBody else { return [] }
        let objects = context.objects(type, of: try await self.import(reply, as: ImportRequest(model)).roots)
        try context.checkNotErased()
        return objects
    }
}

// MARK: Reporting omissions

extension RoundTrip {
    /// Delivers a report to the caller's collector, or else its omissions to the API's listeners.
    private func deliver(_ report: ImportReport, of reply: Reply) {
        deliver(report, of: reply.request, isNotable: report.isNotable)
    }

    func reportKept(_ reply: Reply) {
        guard let kept = reply.kept else { return }
        var report = ImportReport()
        report.noteKept(kept.rows)
        deliver(report, of: reply.request, isNotable: false)
    }

    /// Reports that a list goes on after the last page fetched.
    ///
    /// - Parameter isNotable: whether the API's listeners get it if the caller has no collector.
    func reportMore(after request: RequestSummary, isNotable: Bool) {
        var report = ImportReport()
        report.hasMore = true
        deliver(report, of: request, isNotable: isNotable)
    }

    private func deliver(_ report: ImportReport, of request: RequestSummary, isNotable: Bool) {
        client.deliver(report, of: request, isNotable: isNotable)
    }

    func reportConfirmed(_ report: ImportReport, of reply: Reply) throws(APIError) {
        try client.reportConfirmed(report, of: reply.request)
    }
}

extension APIClient {
    fileprivate func deliver(_ report: ImportReport, of request: RequestSummary, isNotable: Bool) {
        let notifyListeners = { @Sendable [reports = api.reports] in reports.deliver(report, of: request) }
        guard let sum = CallScope.current?.reports else { return isNotable ? notifyListeners() : () }
        sum.add(report, or: isNotable ? notifyListeners : nil)
    }

    /// Delivers a report. A strict API throws ``APIError/leftOut(_:_:)`` for omissions.
    func reportConfirmed(_ report: ImportReport, of request: RequestSummary) throws(APIError) {
        if api.reports.isStrict, !report.isComplete { throw .leftOut(report, request) }
        deliver(report, of: request, isNotable: report.isNotable)
    }
}

// MARK: Storing acknowledged changes

// They are stored even if the context has ended, since the sent values may exist nowhere else.

struct SentChange {
    /// The values sent, and rows that must precede them.
    var batches: [WriteBatch]
    var confirmations: [WriteBatch.Confirmation]
    var membership: ImportRequest.Membership?
    /// The key from the `Location`, for a reply that lacks an object.
    var location: [UInt8]?
}

extension RoundTrip {
    func acceptedChange(_ reply: Reply, about object: ObjectState, taking sent: SentChange) throws(APIError)
        -> AcceptedChange
    {
        let (membership, location) = (sent.membership, sent.location)
        let (batches, confirmations) = (sent.batches, sent.confirmations)
        let hasObject = try isCreation ? names(object, in: reply, or: location) : reply.hasObject
        guard hasObject || location != nil || membership != nil else {
            return AcceptedChange(batches: batches, confirmations: confirmations)
        }
        var request = object.importRequest
        request.nestedCreations = nestedCreations
        request.nestedEdits = nestedEdits
        request.isCreation = isCreation && (hasObject || location != nil)
        request.mayRename = hasObject && !isCreation && subject?.mayRename == true
        request.membership = membership
        request.teachesShapes = hasObject
        request.isOfParts = asksForParts
        if hasObject { request.keyPath = reply.keyPath }
        return AcceptedChange(
            reply, importing: hasObject ? reply.body : location ?? Array("{}".utf8), as: request, after: batches,
            confirming: confirmations)
    }

    /// Stores the change. Report the result by ``reportConfirmed(_:of:)``.
    func confirm(_ acceptedChange: AcceptedChange, of reply: Reply) async throws(APIError) -> ImportReport {
        do {
            return try await acceptedChange.store(in: context)
        } catch {
            if case .rejected(let report) = error { throw reply.notCreated(report) }
            throw APIError(ofUnstored: error, reply.request)
        }
    }

    func store(
        _ batches: [WriteBatch], confirming confirmations: [WriteBatch.Confirmation] = []
    ) async throws(APIError) {
        do {
            _ = try await AcceptedChange(batches: batches, confirmations: confirmations).store(in: context)
        } catch {
            throw APIError(ofUnstored: error, RequestSummary(method: method.rawValue, url: client.api.requestURL(url)))
        }
    }
}

extension ObjectState {
    var importRequest: ImportRequest {
        ImportRequest(of: record)
    }
}

extension APIError {
    /// The media type may explain the error.
    init(_ error: JSONError, _ response: APIResponse) {
        var error = error
        error.hint = error.hint ?? response.foreignType.map { "the server calls it \($0)" }
        self = .body(error, RequestSummary(response.request))
    }

    init(_ error: StoreError, _ response: APIResponse) {
        let request = RequestSummary(response.request)
        switch error {
        case .json(let json): self = APIError(json, response)
        case .timedOut: self = .transport(TransportError(.timedOut(after: response.request.timeout), request))
        default: self = .store(error)
        }
    }

    init(ofUnstored error: StoreError, _ request: RequestSummary) {
        switch error {
        case .json(let json): self = .body(json, request)
        default: self = .unstored(error, request)
        }
    }
}

// MARK: The subject of a request

/// The object that a request changes, as of when the request was made.
struct Subject: Sendable {
    let model: ModelSchema
    /// The values sent; for a deletion, the whole object.
    let sent: PropertyValues
    /// The values that the edits were made on, except lists.
    let base: PropertyValues
    var edits: Set<ChangeStamp> = []
    let url: RequestURL?
    let schema: Schema
    let hasIdentity: Bool
    /// Whether the request creates it, so that the server may choose its identity.
    var isNew = false
    var mayRename = false
    /// The current value of each attribute, and the server's.
    private let identity: [PropertyIndex: (value: StoredValue, known: StoredValue)]
    /// The attributes that are sent with another value than the server's.
    private let renamed: Set<PropertyIndex>

    init(_ object: ObjectState, sending properties: [Property], to client: APIClient) {
        model = object.model
        sent = object.values(of: properties)
        let serverValues = ServerValues(of: object)
        base = serverValues.values(of: properties.filter { $0.list == nil }, asEdited: true)
        schema = client.schema
        hasIdentity = object.hasIdentity
        url = object.hasIdentity ? try? client.url(of: object) : nil
        identity = object.sentValues(
            object.model.identity.map { object.model[$0] }.filter { $0.link == nil }, knowing: serverValues)
        renamed = Set(properties.map(\.index)).intersection(identity.filter { $1.value != $1.known }.keys)
    }

    /// The first object that has this identity; any object if this one lacks an identity.
    func version(in body: [UInt8]) -> PropertyValues? {
        var reader = ObjectReader(schema)
        guard let objects = try? reader.objects(in: body, of: model) else { return nil }
        return objects.first { isNamed(by: $0) == true }
    }

    /// Whether the reply is about this object; nil if either lacks an identity.
    func isSubject(of reply: Reply) throws(APIError) -> Bool? {
        guard reply.mayHaveObject, hasIdentity else { return nil }
        var reader = ObjectReader(schema)
        let identity = mayRename ? attributesOfIdentity : fixedIdentity
        guard !identity.isEmpty else { return nil }
        do {
            return try reader.attributes(identity, in: reply.body, at: reply.documentKeyPath, of: model)
                .flatMap { mayRename ? hasName(in: $0) : isNamed(by: $0) }
        } catch let error as JSONError {
            throw APIError(error, reply.response)
        } catch {
            return nil
        }
    }

    private func hasName(in values: PropertyValues) -> Bool? {
        attributesOfIdentity.allSatisfy { !values.values(of: model[$0]).isEmpty } ? true : nil
    }

    /// The identity's attributes, except those sent with a new value, which the server may normalize.
    var fixedIdentity: [PropertyIndex] {
        mayRename ? [] : attributesOfIdentity.filter { !renamed.contains($0) }
    }

    private var attributesOfIdentity: [PropertyIndex] { model.identity.filter { model[$0].link == nil } }

    /// Whether values have this object's identity, its current or the server's; nil if they lack all of it. To an
    /// object that lacks an identity, any fits.
    ///
    /// - Parameter parts: the attributes to compare; nil for all.
    func isNamed(by values: PropertyValues, among parts: [PropertyIndex]? = nil) -> Bool? {
        var isNamed = false
        for (index, own) in identity where parts?.contains(index) ?? true {
            guard let found = values.attributes[model[index].name], !found.isNull, found != .text("") else { continue }
            guard hasIdentity else { return true }
            guard found == own.value || found == own.known else { return false }
            isNamed = true
        }
        return isNamed ? true : nil
    }
}

extension RoundTrip {
    /// Sends the request. A 410 deletes the object locally, if the API's tombstones say so.
    func sendingUnlessGone(_ record: RecordID) async throws(APIError) -> Reply {
        let requestStart = context.operations.startRequest()
        do throws(APIError) { return try await send() } catch {
            guard client.api.conventions.tombstones.isGoneDeleted, case .reply(let reply) = error, reply.status == 410
            else {
                throw error
            }
            do {
                _ = try await context.prune([record], requestedAt: requestStart.stamp, after: WriteBatch.confirmed())
            } catch let failure {
                throw .store(failure)
            }
            throw error
        }
    }
}
