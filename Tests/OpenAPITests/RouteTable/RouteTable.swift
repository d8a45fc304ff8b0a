import Foundation
import OpenAPIFiles
import RestfulData
import TestSupport

/// The table of GitHub's documented operations, in the corpus.
enum RouteTable {
    /// The file; nil if the corpus or the table in it is missing.
    static let file: URL? = Bodies.corpus.map { $0.appending(path: "github-routes.tsv") }
        .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }

    struct Row: Sendable {
        let path: String
        let method: String
        let names: [String]
        /// The media type of the body, if there is one.
        let bodyType: String?
        /// The keys of a body in JSON; empty if the table has the name of its schema.
        let bodyKeys: [String]
        let statuses: [String]
        let status: String
        /// `label`, `[label]`, `{total_count,labels}` or an empty text.
        let response: String

        var operation: String { "\(method) \(path)" }
    }

    static func rows() throws -> [Row] {
        guard let file else { return [] }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst()
        return lines.map { line in
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            // `application/json:` of a GET, if it lacks a schema, means an empty body.
            let parts = cells[5].split(separator: ":", maxSplits: 1).map(String.init)
            let body = parts.count == 2 ? parts : []
            return Row(
                path: cells[0], method: cells[1], names: list(cells[3]), bodyType: body.first,
                bodyKeys: body.last.map { keys($0) } ?? [], statuses: list(cells[6]), status: cells[7],
                response: cells[8])
        }
    }

    private static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init) }

    private static func keys(_ text: String) -> [String] {
        text.hasPrefix("{") && text.hasSuffix("}") ? list(String(text.dropFirst().dropLast())) : []
    }

    // MARK: As a description

    /// The table as an OpenAPI description, with schemas as far as the table has them.
    static func description(of rows: [Row]) throws -> OpenAPIDescription {
        var paths: [String: JSONValue] = [:]
        var schemas: [String: JSONValue] = [:]
        for row in rows {
            var operation: [String: JSONValue] = [
                "parameters": .array(row.names.map { ["name": .string($0), "in": "path", "required": true] }),
                "responses": .object(replies(of: row, &schemas)),
            ]
            if let type = row.bodyType {
                let properties = JSONValue.object(Dictionary(uniqueKeysWithValues: row.bodyKeys.map { ($0, [:]) }))
                operation["requestBody"] = [
                    "content": .object([type: ["schema": ["type": "object", "properties": properties]]])
                ]
            }
            var item: [String: JSONValue] = [:]
            if case .object(let known)? = paths[row.path] { item = known }
            item[row.method.lowercased()] = .object(operation)
            paths[row.path] = .object(item)
        }
        let description: JSONValue = [
            "openapi": "3.0.3", "info": ["title": "GitHub"], "paths": .object(paths),
            "components": ["schemas": .object(schemas)],
        ]
        return try OpenAPIDescription(Data((description.text ?? "").utf8), named: "github-routes.tsv")
    }

    private static func replies(of row: Row, _ schemas: inout [String: JSONValue]) -> [String: JSONValue] {
        var replies: [String: JSONValue] = Dictionary(
            row.statuses.map { ($0, ["description": ""]) }, uniquingKeysWith: { first, _ in first })
        guard !row.response.isEmpty, !row.status.isEmpty else { return replies }
        let schema = schema(of: row.response, &schemas)
        replies[row.status] = ["content": ["application/json": ["schema": schema]]]
        return replies
    }

    private static func schema(of text: String, _ schemas: inout [String: JSONValue]) -> JSONValue {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return ["type": "array", "items": schema(of: String(text.dropFirst().dropLast()), &schemas)]
        }
        let keys = keys(text)
        if !keys.isEmpty {
            let properties = keys.map { key -> (String, JSONValue) in
                // `{"total_count": 7, "secrets": […]}`
                let isList = keys.contains("total_count") && keys.count == 2 && key != "total_count"
                return (key, isList ? ["type": "array", "items": ["type": "object", "properties": ["id": [:]]]] : [:])
            }
            return ["type": "object", "properties": .object(Dictionary(uniqueKeysWithValues: properties))]
        }
        let name = text.filter { $0.isLetter || $0.isNumber || "-_.".contains($0) }
        schemas[name] = ["type": "object", "properties": ["id": ["type": "integer"]]]
        return ["$ref": .string("#/components/schemas/\(name)")]
    }
}
