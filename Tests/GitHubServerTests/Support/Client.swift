import FlyingSocks
import Foundation
import Testing

@testable import GitHubServer

/// A client that sends a test's exact bytes, over a socket of its own for every request.
struct Client: Sendable {
    let server: GitHubServer

    static let headers = ["User-Agent": "tests", "Accept": "application/vnd.github+json"]

    func get(_ target: String, _ headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", target, headers: headers)
    }

    func send(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
    ) async throws -> Answer {
        try await send(method, target, body, exactly: Client.headers.merging(headers) { $1 })
    }

    /// Sends these headers, and otherwise only those that frame the message.
    func send(
        _ method: String, _ target: String, _ body: String? = nil, exactly headers: [String: String]
    ) async throws -> Answer {
        let connection = try await Connection(to: server)
        defer { connection.close() }
        return try await connection.send(method, target, body, headers: headers)
    }
}

/// A connection that is kept between requests.
struct Connection: Sendable {
    private let socket: AsyncSocket

    init(to server: GitHubServer) async throws {
        let port = try #require(server.baseURL.split(separator: ":").last.flatMap { UInt16($0) })
        socket = try await AsyncSocket.connected(to: .inet(ip4: "127.0.0.1", port: port))
    }

    func close() { try? socket.close() }

    func send(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String]
    ) async throws -> Answer {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        try await socket.write(Data((text + "\r\n" + (body ?? "")).utf8))
        return try await readAnswer(hasBody: method != "HEAD")
    }

    private func readAnswer(hasBody: Bool) async throws -> Answer {
        var lines: [String] = []
        while lines.last != "" { lines.append(try await readLine()) }
        let status = try #require(lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) })
        let headers = lines.dropFirst().reduce(into: [String: String]()) { headers, line in
            let halves = line.split(separator: ":", maxSplits: 1)
            if halves.count == 2 { headers[halves[0].lowercased()] = String(halves[1].dropFirst()) }
        }
        let length = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
        let body = length == 0 ? [] : try await socket.read(bytes: length)
        return Answer(status: status, headers: headers, body: Data(body))
    }

    private func readLine() async throws -> String {
        var line: [UInt8] = []
        while true {
            let byte = try await socket.read()
            if byte == UInt8(ascii: "\n") { return String(decoding: line.dropLast(), as: UTF8.self) }
            line.append(byte)
        }
    }
}

/// A reply as it came in.
struct Answer: Sendable {
    let status: Int
    /// By name in lower case.
    let headers: [String: String]
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }
    /// The parsed body; for any other body, a text with a note.
    var json: JSON { JSON(parsing: body) ?? .string("not JSON: \(text)") }

    /// The target of a `Link` header's relation.
    func link(_ relation: String) -> String? {
        let links = headers["link"]?.components(separatedBy: ", ") ?? []
        return links.first { $0.hasSuffix("rel=\"\(relation)\"") }
            .flatMap { $0.split(separator: ">").first?.dropFirst() }
            .flatMap { URL(string: String($0)) }
            .map { $0.path + "?" + ($0.query ?? "") }
    }
}
