import Conventions
import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// A stored response's place among its pages.
struct AnsweredPage: Codable {
    let next: NextPage?
    let hasPrevious: Bool
    let isList: Bool
    let isEmptyList: Bool
    let signs: PageSigns
}

/// Decoded pages, shared by the stores of one file. Decoding is the most expensive part of processing a 304.
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
    /// - Parameter purpose: the use of the response, since one URL may be read in several ways; nil for responses that
    ///   are never stored.
    func keeping(_ purpose: String?, by policy: FetchPolicy?) -> RoundTrip {
        var trip = self
        trip.purpose = call.reading == nil ? purpose : nil
        trip.policy = policy ?? call.policy ?? model.map { client.policy(of: $0) } ?? client.api.policy
        return trip
    }

    var reloading: RoundTrip {
        var trip = self
        trip.policy = .reload
        return trip
    }

    func exchange(for request: APIRequest) throws(APIError) -> AnswerExchange? {
        guard let purpose, method == .get else { return nil }
        let url = request.url.absoluteString
        // The stored link to the next page depends on the way of paging.
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

    enum StoreStep {
        case answered(Reply)
        /// The stored objects have changed, so the server must send all again.
        case askAgain
        /// The server's response is the reply.
        case none
    }

    /// Lets the store reply after a 304 or a server error, or without a request.
    ///
    /// - Throws: ``APIError/notStored(_:)`` if nothing was sent and the store has no response.
    func storeStep(_ response: APIResponse, _ completion: Dispatch.Completion) throws(APIError) -> StoreStep {
        guard let exchange = completion.exchange else { return .none }
        if response.status == .notModified, exchange.course.isConditional || exchange.course.isUnsent {
            if let reply = try keptReply(response, in: exchange, at: completion.requestStart) {
                return .answered(reply)
            }
            guard policy.kind != .offline else { throw .notStored(RequestSummary(completion.request)) }
            return .askAgain
        }
        guard response.status.kind == .serverError, exchange.mayFallBack,
            let reply = try keptReply(response, in: exchange, at: completion.requestStart)
        else { return .none }
        return .answered(reply)
    }

    func noteFreshness(of reply: inout Reply, in exchange: AnswerExchange) {
        reply.receivedAt = exchange.time
        reply.answer = answer(reply, in: exchange)
        if reply.answer == nil { reply.outdated = exchange.answerKey }
    }

    /// - Returns: nil if the stored objects have changed.
    private func keptReply(
        _ response: APIResponse, in exchange: AnswerExchange, at requestStart: RequestStart
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
            // Changes of stored objects during the request count.
            guard var kept = try context.answer(known) else { return nil }
            let mustBeIntact = !isStored || exchange.policy.needsIntact
            guard kept.isIntact || !mustBeIntact else { return nil }
            let file = try context.openFile()
            let page = file.shared { AnsweredPages() }.page(kept.answer.detail)
            var reply = Reply(
                response, as: form, keeping: kept, from: isStored ? .store : .validated, by: client)
            let isMoved = page.map { reply.take($0, unless: response.links) } ?? false
            reply.requestStart = requestStart
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

    /// nil if the response must stay out of the store.
    private func answer(_ reply: Reply, in exchange: AnswerExchange) -> StoredAnswer? {
        let (response, course) = (reply.response, exchange.course)
        guard response.status == .ok, !reply.reportsError, let request = course.request, let model else { return nil }
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
    /// Whether the server was unreachable, its response unreadable, or a limit reached.
    var isOfNetwork: Bool {
        switch reason {
        case .connectionRefused, .connectionFailed, .tls, .connectionLost, .malformedResponse, .timedOut, .limited,
            .circuitOpen, .other:
            true
        default: false
        }
    }

    /// Whether the error may concern one account only: its token, its limits, its login.
    var isOfAccount: Bool {
        switch reason {
        case .credentialUnavailable, .tokenRefused, .limited, .cancelled, .other: true
        default: false
        }
    }
}

extension FetchPolicy {
    var mayLeaveUnasked: Bool {
        switch kind {
        case .cached, .offline, .ifOlder, .cacheControl: true
        case .reload, .revalidate: mayFallBack
        }
    }

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

    /// Fields that the 304 lacks keep their values (RFC 9111 §4.3.4).
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

    /// - Returns: whether a 304 has another link to the next page, which is used then.
    fileprivate mutating func take(_ page: AnsweredPage, unless links: @autoclosure () -> Links) -> Bool {
        isList = page.isList || page.isEmptyList
        if nextPage != nil, nextPage != page.next, links().next != nil { return true }
        (nextPage, hasPrevious, signs) = (page.next, page.hasPrevious, page.signs)
        return false
    }

    /// nil if the response must stay out of the store.
    fileprivate var detail: [UInt8]? {
        // The link may contain a token.
        if case .url(let url) = nextPage, RedactedURL.text(ofRequest: url) != url { return nil }
        let page = AnsweredPage(
            next: nextPage, hasPrevious: hasPrevious, isList: isList, isEmptyList: isEmptyList, signs: signs)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(page)).map { Array($0) }
    }
}

// MARK: - Purposes of stored answers

extension ModelSchema {
    func purpose(_ content: Reply.Content) -> String { "\(content.rawValue) of \(tableName).\(submodel.rawValue)" }
}

extension ObjectState {
    /// nil while the object has no row.
    func purpose(of property: Property) -> String? {
        isInserted ? nil : "\(model.tableName).\(property.name) of \(record.row.rawValue)"
    }
}

extension APIClient {
    /// A digest of the declarations that decide how bodies are read, except the tables.
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
