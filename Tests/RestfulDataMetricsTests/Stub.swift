import Foundation
import HTTPTypes
import RESTTransport
import Synchronization

/// A transport that answers from memory, and records its requests.
final class Stub: Transport {
    typealias Answer = @Sendable (_ number: Int, APIRequest) async throws(TransportError) -> APIResponse

    private let answer: Answer
    private let asked = Mutex<[APIRequest]>([])

    /// The requests so far.
    var requests: [APIRequest] { asked.withLock { $0 } }

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// Gives these statuses in their order, and the last one ever after.
    convenience init(_ statuses: HTTPResponse.Status...) {
        self.init { number, request in
            APIResponse(HTTPResponse(status: statuses[min(number, statuses.count - 1)]), to: request)
        }
    }

    convenience init(failing reason: TransportError.Reason) {
        self.init { _, request throws(TransportError) in throw TransportError(reason, request) }
    }

    func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        let number = asked.withLock { asked in
            asked.append(request)
            return asked.count - 1
        }
        return try await answer(number, request)
    }

    /// The base URL of the API.
    static let api = URL(string: "https://api.example.com/v1") ?? URL(filePath: "/")

    /// Sends requests one after the other, and ignores their outcomes.
    func send(
        _ requests: APIRequest..., @MiddlewareBuilder through middleware: () -> [any Middleware]
    ) async {
        let chain = TransportChain(api: Self.api, transport: self, middleware)
        for request in requests { _ = try? await chain.send(request) }
    }
}

extension APIRequest {
    /// A request to the API about a model.
    static func get(_ path: String = "/users/7", model: String? = "User") -> APIRequest {
        var request = APIRequest(.get, Stub.api.appending(path: path))
        request.chainState.model = model
        return request
    }
}

/// A clock that advances only by hand, or with each sleep.
final class FakeTime: Sendable {
    private let now = Mutex(Duration.zero)

    func advance(by duration: Duration) { now.withLock { $0 += duration } }

    var source: TimeSource {
        TimeSource(
            elapsed: { self.now.withLock { $0 } }, localTime: { 1_000_000 }, sleep: { self.advance(by: $0) },
            fraction: { 0.5 })
    }
}
