import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// What a stored answer says of the page that it was.
struct AnsweredPage: Codable {
    let next: NextPage?
    let hasPrevious: Bool
    let isList: Bool
    let isEmptyList: Bool
    let signs: PageSigns
}

/// What stored answers have said of their pages, as to read it takes longer than all else that is done with an answer
/// of 304. The stores of a process that have one file open share it.
private final class AnsweredPages: Sendable {
    private let pages = Mutex<[[UInt8]: AnsweredPage]>([:])

    func page(_ detail: [UInt8]) -> AnsweredPage? {
        if let known = pages.withLock({ $0[detail] }) { return known }
        guard let page = try? JSONDecoder().decode(AnsweredPage.self, from: Data(detail)) else { return nil }
        pages.withLock { pages in
            if pages.count >= 1000 { pages = [:] }
            pages[detail] = page
        }
        return page
    }
}

extension RoundTrip {
    /// The same, whose answer is kept in the store as one to that, which is asked for by a policy.
    ///
    /// - Parameter purpose: what the answer is taken for, as one URL may be read as several things; nil where it isn't
    ///   kept.
    func keeping(_ purpose: String?, by policy: FetchPolicy?) -> RoundTrip {
        var trip = self
        trip.purpose = call.reading == nil ? purpose : nil
        trip.policy = policy ?? call.policy ?? model.map { client.policy(of: $0) } ?? client.api.policy
        return trip
    }

    /// The same, asked for without a condition.
    var reloading: RoundTrip {
        var trip = self
        trip.policy = .reload
        return trip
    }

    /// What the store knows of the question.
    func exchange(for request: APIRequest) throws(APIError) -> AnswerExchange? {
        guard let purpose, method == .get else { return nil }
        let url = request.url.absoluteString
        // What an answer says of the next page is read by the way that the list is paged.
        let pages = model.flatMap { form.content == .list ? form.paging ?? client.paging(of: $0) : nil }
        let question = AnswerDigest(
            client.fingerprint, purpose, form.keyPath.map { "\($0)" } ?? "", pages.map { "\($0)" } ?? "", url
        ).text
        do {
            let kept = policy.kind == .reload ? [] : try context.answers(to: question, now: client.api.now())
            return AnswerExchange(
                question, at: request.url, by: policy, mayBeStale: canRevalidate, knowing: kept,
                isIntact: try context.openFile().isIntact, now: client.api.now)
        } catch {
            throw .store(error)
        }
    }

    /// What the store has to say of a response.
    enum StoreStep {
        /// The store has the answer.
        case answered(Reply)
        /// The server has to be asked for the whole answer, as the store's has changed.
        case askAgain
        /// Nothing: the response is the answer.
        case none
    }

    /// Answers from the store where the server has nothing newer, fails, or wasn't asked.
    ///
    /// - Throws: ``APIError/notStored(_:)`` when nothing was sent, and the store has no answer.
    func storeStep(_ response: APIResponse, _ landing: Dispatch.Landing) throws(APIError) -> StoreStep {
        guard let exchange = landing.exchange else { return .none }
        if response.status == .notModified, exchange.course.isConditional || exchange.course.isUnsent {
            if let reply = try keptReply(response, in: exchange, asked: landing.question) { return .answered(reply) }
            guard policy.kind != .offline else { throw .notStored(RequestSummary(landing.request)) }
            return .askAgain
        }
        guard response.status.kind == .serverError, exchange.mayFallBack,
            let reply = try keptReply(response, in: exchange, asked: landing.question)
        else { return .none }
        return .answered(reply)
    }

    /// Notes in a reply what is stored of it as an answer, and when it came.
    func noteFreshness(of reply: inout Reply, in exchange: AnswerExchange) {
        reply.arrivedAt = exchange.time
        reply.answer = answer(reply, in: exchange)
        if reply.answer == nil { reply.outdated = exchange.asked }
    }

    /// What the store answers in the server's stead, or as the server says that it has nothing newer.
    ///
    /// - Returns: nil when the store doesn't vouch for it any more, so that the server is asked for all of it.
    /// - Throws: ``APIError/notStored(_:)`` when nothing was sent, and the store has no answer.
    private func keptReply(
        _ response: APIResponse, in exchange: AnswerExchange, asked question: Question
    ) throws(APIError) -> Reply? {
        let course = exchange.course
        guard let known = course.known else { throw .notStored(RequestSummary(response.request)) }
        let isStored = course.isUnsent || response.status != .notModified
        if !isStored, let tag = response.headerFields[.eTag], let own = known.answer.entityTag,
            !ResponseFreshness.isSame(tag, own)
        {
            return nil
        }
        do {
            // What has been merged since may have changed it.
            guard var kept = try context.answer(known) else { return nil }
            let mustVouch = !isStored || exchange.policy.needsIntact
            guard kept.isIntact || !mustVouch else { return nil }
            let file = try context.openFile()
            let page = file.shared { AnsweredPages() }.page(kept.answer.detail)
            var reply = Reply(
                response, as: form, keeping: kept, from: isStored ? .store : .validated, by: client)
            let isMoved = page.map { reply.take($0, unless: response.links) } ?? false
            reply.question = question
            reply.isStale = course.isStale
            if !isStored {
                kept.answer.confirm(by: response, at: exchange.time)
                if isMoved { kept.answer.detail = reply.detail ?? kept.answer.detail }
                file.confirm(kept)
            }
            return reply
        } catch {
            throw .store(error)
        }
    }

    /// What is stored with the objects of a response.
    private func answer(_ reply: Reply, in exchange: AnswerExchange) -> StoredAnswer? {
        let (response, course) = (reply.response, exchange.course)
        guard response.status == .ok, !reply.saysMistake, let request = course.request, let model else { return nil }
        let time = exchange.time
        let freshness = ResponseFreshness(response.head, at: Int(time))
        guard !freshness.isNotToBeKept, let detail = reply.detail else { return nil }
        let vary = freshness.vary
        let key = StoredAnswer.Key(
            question: exchange.question, credential: course.credential,
            variant: StoredAnswer.Key.variant(of: request, by: vary))
        var answer = StoredAnswer(
            key: key, table: model.table, url: RedactedURL.text(ofRequest: request.url.absoluteString), checkedAt: time)
        answer.vary = vary.joined(separator: ",")
        answer.take(freshness)
        (answer.entityTag, answer.lastModified) = (freshness.entityTag, freshness.lastModified)
        answer.detail = detail
        return answer
    }
}

extension TransportError {
    /// Whether the server was not reached, or not understood: not that the request was wrong, or the task was
    /// cancelled.
    var isOfNetwork: Bool {
        switch reason {
        case .connectionRefused, .connectionFailed, .tls, .connectionLost, .malformedResponse, .timedOut, .limited,
            .circuitOpen, .other:
            true
        default: false
        }
    }

    /// Whether it may be one account's alone: its token, its limits, or what middleware makes of it, as a user who
    /// cancels a login.
    var isOfAccount: Bool {
        switch reason {
        case .credentialUnavailable, .tokenRefused, .limited, .cancelled, .other: true
        default: false
        }
    }
}

extension FetchPolicy {
    /// Whether it may be that the server is not asked.
    var mayLeaveUnasked: Bool {
        switch kind {
        case .cached, .offline, .ifOlder, .cacheControl: true
        case .reload, .revalidate: mayFallBack
        }
    }

    /// Whether what the store answers has to be as the server said.
    var needsIntact: Bool {
        switch kind {
        case .cached, .offline: false
        case .ifOlder, .cacheControl, .reload, .revalidate: !mayFallBack
        }
    }
}

extension StoredAnswer {
    fileprivate mutating func take(_ freshness: ResponseFreshness) {
        (age, lifetime, staleIfError) = (freshness.age, freshness.lifetime, freshness.staleIfError)
        staleWhileRevalidate = freshness.staleWhileRevalidate
        mustRevalidate = freshness.mustRevalidate
    }

    /// The server has said that it is as it was. What it says no more of that stays (RFC 9111 §4.3.4).
    fileprivate mutating func confirm(by response: APIResponse, at time: Double) {
        let freshness = ResponseFreshness(response.head, at: Int(time))
        checkedAt = time
        age = freshness.age
        entityTag = freshness.entityTag ?? entityTag
        lastModified = freshness.lastModified ?? lastModified
        if response.headerFields[.cacheControl] != nil || response.headerFields[.expires] != nil { take(freshness) }
    }
}

extension Reply {
    /// A reply that the store gives: its objects are those of an answer that it has.
    fileprivate init(
        _ response: APIResponse, as form: Form, keeping kept: KeptAnswer, from source: AnswerSource,
        by client: APIClient
    ) {
        var unmodified = response
        (unmodified.head.status, unmodified.body) = (.notModified, [])
        self.init(unmodified, as: Form(content: form.content, model: form.model, keyPath: form.keyPath), from: client)
        self.kept = kept
        self.source = source
    }

    /// Takes what the stored answer has said of its page.
    ///
    /// - Returns: whether the head of a 304 leads elsewhere by now: there are more pages, say. What that says counts
    ///   then.
    fileprivate mutating func take(_ page: AnsweredPage, unless links: @autoclosure () -> Links) -> Bool {
        isList = page.isList || page.isEmptyList
        if nextPage != nil, nextPage != page.next, links().next != nil { return true }
        (nextPage, hasPrevious, signs) = (page.next, page.hasPrevious, page.signs)
        return false
    }

    /// What of the reply is not in its rows; nil for what must not be stored.
    fileprivate var detail: [UInt8]? {
        // A link to the next page may have a token in it.
        if case .url(let url) = nextPage, RedactedURL.text(ofRequest: url) != url { return nil }
        let page = AnsweredPage(
            next: nextPage, hasPrevious: hasPrevious, isList: isList, isEmptyList: isEmptyList, signs: signs)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(page)).map { Array($0) }
    }
}

// MARK: - What answers are taken for

extension ModelSchema {
    func purpose(_ content: Reply.Content) -> String { "\(content.rawValue) of \(tableName).\(submodel.rawValue)" }
}

extension ObjectState {
    /// That of a relationship of this object; nil for one that is in no file yet.
    func purpose(of property: Property) -> String? {
        isInserted ? nil : "\(model.tableName).\(property.name) of \(record.row.rawValue)"
    }
}

extension APIClient {
    /// What the answers that are stored depend on, beside the tables: how bodies are read.
    static func fingerprint(of schema: Schema, _ conventions: APIConventions) -> String {
        var digest = AnswerDigest(
            "1", conventions.mediaType, "\(conventions.document)", "\(conventions.envelopes)",
            "\(conventions.tombstones)", conventions.typeKey ?? "")
        for model in schema.models {
            digest.add(model.modelName)
            digest.add("\(model.options.envelope) \(model.options.tombstones ?? [])")
            for property in model.properties {
                digest.add(property.name)
                digest.add(property.jsonPath.joined(separator: "."))
                digest.add(property.wireNotes.joined(separator: "\n"))
            }
        }
        return digest.text
    }
}
