import Foundation
import HTTPTypes
import RESTTransport
import Synchronization

/// A transport that answers from memory, and records its requests.
final class Stub: Transport {
    enum Answer: Sendable {
        case status(HTTPResponse.Status, HTTPFields = [:], body: String = "")
        case failure(TransportError.Reason)
    }

    private let answers: @Sendable (_ number: Int, APIRequest) async throws(TransportError) -> Answer
    private let asked = Mutex<[APIRequest]>([])

    /// The requests so far.
    var requests: [APIRequest] { asked.withLock { $0 } }

    init(_ answers: @escaping @Sendable (_ number: Int, APIRequest) async throws(TransportError) -> Answer) {
        self.answers = answers
    }

    /// Gives these answers in their order, and the last one ever after.
    convenience init(_ answers: Answer...) {
        self.init { number, _ in answers[min(number, answers.count - 1)] }
    }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let number = asked.withLock { asked in
            asked.append(request)
            return asked.count - 1
        }
        switch try await answers(number, request) {
        case .status(let status, let fields, let body):
            return APIResponse(HTTPResponse(status: status, headerFields: fields), body: Array(body.utf8), to: request)
        case .failure(let reason):
            throw TransportError(reason, request)
        }
    }
}

/// The base URL of the API in tests that run on a stub.
let apiURL = URL(string: "https://api.example.com/v1")!

extension TransportChain {
    /// A chain to the API of `apiURL`.
    init(_ stub: Stub, @MiddlewareBuilder _ middleware: () -> [any Middleware]) {
        self.init(api: apiURL, transport: stub, middleware)
    }
}

/// The error that an operation threw.
func failure(_ operation: () async throws(TransportError) -> APIResponse) async -> TransportError? {
    do throws(TransportError) {
        _ = try await operation()
        return nil
    } catch {
        return error
    }
}
