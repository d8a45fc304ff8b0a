import Foundation
import RestfulData
import Synchronization

/// The requests of a store, each as its method, path, query and body, and the status of the reply.
final class Record: Middleware {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    /// The requests that change something.
    var writes: [String] { lines.filter { !$0.hasPrefix("GET ") } }

    func forget() { written.withLock { $0 = [] } }

    func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
        let response = try await next(request)
        var words = [request.method.rawValue, request.url.path(percentEncoded: true)]
        if let query = request.url.query(percentEncoded: true) { words[1] += "?" + query }
        if let body = request.body?.bytes { words.append(String(decoding: body, as: UTF8.self)) }
        words.append(String(response.status.code))
        written.withLock { $0.append(words.joined(separator: " ")) }
        return response
    }
}
