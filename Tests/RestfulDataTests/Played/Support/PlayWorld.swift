import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import TestSupport

/// A service's object, as its JSON.
typealias PlayRow = [String: JSONValue]

/// A service's tables and answers: `GET /table`, page by page, `GET /table/id`, `POST`, `PATCH` and `DELETE`, with
/// validators. A service's own features are in a few closures.
struct PlayWorld: Sendable {
    var tables: [String: [PlayRow]] = [:]
    /// By table, the key that makes a second creation the first one again.
    var uniqueKeys: [String: String] = [:]
    /// The tables with identities that the clients choose.
    var clientIdentities: Set<String> = []
    var pageSize = 100
    /// Whether lists begin with the newest object, and their pages are found by `before`.
    var isNewestFirst = false
    private(set) var lastID = 1000
    private var clock = 0

    /// Takes a row that was made or changed by a body; its errors by field, which refuse it.
    var taking: @Sendable (inout PlayWorld, String, inout PlayRow, PlayRow) -> [String: [String]] = { _, _, _, _ in [:]
    }
    /// Another row than the one that there is, as it is shown.
    var showing: @Sendable (PlayWorld, String, PlayRow) -> PlayRow = { _, _, row in row }
    /// The rows of a list that isn't all of a table.
    var listing: @Sendable (PlayWorld, [String], [String: String]) -> [PlayRow]? = { _, _, _ in nil }
    /// Is called with deleted rows.
    var removing: @Sendable (inout PlayWorld, String, PlayRow) -> Void = { _, _, _ in }
    /// A route of the service's own.
    var routing: @Sendable (inout PlayWorld, String, [String], PlayRow) -> StubTransport.Reply? = { _, _, _, _ in nil }

    // MARK: Others

    func row(_ table: String, _ id: String) -> PlayRow? { index(table, id).flatMap { tables[table]?[$0] } }

    @discardableResult
    mutating func insert(_ table: String, _ row: PlayRow) -> PlayRow {
        var row = row
        if row["id"] == nil { row["id"] = nextID() }
        _ = taking(&self, table, &row, row)
        stamp(&row)
        tables[table, default: []].append(row)
        return row
    }

    mutating func change(_ table: String, _ id: String, _ changes: PlayRow) {
        guard var row = row(table, id) else { return }
        row.merge(changes) { $1 }
        _ = taking(&self, table, &row, changes)
        put(&row, into: table)
    }

    mutating func remove(_ table: String, _ id: String) {
        guard let index = index(table, id), let row = tables[table]?.remove(at: index) else { return }
        removing(&self, table, row)
    }

    /// Takes the members that a body names of a row: those leave that it doesn't name.
    mutating func takeMembers(_ key: String, of row: inout PlayRow, from body: PlayRow, _ table: String, link: String) {
        row[key] = nil
        guard body[key] != nil else { return }
        let (id, members) = (row["id"], body.ints(key))
        for member in tables[table] ?? [] {
            if members.contains(member.int("id")) {
                change(table, member.id, [link: id ?? .null])
            } else if member[link] == id {
                change(table, member.id, [link: .null])
            }
        }
    }

    mutating func nextID() -> JSONValue {
        lastID += 1
        return .int(lastID)
    }

    private func index(_ table: String, _ id: String) -> Int? { tables[table]?.firstIndex { $0.id == id } }

    private mutating func stamp(_ row: inout PlayRow) {
        clock += 1
        let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(clock))
        row["updated_at"] = .string(date.formatted(.iso8601))
    }

    private mutating func put(_ row: inout PlayRow, into table: String) {
        stamp(&row)
        // To take it may have moved the others.
        guard let index = index(table, row.id) else { return }
        tables[table]?[index] = row
    }

    // MARK: Requests

    mutating func answer(_ request: APIRequest) -> StubTransport.Reply {
        let parts = request.url.path().split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
        let query = Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
        let method = request.method.rawValue
        let body = request.body?.bytes.flatMap { try? JSONDecoder().decode(PlayRow.self, from: Data($0)) } ?? [:]
        if let reply = routing(&self, method, parts, body) { return reply }
        guard let table = parts.first, let last = parts.last, let rows = tables[table] else { return .status(404) }
        switch (method, parts.count) {
        case ("GET", 2): return row(table, last).map { tagged(.object(show($0, of: table)), request) } ?? .notFound
        case ("GET", _):
            let rows = listing(self, parts, query) ?? rows
            return page(isNewestFirst ? rows.reversed() : rows, of: last, request, query)
        case ("POST", 1): return create(body, in: table)
        case ("PATCH", 2):
            guard var row = row(table, last) else { return .notFound }
            row.merge(body) { $1 }
            if let refusal = take(&row, body, into: table) { return refusal }
            put(&row, into: table)
            return .json(.object(show(row, of: table)))
        case ("DELETE", 2):
            guard row(table, last) != nil else { return .notFound }
            remove(table, last)
            return .status(204)
        default: return .status(405)
        }
    }

    /// Creates a row of a body; or finds the one that it is already.
    mutating func create(_ body: PlayRow, in table: String) -> StubTransport.Reply {
        if let key = uniqueKeys[table], let value = body[key],
            var known = tables[table]?.first(where: { $0[key] == value })
        {
            known.merge(body) { $1 }
            if let refusal = take(&known, body, into: table) { return refusal }
            put(&known, into: table)
            return .json(.object(show(known, of: table)))
        }
        var row = body
        if clientIdentities.contains(table) {
            guard body["id"] != nil else { return .refusal(["id": ["is missing"]]) }
            if self.row(table, row.id) != nil { return .json(["message": "exists"], status: 409) }
        } else {
            row["id"] = nextID()
        }
        if let refusal = take(&row, body, into: table) { return refusal }
        stamp(&row)
        tables[table, default: []].append(row)
        return .json(.object(show(row, of: table)), status: 201)
    }

    func show(_ row: PlayRow, of table: String) -> PlayRow { showing(self, table, row) }

    private mutating func take(
        _ row: inout PlayRow, _ body: PlayRow, into table: String
    ) -> StubTransport.Reply? {
        let errors = taking(&self, table, &row, body)
        return errors.isEmpty ? nil : .refusal(errors)
    }

    private func page(
        _ rows: [PlayRow], of table: String, _ request: APIRequest, _ query: [String: String]
    ) -> StubTransport.Reply {
        let number = query["page"].flatMap { Int($0) } ?? 1
        var start = min((number - 1) * pageSize, rows.count)
        if let before = query["before"].flatMap({ Int($0) }) {
            start = rows.firstIndex { $0.int("id") < before } ?? rows.count
        }
        let some = Array(rows[start...].prefix(pageSize))
        var fields: HTTPFields = [:]
        if start + pageSize < rows.count, let last = some.last {
            let next = isNewestFirst ? "before=\(last.id)" : "page=\(number + 1)"
            fields[.link] = "<https://api.example.com\(request.url.path())?\(next)>; rel=\"next\""
        }
        return tagged(.array(some.map { .object(show($0, of: table)) }), request, fields)
    }

    private func tagged(_ body: JSONValue, _ request: APIRequest, _ fields: HTTPFields = [:]) -> StubTransport.Reply {
        var fields = fields
        let tag = "\"\(String(stableHash(body.jsonText + (fields[.link] ?? "")), radix: 16))\""
        fields[.eTag] = tag
        guard request.headerFields[.ifNoneMatch] != tag else { return .status(304, headerFields: fields) }
        return .json(body, headerFields: fields)
    }
}

extension HTTPField.Name {
    fileprivate static var link: Self { Self("Link") ?? .location }
}

extension StubTransport.Reply {
    static var notFound: Self { .json(["error": "not found"], status: 404) }

    static func json(_ value: JSONValue, status: Int = 200, headerFields: HTTPFields = [:]) -> Self {
        .json(value.jsonText, status: status, headerFields: headerFields)
    }

    /// A validation error for each of some fields.
    static func refusal(_ errors: [String: [String]]) -> Self {
        .json(["errors": .object(errors.mapValues { .array($0.map { .string($0) }) })], status: 422)
    }
}

extension JSONValue {
    static func int(_ value: Int) -> JSONValue { JSONValue(integerLiteral: value) }
    static func int(_ value: Int?) -> JSONValue { value.map { int($0) } ?? .null }
    static func ints(_ values: [Int]) -> JSONValue { .array(values.map { .int($0) }) }

    /// The value as JSON, its keys in order.
    var jsonText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

extension PlayRow {
    /// The identity as written in a URL.
    var id: String { self["id"].map { $0.string ?? "\($0.integer ?? 0)" } ?? "" }

    func int(_ key: String) -> Int { self[key]?.integer ?? 0 }
    func text(_ key: String) -> String { self[key]?.string ?? "" }
    func ints(_ key: String) -> [Int] { self[key]?.array?.compactMap(\.integer) ?? [] }
    func rows(_ key: String) -> [PlayRow] {
        self[key]?.array?.compactMap { if case .object(let row) = $0 { row } else { nil } } ?? []
    }
}
