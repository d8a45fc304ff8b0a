import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// One GET request and its stored responses: adds the condition, or replies from the store.
///
/// The account is known only after all middleware has seen the request. So the exchange goes along with it, and
/// ``Conditions``, the innermost middleware, selects the account's stored response.
final class AnswerExchange: Sendable {
    /// nil for requests whose responses are never stored.
    @TaskLocal static var current: AnswerExchange?

    struct Course: Sendable {
        /// The request as sent, without the condition.
        var request: APIRequest?
        var credential = ""
        /// The stored response of this account.
        var known: KeptAnswer?
        var isConditional = false
        /// Whether the store replies.
        var isUnsent = false
        /// Whether that reply is stale and must be revalidated afterwards.
        var isStale = false
    }

    let question: String
    let policy: FetchPolicy
    private let url: URL
    /// Whether the caller revalidates afterwards, as `stale-while-revalidate` requires.
    private let mayBeStale: Bool
    /// Whether this only finds out the request's header fields.
    let isProbe: Bool
    private let kept: [UncheckedAnswer]
    private let isIntact: @Sendable (UncheckedAnswer) -> Bool
    private let now: @Sendable () -> Double
    private let state = Mutex(Course())
    private let responseTime = Mutex<Double?>(nil)

    init(
        _ question: String, at url: URL, by policy: FetchPolicy, mayBeStale: Bool, isProbe: Bool = false,
        knowing kept: [UncheckedAnswer], isIntact: @escaping @Sendable (UncheckedAnswer) -> Bool,
        now: @escaping @Sendable () -> Double
    ) {
        (self.question, self.url, self.policy, self.kept, self.now) = (question, url, policy, kept, now)
        (self.mayBeStale, self.isProbe, self.isIntact) = (mayBeStale, isProbe, isIntact)
    }

    var course: Course { state.withLock { $0 } }

    /// The header fields after all middleware, including credentials; nil if other middleware replied before. Trace ids
    /// and the like are left out, since responses are independent of them.
    var sentFields: HTTPFields? {
        course.request.map { request in HTTPFields(request.headerFields.filter { !$0.name.isOfRequest }) }
    }

    /// nil if other middleware replied before.
    var answerKey: StoredAnswer.Key? {
        let course = course
        return course.request.map { _ in StoredAnswer.Key(question: question, credential: course.credential) }
    }

    /// When the response arrived, in seconds since 1970; before that, now.
    var time: Double { responseTime.withLock { $0 } ?? now() }

    func noteReceived() { responseTime.withLock { $0 = now() } }

    /// An exchange with ``isProbe``.
    var probe: AnswerExchange {
        AnswerExchange(
            question, at: url, by: .offline, mayBeStale: false, isProbe: true, knowing: [], isIntact: isIntact, now: now
        )
    }

    fileprivate var unsent: APIResponse.Unsent {
        isProbe ? .probe : course.known == nil ? .notStored : .stored
    }

    /// - Returns: the request to send; nil if the store replies.
    fileprivate func prepare(_ request: APIRequest) -> APIRequest? {
        // Requests that middleware makes by itself bypass this exchange.
        guard request.method == .get, request.url == url || request.urlWithoutKey == url else {
            return isKeptBack(request) ? nil : request
        }
        var course = Course(request: request)
        course.credential = StoredAnswer.Key.credential(of: request, asking: question)
        let own = kept.last { kept in
            guard kept.answer.key.credential == course.credential else { return false }
            let vary = kept.answer.vary.split(separator: ",").map(String.init)
            return kept.answer.key.variant == StoredAnswer.Key.variant(of: request, by: vary)
        }
        course.known = own.map { KeptAnswer($0, isIntact: isIntact($0)) }
        let mayBeKept = policy.kind != .cacheControl || !Self.refusesStored(request)
        let suffices = course.known.map(suffices) == true && mayBeKept
        course.isStale = !suffices && mayBeKept && mayBeStale && course.known.map(sufficesWhileAsked) == true
        course.isUnsent = policy.kind == .offline || suffices || course.isStale
        var sent = request
        if !course.isUnsent, let known = course.known, known.isIntact, policy.kind != .reload {
            course.isConditional = addCondition(of: known.answer, to: &sent)
        }
        state.withLock { [course] in $0 = course }
        return course.isUnsent ? nil : sent
    }

    /// Whether `no-cache` forbids a stored response (RFC 9111 §5.2.1.4).
    private static func refusesStored(_ request: APIRequest) -> Bool {
        request.headerFields[.cacheControl]?.lowercased().contains("no-cache") == true
    }

    /// Whether an offline policy forbids the request. Middleware may have added a key to the query.
    private func isKeptBack(_ request: APIRequest) -> Bool {
        guard policy.kind == .offline, request.method == .get, Origin(request.url) == Origin(url),
            request.url.path(percentEncoded: true) == url.path(percentEncoded: true)
        else { return false }
        state.withLock { $0.isUnsent = true }
        return true
    }

    /// Seconds since the last check; at least 0, even if the clock was set back.
    private func since(_ known: KeptAnswer) -> Double { max(0, now() - known.answer.checkedAt) }

    private func suffices(_ known: KeptAnswer) -> Bool {
        let since = since(known)
        switch policy.kind {
        case .cached, .offline: return true
        case .ifOlder(let age): return known.isIntact && since <= age / .seconds(1)
        case .cacheControl:
            guard let lifetime = known.answer.lifetime, known.isIntact else { return false }
            return Double(known.answer.age) + since < Double(lifetime)
        case .reload, .revalidate: return false
        }
    }

    /// Whether a stale response suffices meanwhile (RFC 5861 §3).
    private func sufficesWhileAsked(_ known: KeptAnswer) -> Bool {
        guard policy.kind == .cacheControl, known.isIntact, !known.answer.mustRevalidate,
            let lifetime = known.answer.lifetime, let extra = known.answer.staleWhileRevalidate
        else { return false }
        return Double(known.answer.age) + since(known) < Double(lifetime) + Double(extra)
    }

    var mayFallBack: Bool {
        guard let known = course.known else { return false }
        if policy.mayFallBack { return true }
        guard policy.kind == .cacheControl, known.isIntact, !known.answer.mustRevalidate,
            let extra = known.answer.staleIfError
        else { return false }
        return Double(known.answer.age) + since(known) < Double(known.answer.lifetime ?? 0) + Double(extra)
    }

    /// - Returns: whether a condition was added. The caller's own condition stays instead.
    private func addCondition(of answer: StoredAnswer, to request: inout APIRequest) -> Bool {
        let own: [HTTPField.Name] = [
            .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince, .ifRange, .range,
        ]
        guard !own.contains(where: request.headerFields.contains) else { return false }
        if let tag = answer.entityTag {
            request.headerFields[.ifNoneMatch] = tag
        } else if let date = answer.lastModified {
            request.headerFields[.ifModifiedSince] = date
        } else {
            return false
        }
        return true
    }
}

struct Conditions: OccasionalMiddleware {
    func acts(on request: APIRequest) -> Bool { AnswerExchange.current != nil }

    func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard let exchange = AnswerExchange.current else { return try await next(request) }
        if let sent = exchange.prepare(request) { return try await next(sent) }
        return .unsent(request, exchange.unsent)
    }
}
