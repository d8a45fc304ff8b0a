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

    /// Sends the request or joins another's. An answer to somebody else's is none: then it is sent as well, and so
    /// where nobody knows whose it was, as middleware has answered itself or made another request of it.
    private nonisolated(nonsending) func flight(in exchange: AnswerExchange) async -> Flights.Landing {
        var company = Flights.Company.anybody
        for _ in 0..<Self.attemptsToJoin {
            let landing = await flight(in: exchange, with: company)
            // What is said of an API without middleware it says to everybody.
            guard landing.isJoined, api.hasMiddleware, landing.isOfAccount else { return landing }
            guard let sender = landing.exchange.account,
                let own = await Self.account(asking: request, in: exchange, by: api)
            else { break }
            if own == sender { return landing }
            company = .account(own)
        }
        return await flight(in: exchange, with: .nobody)
    }

    /// An account that changes more often than that while requests are under way sends its own.
    private static let attemptsToJoin = 3

    private nonisolated(nonsending) func flight(
        in exchange: AnswerExchange, with company: Flights.Company
    ) async -> Flights.Landing {
        await flights.landing(of: request, by: api.identity, with: company, in: exchange, asking: question) {
            [request, api] in
            await Self.outcome(of: request, exchange, api)
        }
    }

    /// Who would send the request now: it goes through all middleware, and no further.
    ///
    /// - Returns: nil where that can't be told.
    @concurrent private static func account(
        asking request: APIRequest, in exchange: AnswerExchange, by api: API
    ) async -> String? {
        let probe = exchange.probe
        _ = await outcome(of: request, probe, api)
        return probe.account
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
    /// Whether it says something that may be one account's alone.
    fileprivate var isOfAccount: Bool {
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
