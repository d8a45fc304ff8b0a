import FlyingFox
import FlyingSocks
import Foundation
import TestSupport

/// A request as a test's server saw it.
struct ServerRequest: Sendable {
    var method: String
    /// Path and query as they came over the wire.
    var target: String
    /// By names in lower case.
    var fields: [String: String]
    var body: String
}

/// The answer of a test's server.
struct ServerReply: Sendable {
    var status = 200
    var fields: [String: String] = [:]
    var body = ""

    static func redirect(_ status: Int, to location: String) -> ServerReply {
        ServerReply(status: status, fields: ["Location": location], body: "moved")
    }
}

/// Runs an HTTP server on a free loopback port for the length of `body`, which gets its base URL without a slash.
func withWebServer<Result>(
    _ answer: @escaping @Sendable (ServerRequest) async throws -> ServerReply,
    _ body: (_ base: String) async throws -> Result
) async throws -> Result {
    let handler = ClosureHTTPHandler { request in
        var fields: [String: String] = [:]
        for (name, value) in request.headers { fields[name.rawValue.lowercased()] = value }
        let body = String(decoding: try await request.bodyData, as: UTF8.self)
        let reply = try await answer(
            ServerRequest(
                method: request.method.rawValue, target: request.target.rawValue, fields: fields, body: body))
        var headers = HTTPHeaders()
        for (name, value) in reply.fields { headers[HTTPHeader(name)] = value }
        return HTTPResponse(
            statusCode: HTTPStatusCode(reply.status, phrase: "Status"), headers: headers, body: Data(reply.body.utf8))
    }
    let server = HTTPServer(
        address: try .inet(ip4: "127.0.0.1", port: 0), timeout: Double(patience.components.seconds), logger: .disabled,
        handler: handler)
    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await server.waitUntilListening(timeout: Double(patience.components.seconds))
    guard case .ip4(_, let port) = await server.listeningAddress else { throw NoPort() }
    let result: Result
    do {
        result = try await body("http://127.0.0.1:\(port)")
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
    return result
}

struct NoPort: Error {}
