import HTTPTypes
import ObjectStore
import RESTTransport

/// A request, independent of the requesting context.
struct Dispatch: Sendable {
    let request: APIRequest
    let exchange: AnswerExchange?
    let requestStart: RequestStart
    let flights: Flights
    let api: API

    struct Completion: Sendable {
        let request: APIRequest
        let response: Result<APIResponse, APIError>
        let exchange: AnswerExchange?
        let requestStart: RequestStart
    }

    static func isSafe(_ method: HTTPRequest.Method) -> Bool { method == .get || method == .head }

    /// Sends the request, or joins an equal one in flight.
    nonisolated(nonsending) func completion() async -> Completion {
        guard let exchange else {
            let isSafe = Self.isSafe(request.method)
            // A GET that starts from now on may see the change, so it can't join an earlier one.
            if !isSafe { flights.noteChange() }
            defer { if !isSafe { flights.noteChange() } }
            let outcome = await Self.outcome(of: request, nil, api)
            return Completion(
                request: request, response: outcome.mapError { .transport($0) }, exchange: nil,
                requestStart: requestStart)
        }
        let completion = await flight(in: exchange)
        let response = completion.outcome.flatMapError { error -> Result<APIResponse, APIError> in
            // The stored objects may be the reply, as after a 503.
            guard error.isOfNetwork, completion.exchange.mayFallBack else { return .failure(.transport(error)) }
            return .success(APIResponse(HTTPResponse(status: .serviceUnavailable), to: request))
        }
        return Completion(
            request: request, response: response, exchange: completion.exchange, requestStart: completion.requestStart)
    }

    /// A joined reply counts only if both requests have equal header fields, since servers answer by any of them (RFC
    /// 9111 §4.1). If they differ or are unknown, this request is sent as well.
    private nonisolated(nonsending) func flight(in exchange: AnswerExchange) async -> Flights.Completion {
        var sharing = Flights.Sharing.anybody
        for _ in 0..<Self.attemptsToJoin {
            let completion = await flight(in: exchange, with: sharing)
            // Only middleware makes the fields of equal requests differ.
            guard completion.isJoined, api.hasMiddleware, completion.isOfSender else { return completion }
            guard let sent = completion.exchange.sentFields,
                let own = await Self.fields(of: request, in: exchange, by: api)
            else { break }
            if own == sent { return completion }
            sharing = .senders(of: own)
        }
        return await flight(in: exchange, with: .nobody)
    }

    private static let attemptsToJoin = 3

    private nonisolated(nonsending) func flight(
        in exchange: AnswerExchange, with sharing: Flights.Sharing
    ) async -> Flights.Completion {
        await flights.completion(of: request, by: api.identity, with: sharing, in: exchange, at: requestStart) {
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
            exchange?.noteReceived()
            if response.isSuccess { try response.checkEncoding() }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }
}

extension Flights.Completion {
    fileprivate var isOfSender: Bool {
        guard case .failure(let error) = outcome else { return true }
        return exchange.mayFallBack || error.isOfAccount
    }
}

/// A request sent before its reply is needed. Releasing it cancels the request.
final class RequestAhead: Sendable {
    private let task: Task<Dispatch.Completion, Never>

    init(_ dispatch: Dispatch) {
        task = Task { @concurrent in await dispatch.completion() }
    }

    deinit { task.cancel() }

    func completion(on actor: isolated (any Actor)? = #isolation) async -> Dispatch.Completion {
        await withTaskCancellationHandler {
            // Capturing the actor saves a hop.
            _ = actor
            return await task.value
        } onCancel: { [task] in
            task.cancel()
        }
    }
}
