public import Foundation
import JSONBytes

/// A service's description in OpenAPI 3.0 or 3.1 (OpenAPI Specification 3.1.1): its operations, and the schemas of
/// their requests and replies.
///
/// References within the file are followed, even in cycles. Invalid parts, such as a `$ref` to a missing value or
/// another file, are left out and listed in ``problems``. Webhooks, examples and security are ignored.
public struct OpenAPIDescription: Sendable {
    /// The name of the file, for messages.
    public let name: String
    /// The title of the service; empty if there is none.
    public let title: String
    /// The version of OpenAPI: `3.1.0`.
    public let specification: String
    /// The operations, in the order of the file.
    public let operations: [OpenAPIOperation]
    /// The parts that were left out, with reasons.
    public let problems: [OpenAPIProblem]
    /// With the defaults of their variables.
    package let servers: [String]
    package let components: [String]
    /// Component schemas and other targets of `$ref`s.
    package let schemas: [JSONPointer: JSONSchema]

    /// Reads a file in JSON or YAML. A file that begins with a brace is JSON, unless its name ends in `.yaml` or
    /// `.yml`.
    ///
    /// - Throws: ``OpenAPIError`` if the file is missing, or isn't OpenAPI 3.0 or 3.1 in JSON or YAML.
    /// - Complexity: Linear in the file's size: 4 MB take about half a second in a release build.
    public init(contentsOf url: URL) throws(OpenAPIError) {
        let data: Data
        do { data = try Data(contentsOf: url) } catch {
            let reason = (error as? CocoaError)?.code == .fileReadNoSuchFile ? "there is no such file" : "\(error)"
            throw .unreadable(file: url.lastPathComponent, reason: reason)
        }
        try self.init(data, named: url.lastPathComponent)
    }

    /// Reads the bytes of a file: JSON or YAML, in UTF-8.
    ///
    /// - Parameter name: The file's name in messages.
    /// - Throws: ``OpenAPIError``, as for a file.
    public init(_ data: Data, named name: String) throws(OpenAPIError) {
        let root = try Self.node(Array(data), named: name)
        guard let version = root["openapi"]?.scalarText else {
            let older = (root["swagger"]?.scalarText).map { "Swagger \($0)" }
            throw .unsupported(file: name, found: older)
        }
        guard version.hasPrefix("3.0") || version.hasPrefix("3.1") else {
            throw .unsupported(file: name, found: "OpenAPI \(version)")
        }
        let parser = DescriptionParser(root)
        operations = parser.operations()
        components = (root["components"]?["schemas"]?.members?.names ?? [])
        schemas = parser.schemas(ofComponents: components)
        problems = parser.problems
        servers = Self.servers(of: root)
        title = root["info"]?["title"]?.string ?? ""
        specification = version
        self.name = name
    }

    private static func node(_ bytes: [UInt8], named name: String) throws(OpenAPIError) -> DescriptionNode {
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        // Also YAML, but its own reader is much faster.
        if first == UInt8(ascii: "{") {
            let mistake: JSONError
            do { return try DescriptionNode.json(bytes) } catch { mistake = error }
            let isYAML = [".yaml", ".yml"].contains { name.lowercased().hasSuffix($0) }
            if isYAML, let node = try? DescriptionNode.yaml(bytes) { return node }
            throw .unreadable(file: name, reason: "\(mistake)")
        }
        do { return try DescriptionNode.yaml(bytes) } catch { throw .unreadable(file: name, reason: error.reason) }
    }

    private static func servers(of root: DescriptionNode) -> [String] {
        (root["servers"]?.elements ?? []).compactMap { server in
            guard var url = server["url"]?.string else { return nil }
            for (name, variable) in server["variables"]?.members?.pairs ?? [] {
                url = url.replacing("{\(name)}", with: variable["default"]?.scalarText ?? "")
            }
            return url
        }
    }
}

extension OpenAPIDescription: CustomStringConvertible {
    /// The title, the version of OpenAPI, and the numbers of operations, schemas and problems.
    public var description: String {
        "\(title.isEmpty ? name : title) (OpenAPI \(specification)): \(operations.count) operations, "
            + "\(components.count) schemas, \(problems.count) problems"
    }
}
