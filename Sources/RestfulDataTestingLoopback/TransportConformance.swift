import FlyingFox
import FlyingSocks
import Foundation
import HTTPTypes
public import RestfulData
import Synchronization

/// Checks that your ``Transport`` keeps its promises, with a server on loopback.
///
/// ```swift
/// @Test func myTransportConforms() async throws {
///     #expect(try await TransportConformance.problems(of: MyTransport()) == [])
/// }
/// ```
public enum TransportConformance {
    /// Sends requests, and compares them and their replies with the expected ones.
    ///
    /// - Parameter transport: The transport. It may follow redirects.
    /// - Returns: One line for each broken promise; empty if the transport conforms.
    /// - Throws: An error of the system if no port is available.
    public static func problems(of transport: any Transport) async throws -> [String] {
        let echo = Echo()
        let server = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: 0), timeout: 60, logger: .disabled, handler: echo)
        let running = Task { try await server.run() }
        defer { running.cancel() }
        try await server.waitUntilListening(timeout: 60)
        guard case .ip4(_, let port) = await server.listeningAddress else { return ["the checks found no port"] }
        var checks = Checks(transport: transport, base: "http://127.0.0.1:\(port)", echo: echo)
        await checks.run()
        await server.stop()
        await checks.expectNoConnection()
        return checks.problems
    }
}

/// A server that replies as the query requests, and records the requests.
private final class Echo: HTTPHandler {
    struct Seen: Sendable {
        let line: String
        let fields: [String: String]
        let body: [UInt8]
    }

    private let seen = Mutex<[Seen]>([])

    var last: Seen? { seen.withLock(\.last) }

    func handleRequest(_ request: FlyingFox.HTTPRequest) async throws -> FlyingFox.HTTPResponse {
        let body = [UInt8](try await request.bodyData)
        var fields: [String: String] = [:]
        for (name, value) in request.headers { fields[name.rawValue.lowercased()] = value }
        seen.withLock {
            $0.append(Seen(line: "\(request.method.rawValue) \(request.target.rawValue)", fields: fields, body: body))
        }
        let query = URLComponents(string: request.target.rawValue)?.queryItems ?? []
        func value(_ name: String) -> Int? { query.first { $0.name == name }?.value.flatMap { Int($0) } }
        let status = HTTPStatusCode(value("status") ?? 200, phrase: "Status")
        let bytes = value("bytes").map { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } } ?? body
        return FlyingFox.HTTPResponse(
            statusCode: status, headers: [HTTPHeader("X-Check"): "a, b"],
            body: Data([204, 304].contains(status.code) ? [] : bytes))
    }
}

/// The checks and their results.
private struct Checks {
    let transport: any Transport
    let base: String
    let echo: Echo
    private(set) var problems: [String] = []

    init(transport: any Transport, base: String, echo: Echo) {
        (self.transport, self.base, self.echo) = (transport, base, echo)
    }

    mutating func run() async {
        for status in [200, 201, 204, 400, 404, 409, 418, 429, 500, 503] { await expectStatus(status) }
        for count in [0, 1, 65_537, 1_000_000] { await expectBytes(count) }
        for method in [HTTPTypes.HTTPRequest.Method.get, .post, .put, .patch, .delete] { await expectRequest(method) }
        await expectManyAtOnce()
        await expectCancellation()
    }

    private mutating func send(
        _ method: HTTPTypes.HTTPRequest.Method = .get, _ path: String, headerFields: HTTPFields = [:],
        body: RequestBody? = nil
    ) async -> APIResponse? {
        do {
            let request = try APIRequest(method, base + path, headerFields: headerFields, body: body)
            let response = try await transport.send(request)
            if response.request != request { problems.append("the reply to \(path) has another request") }
            return response
        } catch {
            problems.append("\(method.rawValue) \(path) has a reply, and the transport threw \(error)")
            return nil
        }
    }

    /// A transport returns any status as a response.
    private mutating func expectStatus(_ status: Int) async {
        guard let response = await send(.get, "/?status=\(status)") else { return }
        if response.status.code != status {
            problems.append("the status \(status) came as \(response.status.code)")
        }
        if response.headerFields[HTTPField.Name("X-Check") ?? .accept] != "a, b" {
            problems.append("a reply's header field came as \(response.headerFields)")
        }
    }

    /// A body is complete, with any bytes.
    private mutating func expectBytes(_ count: Int) async {
        guard let response = await send(.get, "/?bytes=\(count)") else { return }
        let expected = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        if response.body != expected {
            problems.append("a body of \(count) bytes came as \(response.body.count) others")
        }
    }

    /// Method, URL, header fields and body arrive unchanged.
    private mutating func expectRequest(_ method: HTTPTypes.HTTPRequest.Method) async {
        let path = "/a%2Fb/c%20d?x=1%262&y=%C3%A9&empty="
        let hasBody = method != .get
        let bytes: [UInt8] = [0, 255, 10, 13, 123]
        let name = HTTPField.Name("X-Own") ?? .accept
        let response = await send(
            method, path, headerFields: [name: "own value"],
            body: hasBody ? .bytes(bytes, type: "application/octet-stream") : nil)
        guard response != nil, let seen = echo.last else { return }
        if seen.line != "\(method.rawValue) \(path)" {
            problems.append("\(method.rawValue) \(path) arrived as \(seen.line)")
        }
        if seen.fields["x-own"] != "own value" {
            problems.append("a header field of \(method.rawValue) did not arrive")
        }
        if hasBody, seen.body != bytes { problems.append("the body of \(method.rawValue) arrived as \(seen.body)") }
        if hasBody, seen.fields["content-type"] != "application/octet-stream" {
            problems.append(
                "the Content-Type of \(method.rawValue) arrived as \(seen.fields["content-type"] ?? "none")")
        }
    }

    /// Concurrent requests get their own replies.
    private mutating func expectManyAtOnce() async {
        let (transport, base) = (transport, base)
        let wrong = await withTaskGroup(of: Bool.self) { group in
            for count in 1...20 {
                group.addTask {
                    guard let request = try? APIRequest(.get, "\(base)/?bytes=\(count)"),
                        let response = try? await transport.send(request)
                    else { return true }
                    return response.body.count != count
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        if wrong > 0 { problems.append("\(wrong) of 20 requests at the same time had no reply, or another's") }
    }

    /// A cancelled task gets the error `cancelled`.
    private mutating func expectCancellation() async {
        let (transport, base) = (transport, base)
        let task = Task { () async -> String? in
            // The task cancels itself before the request starts. Safe: the reference is used only within the closure.
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            do throws(TransportError) {
                _ = try await transport.send(try APIRequest(.get, base + "/"))
                return "a cancelled task got a reply"
            } catch {
                return error.reason == .cancelled ? nil : "a cancelled task got \(error.reason)"
            }
        }
        if let problem = await task.value { problems.append(problem) }
    }

    /// A connection to a closed port is an error.
    mutating func expectNoConnection() async {
        do {
            _ = try await transport.send(try APIRequest(.get, base + "/"))
            problems.append("there was a reply where nobody listens")
        } catch {
            switch error.reason {
            case .connectionRefused, .connectionFailed, .connectionLost: break
            default: problems.append("where nobody listens the error was \(error.reason)")
            }
        }
    }
}
