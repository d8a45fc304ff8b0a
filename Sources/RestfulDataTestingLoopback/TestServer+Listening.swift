import FlyingFox
import FlyingSocks
import Foundation
import HTTPTypes
import RestfulData
public import RestfulDataTesting

extension TestServer {
    /// Starts listening on a loopback port as well.
    ///
    /// ```swift
    /// let listening = try await server.listen()
    /// let api = API(listening.baseURL, conventions: server.conventions)
    /// …
    /// await listening.stop()
    /// ```
    ///
    /// Requests over the port use the same objects, rules, handlers and faults. A fault of the network becomes a 502
    /// with its text, and an unmatched request a 501.
    ///
    /// - Parameter port: The port; 0 for any free port.
    /// - Returns: The running server. Stop it at the end of the test.
    /// - Throws: An error of the system, such as a taken port.
    public func listen(port: UInt16 = 0) async throws -> ListeningServer {
        try await ListeningServer(self, port: port)
    }
}

/// A ``TestServer`` on a loopback port.
public final class ListeningServer: Sendable {
    /// The base URL at this port: `http://127.0.0.1:49152`, with the path of the ``TestServer``'s base URL.
    public let baseURL: String
    /// The port.
    public let port: UInt16
    private let server: HTTPServer
    private let running: Task<Void, any Error>

    /// The time limit for starting, and for each read of a request, in seconds.
    private static let patience = 60.0

    init(_ testServer: TestServer, port: UInt16) async throws {
        let handler = ClosureHTTPHandler { [testServer] request in
            await Self.answer(request, by: testServer)
        }
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port), timeout: Self.patience, logger: .disabled,
            handler: handler)
        running = Task { try await server.run() }
        do {
            try await server.waitUntilListening(timeout: Self.patience)
        } catch {
            running.cancel()
            throw error
        }
        guard case .ip4(_, let port) = await server.listeningAddress else {
            running.cancel()
            throw TransportError(.other("the test server has no port"), RequestSummary(method: "GET", url: "/"))
        }
        (self.server, self.port) = (server, port)
        let path = URL(string: testServer.baseURL)?.path(percentEncoded: true) ?? ""
        baseURL = "http://127.0.0.1:\(port)" + (path == "/" ? "" : path)
    }

    deinit { running.cancel() }

    /// Stops the server and cancels the requests in progress.
    public func stop() async {
        await server.stop()
        running.cancel()
    }

    private static func answer(
        _ request: FlyingFox.HTTPRequest, by server: TestServer
    ) async -> FlyingFox.HTTPResponse {
        let host = request.headers.first { $0.key.rawValue.lowercased() == "host" }?.value ?? "127.0.0.1"
        do {
            let body = try await request.bodyData
            var fields: HTTPFields = [:]
            for (name, value) in request.headers {
                if let name = HTTPField.Name(name.rawValue) { fields.append(HTTPField(name: name, value: value)) }
            }
            let method = HTTPTypes.HTTPRequest.Method(request.method.rawValue) ?? .get
            let incoming = try APIRequest(
                method, "http://\(host)\(request.target.rawValue)", headerFields: fields,
                body: body.isEmpty ? nil : .bytes([UInt8](body)))
            return response(try await server.send(incoming))
        } catch let error as TransportError {
            let isUnmatched = if case .other = error.reason { true } else { false }
            return text("\(error)", status: isUnmatched ? 501 : 502)
        } catch {
            return text("\(error)", status: 500)
        }
    }

    private static func response(_ response: APIResponse) -> FlyingFox.HTTPResponse {
        var headers = HTTPHeaders()
        for field in response.headerFields { headers.addValue(field.value, for: HTTPHeader(field.name.rawName)) }
        return FlyingFox.HTTPResponse(
            statusCode: HTTPStatusCode(response.status.code, phrase: response.status.reasonPhrase), headers: headers,
            body: Data(response.body))
    }

    private static func text(_ text: String, status: Int) -> FlyingFox.HTTPResponse {
        FlyingFox.HTTPResponse(
            statusCode: HTTPStatusCode(status, phrase: "Test Server"),
            headers: [.contentType: "text/plain; charset=utf-8"], body: Data(text.utf8))
    }
}
