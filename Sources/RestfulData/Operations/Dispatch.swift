import HTTPTypes
import ObjectStore
import RESTTransport

/// Independent of the requesting context.
struct Dispatch: Sendable {
    let request: APIRequest
    let exchange: AnswerExchange?
    let question: Question
    let flights: Flights
    let api: API

    struct Landing: Sendable {
        let request: APIRequest
        let response: Result<APIResponse, APIError>
        let exchange: AnswerExchange?
        let question: Question
    }

    static func isQuestion(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head }

    /// Sends the request, or joins an equal one in flight.
    nonisolated(nonsending) func landing() async -> Landing {
        guard let exchange else {
            let isQuestion = Self.isQuestion(request.method)
            // From now on, a GET may see the change, so it needs a request of its own.
            if !isQuestion { flights.noteChange() }
            defer { if !isQuestion { flights.noteChange() } }
            let outcome = await Self.outcome(of: request, nil, api)
            return Landing(
                request: request, response: outcome.mapError { .transport($0) }, exchange: nil, question: question)
        }
        let landing = await flight(in: exchange)
        let response = landing.outcome.flatMapError { error -> Result<APIResponse, APIError> in
            // As after a 503, the store may answer.
            guard error.isOfNetwork, landing.exchange.mayFallBack else { return .failure(.transport(error)) }
            return .success(APIResponse(HTTPResponse(status: .serviceUnavailable), to: request))
        }
        return Landing(
            request: request, response: response, exchange: landing.exchange, question: landing.question)
    }

    /// A joined reply counts only if both requests have equal header fields, since servers answer by any of them (RFC
    /// 9111 §4.1). If they differ or are unknown, this request is sent as well.
    private nonisolated(nonsending) func flight(in exchange: AnswerExchange) async -> Flights.Landing {
        var company = Flights.Company.anybody
        for _ in 0..<Self.attemptsToJoin {
            let landing = await flight(in: exchange, with: company)
            // Only middleware makes the fields of equal requests differ.
            guard landing.isJoined, api.hasMiddleware, landing.isOfSender else { return landing }
            guard let sent = landing.exchange.sentFields,
                let own = await Self.fields(of: request, in: exchange, by: api)
            else { break }
            if own == sent { return landing }
            company = .senders(of: own)
        }
        return await flight(in: exchange, with: .nobody)
    }

    private static let attemptsToJoin = 3

    private nonisolated(nonsending) func flight(
        in exchange: AnswerExchange, with company: Flights.Company
    ) async -> Flights.Landing {
        await flights.landing(of: request, by: api.identity, with: company, in: exchange, asking: question) {
            [request, api] in
            await Self.outcome(of: request, exchange, api)
        }
    }

    /// The header fields that the request would have now, found by a probe through all middleware; nil if unknown.
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
    fileprivate var isOfSender: Bool {
        guard case .failure(let error) = outcome else { return true }
        return exchange.mayFallBack || error.isOfAccount
    }
}

/// A request sent before its reply is needed. Releasing it cancels the request.
final class RequestAhead: Sendable {
    private let task: Task<Dispatch.Landing, Never>

    init(_ dispatch: Dispatch) {
        task = Task { @concurrent in await dispatch.landing() }
    }

    deinit { task.cancel() }

    func landing(on actor: isolated (any Actor)? = #isolation) async -> Dispatch.Landing {
        await withTaskCancellationHandler {
            // Saves a hop.
            _ = actor
            return await task.value
        } onCancel: { [task] in
            task.cancel()
        }
    }
}
