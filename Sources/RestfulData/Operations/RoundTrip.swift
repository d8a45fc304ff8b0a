import Foundation
import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport

/// One request to the API, and what its reply changes here: request → send → understand the reply → import or confirm.
///
/// Whatever is fetched, created, saved, deleted, added or linked goes this way, and so does each page of a list. What
/// the server has done is stored even when the task is cancelled; what it was only asked for isn't.
///
/// ```
/// RoundTrip(url, body, model, subject)
///   send()          → Reply                the reply of a success or of 304, read by the API's conventions
///                     APIError             no reply, a failure, a conflict with both versions, another object
///   fetch(…)        → ImportOutcome        the reply's objects are in the file
///   confirm(…)                             so is what was sent, with what the reply says of it
/// ```
struct RoundTrip {
    let client: APIClient
    let context: ObjectContext
    /// Lets the context live until what has come is stored.
    let hold: ContextHold?
    let method: HTTPRequest.Method
    var url: RequestURL
    var body: RequestDraft.Body?
    /// The call's settings.
    var call: Call
    /// What the reply is read as.
    var form: Reply.Form
    /// The model that the reply is about, whose names errors use; nil when there is none.
    var model: ModelSchema? { form.model }
    /// The object that is changed at the server; nil when the request is about no single one.
    var subject: Subject?
    /// Whether it repeats the creation of an object that was deleted here. It has no subject.
    var repeatsCreation = false
    /// The subject's own URL but for its key: where a redirect by 303 has to lead to say what has become of a change.
    var address: (() -> URLAroundKey?)?
    /// What the server may make in passing.
    var inPassing: [ImportRequest.InPassing] = []
    /// What it knows and has been sent within the subject, with the edits.
    var within: [RecordID: Set<ChangeStamp>] = [:]
    /// What the answer is taken for, where the store keeps it; see ``keeping(_:by:)``.
    var purpose: String?
    /// Whether the server is asked, where the store may know the answer.
    var policy = FetchPolicy.revalidate
    /// Whether the caller sees to it that the server is asked of a stale answer once that has been used.
    var canRevalidate = false
}

// MARK: Sending

extension RoundTrip {
    /// The same about an object that is changed.
    func about(_ subject: Subject) -> RoundTrip {
        var trip = self
        trip.subject = subject
        return trip
    }

    /// Sends the request, and reads the reply: request → send → the store's answer → understand.
    ///
    /// - Parameter ahead: the same request, if it was sent before.
    /// - Throws: ``APIError`` for an invalid URL, no reply, or one that isn't a success; ``APIError/conflict(_:)`` and
    ///   ``APIError/otherObject(model:_:)`` for a request about a ``Subject``.
    func send(_ ahead: RequestAhead? = nil) async throws(APIError) -> Reply {
        do { try context.checkActor(#isolation) } catch { throw .store(error) }
        let landing = if let ahead { await ahead.landing() } else { try await dispatch().landing() }
        let response = try landing.response.get()
        noteResponse(response, from: landing.exchange)
        switch try storeStep(response, landing) {
        case .answered(let reply): return reply
        case .askAgain: return try await reloading.send()
        case .none: break
        }
        var reply = try await understand(response, to: landing.request)
        reply.question = landing.question
        if let exchange = landing.exchange { noteFreshness(of: &reply, in: exchange) }
        return reply
    }

    /// Reads a response of the server's.
    ///
    /// - Throws: ``APIError`` for one that isn't a success, or is about something else.
    private func understand(_ response: APIResponse, to request: APIRequest) async throws(APIError) -> Reply {
        if isRedirected(response) { return try await replyAtOwnURL(response) }
        guard response.isSuccess && !isRefusal(response) || isUnmodified(response, to: request) else {
            let error = await ReplyError.read(response, FieldNames(model, client.schema))
            guard error.kind == .conflict, let subject else { throw .reply(error) }
            throw .conflict(await conflict(error, about: subject))
        }
        var response = response
        if let reader = call.reading, response.isSuccess { response = try await reader(response) }
        try checkBody(response)
        let reply = try await read(response)
        if isQuestion, reply.isFailure {
            throw .reply(await ReplyError.read(response, FieldNames(model, client.schema)))
        }
        return reply
    }

    /// Adds the response to those that the caller collects, unless the store gave it.
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

    /// Whether the server has nothing newer than what a condition names that is not of the store: the caller's, or
    /// middleware's. To a question without one that is no answer.
    private func isUnmodified(_ response: APIResponse, to request: APIRequest) -> Bool {
        guard response.status == .notModified, isQuestion else { return false }
        return [request, response.request].contains { sent in
            [HTTPField.Name.ifNoneMatch, .ifModifiedSince].contains(where: sent.headerFields.contains)
        }
    }

    /// Whether a success says that what was to be changed was not, or has an error's words where the object that was
    /// asked for should be. The reply to another question or a creation has to name an object anyway.
    private func isRefusal(_ response: APIResponse) -> Bool {
        guard let model, !isCreation else { return false }
        guard isQuestion else { return response.isRefusal(of: model, at: client) }
        return form.content == .object && response.isMistake(about: model, at: client)
    }

    /// Whether the URL asks for a part of each object.
    var asksForParts: Bool {
        RequestURL(client.api.requestURL(url)).has(client.api.conventions.partParameters)
    }

    var isQuestion: Bool { Dispatch.isQuestion(method) }

    /// Whether it is to create an object.
    var isCreation: Bool { repeatsCreation || subject?.isNew == true }

    /// - Throws: ``APIError/body(_:_:)`` when the reply to a change is a page of HTML, an image or the like.
    private func checkBody(_ response: APIResponse) throws(APIError) {
        guard !isQuestion, response.isForeign, let error = JSONError(readingFrom: response.body) else { return }
        throw APIError(error, response)
    }

    /// The request as it goes out.
    func dispatch() throws(APIError) -> Dispatch {
        let request = try client.request(
            RequestDraft(method: method, url: url, body: body, call: call, model: model))
        let exchange = try exchange(for: request)
        // What a reader makes of a reply isn't kept, so there is no answer here.
        if call.reading != nil, policy.kind == .offline { throw .notStored(RequestSummary(request)) }
        let question = context.underway.ask()
        do {
            return Dispatch(
                request: request, exchange: exchange, question: question,
                flights: try context.openFile().shared { Flights() }, api: client.api)
        } catch {
            throw .store(error)
        }
    }

    /// A GET that only finds out what this request's reply means.
    func checking(
        _ url: RequestURL, about model: ModelSchema? = nil, asking content: Reply.Content = .other
    ) -> RoundTrip {
        var get = client.roundTrip(.get, url, about: model, asking: content, in: context)
        get.call = call.ofChecks
        return get
    }

    /// Both versions of the subject. The server's is what the reply's body says of it. When that says nothing, it is
    /// asked for by one GET of the object's own URL; nothing of it is stored.
    private func conflict(_ error: ReplyError, about subject: Subject) async -> Conflict {
        var server = subject.version(in: error.body)
        // The outbox asks for it with its validator.
        if server == nil, OutboxScope.current == nil, let url = subject.url {
            let get = checking(url, about: model)
            if let reply = try? await get.send(), reply.hasBody { server = subject.version(in: reply.body) }
        }
        return Conflict(
            reply: error, base: subject.base, local: subject.sent, server: server, edits: subject.edits)
    }
}

// MARK: Storing what was fetched

extension RoundTrip {
    /// Imports a fetched reply in one transaction, off this actor.
    ///
    /// - Parameters:
    ///   - request: what it is imported as; where in the reply the objects are is added.
    ///   - batches: what is stored before, in the same transaction.
    ///   - following: what is stored after it.
    func `import`(
        _ reply: Reply, as request: ImportRequest, after batches: [WriteBatch] = [], then following: [WriteBatch] = []
    ) async throws(APIError) -> ImportOutcome {
        try reply.checkContent()
        if let model, model.options.singular, reply.isList {
            let rejection = ImportReport.Rejection(
                path: "", model: model.modelName, reason: .notAnObject(found: "a list"))
            throw reply.noObject(ImportReport(rejecting: rejection))
        }
        // What is fetched from an object's own URL is never a list.
        let isEmptyList = request.target == nil && reply.isEmptyList
        var request = request
        request.keyPath = isEmptyList ? [] : reply.keyPath
        request.wholeKey = isEmptyList ? nil : reply.wholeKey
        request.elementPath = reply.elementPath
        request.isOfParts = asksForParts
        request.asked = reply.question?.stamp
        request.isAnswer = reply.content == .object
        request.isStrict = client.api.reports.isStrict
        (request.answer, request.outdated) = (reply.answer, reply.outdated)
        // To store a reply may take as long as to get it.
        request.deadline = ContinuousClock.now + (call.timeout ?? client.api.timeout)
        let outcome: ImportOutcome
        do {
            outcome = try await context.importBody(
                isEmptyList ? Array("[]".utf8) : reply.body, request, after: batches, then: following)
        } catch {
            if case .rejected(let report) = error {
                throw report.isOfNoAnswer ? reply.noObject(report) : .leftOut(report, reply.request)
            }
            throw APIError(error, reply.response)
        }
        for batch in batches { context.noteSaved(batch) }
        tell(outcome.report, of: reply)
        return outcome
    }

    /// Fetches one object.
    ///
    /// - Parameters:
    ///   - membership: the list that it becomes a member of.
    ///   - known: finds the object that is here already, for a reply which says that there is nothing newer.
    /// - Throws: ``APIError/noObject(model:_:_:)`` when the reply has no such object.
    func fetchObject<M: Model>(
        _ type: M.Type, joining membership: ImportRequest.Membership? = nil, after batches: [WriteBatch] = [],
        known: () throws(APIError) -> M? = { () throws(APIError) in nil }
    ) async throws(APIError) -> M {
        var trip = self
        trip.canRevalidate = membership == nil
        let reply = try await trip.send()
        if let kept = reply.kept {
            tellKept(reply)
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

    /// Sends the request, imports the list of the reply, and returns its objects.
    func fetchObjects<M: Model>(_ type: M.Type) async throws(APIError) -> [M] {
        let reply = try await send()
        guard let model, !reply.isUnmodified, reply.hasBody else { return [] }
        let objects = context.objects(type, of: try await self.import(reply, as: ImportRequest(model)).roots)
        try context.checkNotErased()
        return objects
    }
}

// MARK: Telling what was left out

extension RoundTrip {
    /// Tells the caller's scope what an import did, and, where nobody hears of it, the API's listeners what it left
    /// out.
    private func tell(_ report: ImportReport, of reply: Reply) {
        tell(report, of: reply.request, isNews: report.isNews)
    }

    /// Tells that an answer is what is in the store.
    func tellKept(_ reply: Reply) {
        guard let kept = reply.kept else { return }
        var report = ImportReport()
        report.noteKept(kept.rows)
        tell(report, of: reply.request, isNews: false)
    }

    /// Tells likewise that a list goes on after the last of its pages that was fetched.
    ///
    /// - Parameter isNews: whether it is worth a word where nobody gets a report.
    func tellMore(after request: RequestSummary, isNews: Bool) {
        var report = ImportReport()
        report.hasMore = true
        tell(report, of: request, isNews: isNews)
    }

    private func tell(_ report: ImportReport, of request: RequestSummary, isNews: Bool) {
        client.tell(report, of: request, isNews: isNews)
    }

    /// Tells the same of what the server has done, once it is stored.
    ///
    /// - Throws: ``APIError/leftOut(_:_:)`` where the API is strict.
    func tellConfirmed(_ report: ImportReport, of reply: Reply) throws(APIError) {
        try client.tellConfirmed(report, of: reply.request)
    }
}

extension APIClient {
    fileprivate func tell(_ report: ImportReport, of request: RequestSummary, isNews: Bool) {
        let tellOthers = { @Sendable [reports = api.reports] in reports.tell(report, of: request) }
        guard let sum = CallScope.current?.reports else { return isNews ? tellOthers() : () }
        sum.add(report, or: isNews ? tellOthers : nil)
    }

    /// Tells what an import did of what the server has done.
    ///
    /// - Throws: ``APIError/leftOut(_:_:)`` where the API is strict.
    func tellConfirmed(_ report: ImportReport, of request: RequestSummary) throws(APIError) {
        if api.reports.isStrict, !report.isComplete { throw .leftOut(report, request) }
        tell(report, of: request, isNews: report.isNews)
    }
}

// MARK: Storing what the server has done

// It is stored also where the context has ended meanwhile: the server has acted, and what was sent may be nowhere else.

/// What the server has taken of an object, by a success.
struct Taken {
    /// What was sent, and what has to be in the file before.
    var batches: [WriteBatch]
    /// The edits that are acknowledged.
    var confirmations: [WriteBatch.Confirmation]
    /// The list that the object joined.
    var membership: ImportRequest.Membership?
    /// JSON with the key that the reply names, for one without an object.
    var location: [UInt8]?
}

extension RoundTrip {
    /// What was sent of an object, with what the reply says of it.
    ///
    /// - Parameters:
    ///   - object: what the request was about.
    ///   - sent: what the server has taken.
    func deed(_ reply: Reply, about object: ObjectState, taking sent: Taken) throws(APIError) -> Deed {
        let (membership, location) = (sent.membership, sent.location)
        let (batches, confirmations) = (sent.batches, sent.confirmations)
        let hasObject = try isCreation ? names(object, in: reply, or: location) : reply.hasObject
        guard hasObject || location != nil || membership != nil else {
            return Deed(batches: batches, confirmations: confirmations)
        }
        var request = object.importRequest
        request.inPassing = inPassing
        request.within = within
        request.isCreation = isCreation && (hasObject || location != nil)
        request.takesName = hasObject && !isCreation && subject?.takesName == true
        request.membership = membership
        request.teachesShapes = hasObject
        request.isOfParts = asksForParts
        if hasObject { request.keyPath = reply.keyPath }
        return Deed(
            reply, saying: hasObject ? reply.body : location ?? Array("{}".utf8), as: request, after: batches,
            confirming: confirmations)
    }

    /// Stores it in one transaction.
    ///
    /// - Returns: what the import did, which is not told yet.
    /// - Throws: ``APIError/unstored(_:_:)``.
    func confirm(_ deed: Deed, of reply: Reply) async throws(APIError) -> ImportReport {
        do {
            return try await deed.store(in: context)
        } catch {
            if case .rejected(let report) = error { throw reply.notCreated(report) }
            throw APIError(ofUnstored: error, reply.request)
        }
    }

    /// Stores what the server has done, when its reply says nothing that could be imported.
    func store(
        _ batches: [WriteBatch], confirming confirmations: [WriteBatch.Confirmation] = []
    ) async throws(APIError) {
        do {
            _ = try await Deed(batches: batches, confirmations: confirmations).store(in: context)
        } catch {
            throw APIError(ofUnstored: error, RequestSummary(method: method.rawValue, url: client.api.requestURL(url)))
        }
    }
}

extension ObjectState {
    /// What a body about this object is imported as.
    var importRequest: ImportRequest {
        ImportRequest(of: record)
    }
}

extension APIError {
    /// That a reply's body is no JSON, which its type may explain.
    init(_ error: JSONError, _ response: APIResponse) {
        var error = error
        error.hint = error.hint ?? response.foreignType.map { "the server calls it \($0)" }
        self = .body(error, RequestSummary(response.request))
    }

    /// What the store says of a reply's body.
    init(_ error: StoreError, _ response: APIResponse) {
        let request = RequestSummary(response.request)
        switch error {
        case .json(let json): self = APIError(json, response)
        case .timedOut: self = .transport(TransportError(.timedOut(after: response.request.timeout), request))
        default: self = .store(error)
        }
    }

    /// What the store says where it can't take what the server has done.
    init(ofUnstored error: StoreError, _ request: RequestSummary) {
        switch error {
        case .json(let json): self = .body(json, request)
        default: self = .unstored(error, request)
        }
    }
}

// MARK: What a request is about

/// The object that a request changes at the server, as it was when the request was made.
struct Subject: Sendable {
    let model: ModelSchema
    /// What of it goes out; for a deletion, the whole object.
    let sent: PropertyValues
    /// The version that its edits were made on, without lists.
    let base: PropertyValues
    /// The edits that go out.
    var edits: Set<ChangeStamp> = []
    /// Its own URL; nil for an object without an identity.
    let url: RequestURL?
    let schema: Schema
    let hasIdentity: Bool
    /// Whether the request is to create it; then the server may name it otherwise.
    var isNew = false
    /// Whether the reply names it, as the server may rename what it takes a change of.
    var takesName = false
    /// Of the identity's attributes by their index: the value now, and the one that the file has.
    private let identity: [PropertyIndex: (value: StoredValue, known: StoredValue)]
    /// Those of them that go out with another value than the server has said.
    private let renamed: Set<PropertyIndex>

    /// - Parameter properties: what of it goes out.
    init(_ object: ObjectState, sending properties: [Property], to client: APIClient) {
        model = object.model
        sent = object.values(of: properties)
        let said = LastSaid(of: object)
        base = said.values(of: properties.filter { $0.list == nil }, asEdited: true)
        schema = client.schema
        hasIdentity = object.hasIdentity
        url = object.hasIdentity ? try? client.url(of: object) : nil
        identity = object.sentValues(
            object.model.identity.map { object.model[$0] }.filter { $0.link == nil }, knowing: said)
        renamed = Set(properties.map(\.index)).intersection(identity.filter { $1.value != $1.known }.keys)
    }

    /// What a body says of this object, or of one that may become this object.
    func version(in body: [UInt8]) -> PropertyValues? {
        var reader = ObjectReader(schema)
        guard let objects = try? reader.objects(in: body, of: model) else { return nil }
        return objects.first { isNamed(by: $0) == true }
    }

    /// Whether a reply's object is this one; nil when the reply doesn't say, or this one has no identity yet.
    ///
    /// - Throws: ``APIError/body(_:_:)`` for a body that isn't JSON.
    func isSubject(of reply: Reply) throws(APIError) -> Bool? {
        guard reply.mayHaveObject, hasIdentity else { return nil }
        var reader = ObjectReader(schema)
        let identity = takesName ? attributesOfIdentity : fixedIdentity
        guard !identity.isEmpty else { return nil }
        do {
            return try reader.attributes(identity, in: reply.body, at: reply.documentKeyPath, of: model)
                .flatMap { takesName ? hasName(in: $0) : isNamed(by: $0) }
        } catch let error as JSONError {
            throw APIError(error, reply.response)
        } catch {
            return nil
        }
    }

    /// Whether values have a whole identity, as far as that is in attributes; nil where they don't.
    private func hasName(in values: PropertyValues) -> Bool? {
        attributesOfIdentity.allSatisfy { !values.values(of: model[$0]).isEmpty } ? true : nil
    }

    /// The attributes of the identity that a reply can't change: what a name that was sent has come to, the server
    /// says.
    var fixedIdentity: [PropertyIndex] {
        takesName ? [] : attributesOfIdentity.filter { !renamed.contains($0) }
    }

    private var attributesOfIdentity: [PropertyIndex] { model.identity.filter { model[$0].link == nil } }

    /// Whether values have this object's identity, as it is or was; nil when a part of it is missing. An object without
    /// one may get any.
    ///
    /// - Parameter parts: the attributes that are compared; nil for the whole identity.
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
    /// Sends the request for one object. Where the server answers that it is gone, and that is declared to say so, it
    /// is deleted.
    func sendingUnlessGone(_ record: RecordID) async throws(APIError) -> Reply {
        let asked = context.underway.ask()
        do throws(APIError) { return try await send() } catch {
            guard client.api.conventions.tombstones.isGoneDeleted, case .reply(let reply) = error, reply.status == 410
            else {
                throw error
            }
            do {
                _ = try await context.prune([record], askedAt: asked.stamp, after: WriteBatch.confirmed())
            } catch let failure {
                throw .store(failure)
            }
            throw error
        }
    }
}
