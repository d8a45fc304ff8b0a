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
        let landing = await flights.landing(
            of: request, by: api.identity, in: exchange, asking: question
        ) { [request, api] in
            await Self.outcome(of: request, exchange, api)
        }
        let response = landing.outcome.flatMapError { error -> Result<APIResponse, APIError> in
            // Where the server can't be reached the store may answer in its stead, as to one that fails.
            guard error.isOfNetwork, landing.exchange.mayFallBack else { return .failure(.transport(error)) }
            return .success(APIResponse(HTTPResponse(status: .serviceUnavailable), to: request))
        }
        return Landing(
            request: request, response: response, exchange: landing.exchange, question: landing.question)
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
