import HTTPTypes
import ObjectStore
import RESTTransport

/// A request that is ready to go, with what is known of its answer: all that its way to the server and back needs of
/// the context that asks.
struct Dispatch: Sendable {
    let request: APIRequest
    let exchange: AnswerExchange?
    let question: Question
    let flights: Flights
    let api: API

    /// What came of it.
    struct Landing: Sendable {
        let request: APIRequest
        let response: Result<APIResponse, APIError>
        let exchange: AnswerExchange?
        let question: Question
    }

    /// Whether nothing is changed by a request.
    static func isQuestion(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head }

    /// Sends the request, or joins an equal one that is on its way, which was asked before.
    nonisolated(nonsending) func landing() async -> Landing {
        guard let exchange else {
            let isQuestion = Self.isQuestion(request.method)
            // Whoever asks from now on may hear of it, and so may who asks once it is answered.
            if !isQuestion { flights.noteChange() }
            defer { if !isQuestion { flights.noteChange() } }
            let outcome = await Self.outcome(of: request, nil, api)
            return Landing(
                request: request, response: outcome.mapError { .transport($0) }, exchange: nil, question: question)
        }
        let landing = await flight(in: exchange)
        let response = landing.outcome.flatMapError { error -> Result<APIResponse, APIError> in
            // Where the server can't be reached the store may answer in its stead, as to one that fails.
            guard error.isOfNetwork, landing.exchange.mayFallBack else { return .failure(.transport(error)) }
            return .success(APIResponse(HTTPResponse(status: .serviceUnavailable), to: request))
        }
        return Landing(
            request: request, response: response, exchange: landing.exchange, question: landing.question)
    }

    /// Sends the request or joins another caller's. The reply to that counts only where the same fields go out here, as
    /// servers answer by any of them (RFC 9111 §4.1). Otherwise this request is sent as well, and so where the fields
    /// are unknown, as middleware has answered itself or made another request of it.
    private nonisolated(nonsending) func flight(in exchange: AnswerExchange) async -> Flights.Landing {
        var company = Flights.Company.anybody
        for _ in 0..<Self.attemptsToJoin {
            let landing = await flight(in: exchange, with: company)
            // Without middleware all fields are the caller's, which are equal already.
            guard landing.isJoined, api.hasMiddleware, landing.isOfSender else { return landing }
            guard let sent = landing.exchange.sentFields,
                let own = await Self.fields(of: request, in: exchange, by: api)
            else { break }
            if own == sent { return landing }
            company = .senders(of: own)
        }
        return await flight(in: exchange, with: .nobody)
    }

    /// A caller whose fields change more often than that while requests are under way sends its own.
    private static let attemptsToJoin = 3

    private nonisolated(nonsending) func flight(
        in exchange: AnswerExchange, with company: Flights.Company
    ) async -> Flights.Landing {
        await flights.landing(of: request, by: api.identity, with: company, in: exchange, asking: question) {
            [request, api] in
            await Self.outcome(of: request, exchange, api)
        }
    }

    /// The fields with which the request would go out now: it goes through all middleware, and no further.
    ///
    /// - Returns: nil where that can't be told.
    @concurrent private static func fields(
        of request: APIRequest, in exchange: AnswerExchange, by api: API
    ) async -> HTTPFields? {
        let probe = exchange.probe
        _ = await outcome(of: request, probe, api)
        return probe.sentFields
    }

    private static func outcome(
        of request: APIRequest, _ exchange: AnswerExchange?, _ api: API
    ) async -> Result<APIResponse, TransportError> {
        do throws(TransportError) {
            let response = try await api.send(request, in: exchange)
            exchange?.noteArrival()
            if response.isSuccess { try response.checkEncoding() }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }
}

extension Flights.Landing {
    /// Whether it says something that may depend on the fields that went out.
    fileprivate var isOfSender: Bool {
        guard case .failure(let error) = outcome else { return true }
        return exchange.mayFallBack || error.isOfAccount
    }
}

/// A request that was sent before its answer is wanted. It is cancelled when nobody wants it any more.
final class RequestAhead: Sendable {
    private let task: Task<Dispatch.Landing, Never>

    init(_ dispatch: Dispatch) {
        task = Task { @concurrent in await dispatch.landing() }
    }

    deinit { task.cancel() }

    func landing(on actor: isolated (any Actor)? = #isolation) async -> Dispatch.Landing {
        await withTaskCancellationHandler {
            // A closure that doesn't name the actor is anywhere, and the way back one hop longer.
            _ = actor
            return await task.value
        } onCancel: { [task] in
            task.cancel()
        }
    }
}
