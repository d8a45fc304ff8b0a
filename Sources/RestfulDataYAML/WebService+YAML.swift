public import Foundation
public import RestfulData
import Yams

// YAML through Yams, in a product of its own, so that programs without YAML don't build it.

extension WebService {
    /// Reads a service file in YAML.
    ///
    /// ```yaml
    /// downloadImage:
    ///   request: { path: /images/%0 }
    /// usersList:
    ///   request: { path: /users }
    ///   serialization: { serializedObject: User }
    /// ```
    ///
    /// - Parameters:
    ///   - yamlURL: the file, in UTF-8.
    ///   - api: the API that the requests go to.
    ///   - readers: turns replies into JSON, by the names that the file has as `serializator`.
    /// - Throws: ``WebServiceError``: all mistakes of the file, with their lines.
    public init(yamlURL: URL, api: API, readers: [String: ReplyReader] = [:]) throws(WebServiceError) {
        let text = String(decoding: try ServiceFile.Source.data(of: yamlURL), as: UTF8.self)
        var file = YAMLFile()
        let content: JSONValue
        do {
            content = try Yams.compose(yaml: text).map { try file.json($0, at: []) } ?? .null
        } catch {
            throw .unreadable(file: yamlURL.lastPathComponent, reason: "\(error)")
        }
        let source = ServiceFile.Source(
            named: yamlURL.lastPathComponent, content: content, lines: KeyLines(file.lines))
        try self.init(source, api: api, readers: readers)
    }
}

/// A document of YAML as JSON, with the lines of its keys.
private struct YAMLFile {
    var lines: [[String]: Int] = [:]

    mutating func json(_ node: Node, at path: [String]) throws -> JSONValue {
        switch node {
        case .scalar: return Self.json(ofScalar: node)
        case .sequence(let elements): return .array(try elements.map { try json($0, at: path) })
        case .mapping(let members):
            var object: [String: JSONValue] = [:]
            for (key, value) in members {
                let name = key.scalar?.string ?? ""
                lines[path + [name]] = key.mark?.line
                object[name] = try json(value, at: path + [name])
            }
            return .object(object)
        case .alias(let alias): throw AliasError(name: "\(alias.anchor)")
        }
    }

    private static func json(ofScalar node: Node) -> JSONValue {
        if let flag = node.bool { return .bool(flag) }
        if let number = node.int { return .number("\(number)") }
        if let number = node.float, number.isFinite { return .number("\(number)") }
        return node.null == nil ? .string(node.string ?? "") : .null
    }
}

private struct AliasError: Error, CustomStringConvertible {
    let name: String
    var description: String { "its alias *\(name) can't be read; write the value instead" }
}
