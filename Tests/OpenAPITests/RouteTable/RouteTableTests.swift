import Foundation
import OpenAPIFiles
import RestfulData
import RestfulDataOpenAPI
import RestfulDataTesting
import Testing

/// Every documented operation of GitHub's API, each sent by a call of the library to a stub.
@Suite(.enabled(if: RouteTable.file != nil, "RESTFULDATA_CORPUS has no table of GitHub's routes"))
@MainActor struct RouteTableTests {
    /// By which calls operations are sent.
    enum Way: String, CaseIterable {
        case derived = "by routes that follow from a declared model"
        case model = "by a model or response type at a path of the call's own"
        case response = "by a response type for values"
        case action = "by a request about an object or of the context"
        case download = "by a download"
        case request = "by a bare request"
    }

    @Test func `Nearly all operations of GitHub's API are expressible`() async throws {
        let rows = try RouteTable.rows()
        #expect(rows.count == 1_220)
        let run = try RouteTableRun()
        let report = try run.store.check(against: RouteTable.description(of: rows))
        let calls = Dictionary(uniqueKeysWithValues: report.covered.map { ($0.operation, $0.calls) })
        let kinds = Dictionary(uniqueKeysWithValues: report.uncovered.map { ($0.operation, $0.kind) })
        #expect(report.covered.count + report.uncovered.count == rows.count)

        var ways: [Way: Int] = [:]
        var failures: [String] = []
        for row in rows {
            if let covering = calls[row.operation], await run.sends(row, by: covering) {
                ways[.derived, default: 0] += 1
                continue
            }
            // A model has the route, but it can't be called here: it is sent by its path.
            let (way, refusal) = await run.send(row, as: kinds[row.operation] ?? .subresource)
            if let refusal { failures.append("\(row.operation): \(refusal)") } else { ways[way, default: 0] += 1 }
        }
        let sent = ways.values.reduce(0, +)
        print("GitHub's API: \(sent) of \(rows.count) operations are expressible")
        for way in Way.allCases { print("  \(ways[way] ?? 0) \(way.rawValue)") }
        for failure in failures { print("  not: \(failure)") }
        #expect(sent >= 1_150)
        #expect(failures == [])
        #expect((ways[.derived] ?? 0) >= 300)
    }
}

/// Sends operations, and checks the requests.
@MainActor struct RouteTableRun {
    let store: Store
    private let api: API
    private let stub: StubTransport
    private let folder = FileManager.default.temporaryDirectory
    /// By the names of models.
    private let explanations: [String: Explanation]

    init() throws {
        let stub = StubTransport { request in
            // With nothing that any model has.
            request.method == .get ? .json("{}") : .status(204)
        }
        self.stub = stub
        var conventions = APIConventions.github
        conventions.urls.paths.insert("path")
        api = API("https://api.example.com", conventions: conventions, limits: .unlimited, transport: stub)
        store = try Store(.temporary, models: GitHub.models + [Thing.self], api: api)
        explanations = Dictionary(uniqueKeysWithValues: store.explanations.map { ($0.model, $0) })
    }

    private var context: ObjectContext { store.main }

    /// The request of a call, if it sends one. The reply is ignored.
    private func request(_ call: () async throws -> Void) async -> (request: APIRequest?, error: (any Error)?) {
        stub.forgetRequests()
        var failure: (any Error)?
        do { try await call() } catch { failure = error }
        return (stub.requests.last, failure)
    }

    // MARK: By declared models

    /// Whether one of the calls that the report names sends the operation.
    func sends(_ row: RouteTable.Row, by calls: [OpenAPIReport.Call]) async -> Bool {
        for call in calls {
            guard let type = GitHub.models.first(where: { "\($0.modelDescription.name)" == call.model }),
                let object = try? await sample(of: type)
            else { continue }
            let sent = await request { try await make(call, of: object, body: row) }.request
            if let sent, sent.method.rawValue == row.method, Self.fits(Self.path(of: sent), row.path),
                Self.hasBody(sent, of: row, isModel: true)
            {
                return true
            }
        }
        return false
    }

    private func make(_ call: OpenAPIReport.Call, of object: any Model, body row: RouteTable.Row) async throws {
        switch call.route {
        case "index": try await Self.fetchAll(like: object, in: context)
        case "fetch": try await Self.fetch(object)
        case "save": try await Self.save(object, keys: row.bodyKeys)
        case "delete": try await Self.delete(object)
        case "create":
            let creation = GitHub.creations.first { $0.model == call.model }
            try await creation?.create(context)
        case let route:
            let parts = route.split(separator: ".").map(String.init)
            let list = GitHub.lists.first { $0.name == "\(call.model).\(parts[0])" }
            if parts.last == "add" { try await list?.add(object) }
            if parts.last == "fetch" { try await list?.fetch(object) }
        }
    }

    private static func fetchAll<M: Model>(like object: M, in context: ObjectContext) async throws {
        _ = try await M.fetchAll(in: context)
    }
    private static func fetch<M: Model>(_ object: M) async throws { try await object.fetch() }
    private static func delete<M: Model>(_ object: M) async throws { try await object.delete() }
    private static func save<M: Model>(_ object: M, keys: [String]) async throws {
        try await object.save { $0.body = try .json(Self.body(of: keys)) }
    }

    /// An object that the server knows, with those that lead to its URL.
    private func sample<M: Model>(of type: M.Type) async throws -> M {
        try await context.upsert(type, json(of: type))
    }

    private func json(of type: any Model.Type) -> JSONValue {
        guard let explanation = explanations[type.modelDescription.name] else { return .null }
        let attributes = explanation.attributes.map { attribute -> (String, JSONValue) in
            let text = attribute.json == "full_name" ? "octocat/Hello-World" : "a-1"
            return (attribute.json, attribute.type == "INTEGER" ? 7 : .string(text))
        }
        let owners = explanation.relationships.filter { !$0.isList }.compactMap {
            relationship -> (String, JSONValue)? in
            let owner = GitHub.models.first { $0.modelDescription.name == relationship.target }
            return owner.flatMap { owner in relationship.json.first.map { ($0, json(of: owner)) } }
        }
        return .object(Dictionary(uniqueKeysWithValues: attributes + owners))
    }

    // MARK: By paths

    /// Sends an operation that the models lack a route for.
    ///
    /// - Returns: The call, and the reason why an operation is unsendable.
    func send(_ row: RouteTable.Row, as kind: OpenAPIReport.Kind) async -> (RouteTableTests.Way, String?) {
        let (way, call) = call(for: row, kind)
        let (sent, error) = await request(call)
        guard let sent else { return (way, "nothing was sent: \(error.map { "\($0)" } ?? "no error")") }
        if sent.method.rawValue != row.method { return (way, "the method is \(sent.method)") }
        if Self.path(of: sent) != Self.path(of: row) { return (way, "the path is \(Self.path(of: sent))") }
        return (way, Self.hasBody(sent, of: row) ? nil : "the body is another")
    }

    private typealias Sending = () async throws -> Void

    private func call(for row: RouteTable.Row, _ kind: OpenAPIReport.Kind) -> (RouteTableTests.Way, Sending) {
        let (template, values) = (URLTemplate(row.path.routeTemplate), Self.values(of: row))
        let method = HTTPRequest.Method(rawValue: row.method) ?? .get
        let (context, api, folder) = (context, api, folder)
        let isGet = method == .get
        let sending: Sending = { try await Reply.send(method, template, values, body: Self.own(row), in: context) }
        switch kind {
        case .subresource, .collection:
            guard isGet else { return (.model, sending) }
            return (.model, { _ = try await Thing.fetchAll(template, values, in: context) })
        case .item, .singleton:
            guard isGet else { return (.model, sending) }
            return (.model, { _ = try await Thing.fetch(template, values, in: context) })
        case .response: return (.response, { _ = try await Reply.fetch(template, values, in: context) })
        case .action: return (.action, { try await context.send(method, template, values, body: Self.own(row)) })
        case .download:
            return (
                .download,
                { try await api.download(template, values, to: folder.appending(path: "download-\(UUID())")) }
            )
        case .request, .inexpressible:
            return (.request, { try await api.send(method, template, values, body: Self.own(row)) })
        }
    }

    // MARK: Expectations

    private static func value(of name: String) -> String {
        switch name {
        case "path": "docs/read me.md"
        case "basehead": "main...topic"
        case let name where name.hasSuffix("_id") || name.hasSuffix("number"): "1347"
        default: "a b+1"
        }
    }

    private static func values(of row: RouteTable.Row) -> [String: any RouteValueConvertible] {
        Dictionary(row.path.pathParameters.map { ($0, value(of: $0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// The path with the values as RFC 3986 has them in a path.
    private static func path(of row: RouteTable.Row) -> String {
        row.path.pathParameters.reduce(row.path) { path, name in
            path.replacing("{\(name)}", with: value(of: name).replacing(" ", with: "%20"))
        }
    }

    private static func own(_ row: RouteTable.Row) -> RequestBody? {
        switch row.bodyType {
        case nil: nil
        case "application/json": try? .json(body(of: row.bodyKeys))
        case "text/plain": .text("# Read me")
        case let type?: .data(Data([1, 2, 3]), type: type)
        }
    }

    private static func body(of keys: [String]) -> [String: String] {
        Dictionary(keys.map { ($0, "a") }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether the request has the body of an operation: the keys that the table names, or of a model's some of them.
    private static func hasBody(_ request: APIRequest, of row: RouteTable.Row, isModel: Bool = false) -> Bool {
        guard let type = row.bodyType else { return true }
        guard request.headerFields[.contentType]?.hasPrefix(type) ?? false else { return false }
        guard type == "application/json", !row.bodyKeys.isEmpty else { return true }
        let json = try? JSONSerialization.jsonObject(with: Data(request.body?.bytes ?? []))
        let keys = (json as? [String: Any])?.keys
        return keys.map { isModel ? $0.allSatisfy(row.bodyKeys.contains) : Set($0) == Set(row.bodyKeys) } ?? false
    }

    private static func path(of request: APIRequest) -> String { request.url.path(percentEncoded: true) }

    /// Whether a path is one of an operation's: with one segment for each name.
    private static func fits(_ sent: String, _ path: String) -> Bool {
        let parts = (sent.prefix { $0 != "?" }).split(separator: "/")
        let expected = path.split(separator: "/")
        return parts.count == expected.count
            && zip(parts, expected).allSatisfy { $1.contains("{") ? !$0.isEmpty : $0 == $1 }
    }
}

/// Any object with an identity.
@Model
private final class Thing {
    var identifier: Int?
}

/// Any reply.
@ResponseBody
private struct Reply {
    @Attribute(.root) var everything: [String: JSONValue]?
}
