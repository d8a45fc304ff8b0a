package import Foundation
import JSONBytes
package import ServiceFiles
import Yams

extension ServiceFile.Source {
    /// Reads YAML, through Yams.
    package init(yaml url: URL) throws(WebServiceError) {
        let text = String(decoding: try Self.data(of: url), as: UTF8.self)
        var file = YAMLFile()
        let content: JSONValue
        do {
            content = try Yams.compose(yaml: text).map { try file.json($0, at: []) } ?? .null
        } catch {
            throw .unreadable(file: url.lastPathComponent, reason: "\(error)")
        }
        self.init(named: url.lastPathComponent, content: content, lines: KeyLines(file.lines))
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
