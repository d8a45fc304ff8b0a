import Logging
import ObjectStore
import RESTTransport

/// What a log has of a request: method, URL without secrets, status, milliseconds and bytes.
struct RequestLine: CustomStringConvertible {
    private let request: APIRequest
    private let outcome: Result<APIResponse, TransportError>
    private let duration: Duration

    init(_ request: APIRequest, _ outcome: Result<APIResponse, TransportError>, after duration: Duration) {
        (self.request, self.outcome, self.duration) = (request, outcome, duration)
    }

    /// The level that the request's model names; nil where it names none.
    var level: Logger.Level? { request.passage.logLevel }

    var description: String {
        let milliseconds = Int(duration / .milliseconds(1))
        let result =
            switch outcome {
            case .success(let response) where response.unsent == .notStored:
                "not sent, and the store has no answer"
            case .success(let response) where response.unsent != nil: "from the store"
            case .success(let response):
                "\(response.status.code) in \(milliseconds) ms, \(response.body.count) bytes"
            case .failure(let error): "no reply after \(milliseconds) ms: \(error.reason)"
            }
        return "\(RequestSummary(request)) → \(result)"
    }
}

extension Logger.Level {
    init?(_ level: RequestLogLevel) { self.init(rawValue: level.rawValue) }
}
