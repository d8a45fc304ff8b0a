import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport
import Synchronization

/// One question to the server of which an answer may be in the store: the condition that goes out with it, and the
/// store's answer in the server's stead where the policy says so.
///
/// Who asks is known only once all middleware has seen the request. So the stored answers go along with it, and
/// ``Conditions``, the innermost middleware, finds the one that is the caller's.
final class AnswerExchange: Sendable {
    /// Of the running request; nil where nothing is kept.
    @TaskLocal static var current: AnswerExchange?

    /// What the middleware has found.
    struct Course: Sendable {
        /// The request as it was sent, but for the condition.
        var request: APIRequest?
        var credential = ""
        /// The stored answer that is the caller's.
        var known: KeptAnswer?
        /// Whether the request has its condition.
        var isConditional = false
        /// Whether nothing was sent, as the store's answer will do, or has to.
        var isUnsent = false
        /// Whether the store's answer is one that the server is to be asked of once it has been used.
        var isStale = false
    }

    let question: String
    let policy: FetchPolicy
    private let url: URL
    /// Whether the caller sees to it that the server is asked, where `stale-while-revalidate` lets a stale answer be
    /// used before.
    private let mayBeStale: Bool
    /// Whether it only finds out which fields would go out.
    let isProbe: Bool
    private let kept: [UncheckedAnswer]
    private let isIntact: @Sendable (UncheckedAnswer) -> Bool
    private let now: @Sendable () -> Double
    private let state = Mutex(Course())
    private let arrival = Mutex<Double?>(nil)

    init(
        _ question: String, at url: URL, by policy: FetchPolicy, mayBeStale: Bool, isProbe: Bool = false,
        knowing kept: [UncheckedAnswer], isIntact: @escaping @Sendable (UncheckedAnswer) -> Bool,
        now: @escaping @Sendable () -> Double
    ) {
        (self.question, self.url, self.policy, self.kept, self.now) = (question, url, policy, kept, now)
        (self.mayBeStale, self.isProbe, self.isIntact) = (mayBeStale, isProbe, isIntact)
    }

    var course: Course { state.withLock { $0 } }

    /// The fields of the request as all middleware has made them, credentials included; nil where no request has come
    /// this far. Left out are those that only tell requests apart, as the ids of traces do: no answer depends on them.
    var sentFields: HTTPFields? {
        course.request.map { request in HTTPFields(request.headerFields.filter { !$0.name.isOfRequest }) }
    }

    /// What was asked, and who has asked it; nil where no request has come this far.
    var asked: StoredAnswer.Key? {
        let course = course
        return course.request.map { _ in StoredAnswer.Key(question: question, credential: course.credential) }
    }

    /// When the answer came, in seconds since 1970; until then, the time.
    var time: Double { arrival.withLock { $0 } ?? now() }

    /// The answer is here, whenever it is looked at.
    func noteArrival() { arrival.withLock { $0 = now() } }

    /// The same question, to find out which fields would go out now: nothing is sent for it.
    var probe: AnswerExchange {
        AnswerExchange(
            question, at: url, by: .offline, mayBeStale: false, isProbe: true, knowing: [], isIntact: isIntact, now: now
        )
    }

    /// Why a request isn't sent.
    fileprivate var unsent: APIResponse.Unsent {
        isProbe ? .probe : course.known == nil ? .notStored : .stored
    }

    /// What becomes of a request.
    ///
    /// - Returns: the request to send; nil when the store answers.
    fileprivate func prepare(_ request: APIRequest) -> APIRequest? {
        // What middleware asks for by itself is another question.
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
        let suffices = course.known.map(suffices) == true
        course.isStale = !suffices && mayBeStale && course.known.map(sufficesWhileAsked) == true
        course.isUnsent = policy.kind == .offline || suffices || course.isStale
        var sent = request
        if !course.isUnsent, let known = course.known, known.isIntact, policy.kind != .reload {
            course.isConditional = addCondition(of: known.answer, to: &sent)
        }
        state.withLock { [course] in $0 = course }
        return course.isUnsent ? nil : sent
    }

    /// Whether it is the question of which nothing may be sent, with another query: middleware may have a key there.
    private func isKeptBack(_ request: APIRequest) -> Bool {
        guard policy.kind == .offline, request.method == .get, Origin(request.url) == Origin(url),
            request.url.path(percentEncoded: true) == url.path(percentEncoded: true)
        else { return false }
        state.withLock { $0.isUnsent = true }
        return true
    }

    /// How long ago an answer was checked, in seconds. The clock may be set back again while the request is on its way.
    private func since(_ known: KeptAnswer) -> Double { max(0, now() - known.answer.checkedAt) }

    /// Whether nothing need be sent.
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

    /// Whether it may be used while the server is asked (RFC 5861 §3).
    private func sufficesWhileAsked(_ known: KeptAnswer) -> Bool {
        guard policy.kind == .cacheControl, known.isIntact, !known.answer.mustRevalidate,
            let lifetime = known.answer.lifetime, let extra = known.answer.staleWhileRevalidate
        else { return false }
        return Double(known.answer.age) + since(known) < Double(lifetime) + Double(extra)
    }

    /// Whether the store may answer where the server has not.
    var mayFallBack: Bool {
        guard let known = course.known else { return false }
        if policy.mayFallBack { return true }
        guard policy.kind == .cacheControl, known.isIntact, !known.answer.mustRevalidate,
            let extra = known.answer.staleIfError
        else { return false }
        return Double(known.answer.age) + since(known) < Double(known.answer.lifetime ?? 0) + Double(extra)
    }

    /// - Returns: whether there is one. A caller's own is not touched.
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

/// The innermost middleware: it adds conditions, and answers in the server's stead.
struct Conditions: OccasionalMiddleware {
    func acts(on request: APIRequest) -> Bool { AnswerExchange.current != nil }

    func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        guard let exchange = AnswerExchange.current else { return try await next(request) }
        if let sent = exchange.prepare(request) { return try await next(sent) }
        return .unsent(request, exchange.unsent)
    }
}
