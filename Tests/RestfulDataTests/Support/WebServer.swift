import FlyingFox
import FlyingSocks
import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport

/// Runs an HTTP server on a free loopback port for the length of `body`, which gets its base URL.
///
/// - Parameter answer: gets the method, path and query, and the body behind a space if there is one, and the header
///   fields by names in lower case.
@MainActor func withWebServer(
    _ answer: @escaping @Sendable (_ line: String, _ fields: [String: String]) -> StubTransport.Reply,
    _ body: (_ base: String) async throws -> Void
) async throws {
    let handler = ClosureHTTPHandler { request in
        let text = String(decoding: try await request.bodyData, as: UTF8.self)
        let line = "\(request.method.rawValue) \(request.target.rawValue)" + (text.isEmpty ? "" : " " + text)
        var fields: [String: String] = [:]
        for (name, value) in request.headers { fields[name.rawValue.lowercased()] = value }
        let reply = answer(line, fields)
        var headers = HTTPHeaders()
        for field in reply.headerFields { headers[HTTPHeader(field.name.rawName)] = field.value }
        return HTTPResponse(
            statusCode: HTTPStatusCode(reply.status, phrase: "Status"), headers: headers, body: Data(reply.body))
    }
    let server = HTTPServer(
        address: try .inet(ip4: "127.0.0.1", port: 0), timeout: Double(patience.components.seconds), logger: .disabled,
        handler: handler)
    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await server.waitUntilListening(timeout: Double(patience.components.seconds))
    guard case .ip4(_, let port) = await server.listeningAddress else { throw NoPort() }
    do {
        try await body("http://127.0.0.1:\(port)")
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

private struct NoPort: Error {}
