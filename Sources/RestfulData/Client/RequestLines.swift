import Logging
import ObjectStore
import RESTTransport

extension APIRequest {
    /// Writes a line about the request to the library's log: never header fields, never bodies.
    ///
    /// - Parameters:
    ///   - duration: How long the request took.
    ///   - level: Where its model names none.
    func log(_ outcome: Result<APIResponse, TransportError>, after duration: Duration, at level: RequestLogLevel?) {
        guard let level = passage.logLevel ?? level.flatMap({ Logger.Level($0) }) else { return }
        let milliseconds = Int(duration / .milliseconds(1))
        let result: String
        switch outcome {
        case .success(let response) where response.unsent != nil: result = "from the store"
        case .success(let response):
            result = "\(response.status.code) in \(milliseconds) ms, \(response.body.count) bytes"
        case .failure(let error): result = "no reply after \(milliseconds) ms: \(error.reason)"
        }
        // Made for each line, as the program may set up its log after the API.
        Logger(label: "RestfulData").log(level: level, "\(RequestSummary(self)) → \(result)")
    }
}

extension Logger.Level {
    init?(_ level: RequestLogLevel) { self.init(rawValue: level.rawValue) }
}
