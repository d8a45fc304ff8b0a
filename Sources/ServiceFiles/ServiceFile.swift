package import Foundation
package import JSONBytes

package struct ServiceFile: Sendable {
    /// Sorted by name.
    package let methods: [ServiceMethod]

    /// - Parameter readers: the names of the program's readers; nil if they are still unknown.
    /// - Throws: ``WebServiceError/invalid(file:_:)`` with all mistakes.
    package init(_ source: Source, readers: [String]?) throws(WebServiceError) {
        var check = ServiceFileCheck(source, readers: readers?.sorted())
        methods = check.methods()
        guard check.problems.isEmpty else { throw .invalid(file: source.name, check.problems) }
    }

    package struct Source: Sendable {
        /// For messages.
        package let name: String
        package let content: JSONValue
        let lines: KeyLines

        /// In XML, binary or the old text format.
        package init(propertyList url: URL) throws(WebServiceError) {
            let data = try Self.data(of: url)
            let list: Any
            do {
                // Safe: the call writes only to a pointer that is given.
                list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
            } catch {
                throw .unreadable(file: url.lastPathComponent, reason: "it is no property list")
            }
            let text = String(decoding: data.prefix(6) == Data("bplist".utf8) ? Data() : data, as: UTF8.self)
            self.init(
                named: url.lastPathComponent, content: try Self.json(list, in: url),
                lines: KeyLines(ofPropertyList: text))
        }

        package init(json url: URL) throws(WebServiceError) {
            try self.init(json: [UInt8](try Self.data(of: url)), named: url.lastPathComponent)
        }

        package init(json: [UInt8], named name: String) throws(WebServiceError) {
            if let error = JSONError(readingFrom: json) { throw .unreadable(file: name, reason: "\(error)") }
            self.init(
                named: name, content: JSONValue(json) ?? .null,
                lines: KeyLines(ofJSON: String(decoding: json, as: UTF8.self)))
        }

        /// With sorted keys.
        package var indentedJSON: String {
            let text = content.text ?? "{}"
            guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed),
                let data = try? JSONSerialization.data(
                    withJSONObject: object, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
            else { return text }
            return String(decoding: data, as: UTF8.self)
        }

        package init(named name: String, content: JSONValue, lines: KeyLines) {
            (self.name, self.content, self.lines) = (name, content, lines)
        }

        package static func data(of url: URL) throws(WebServiceError) -> Data {
            do { return try Data(contentsOf: url) } catch {
                let isThere = FileManager.default.fileExists(atPath: url.path)
                throw .unreadable(
                    file: url.lastPathComponent,
                    reason: isThere
                        ? "it can't be opened" : "there is no such file in \(url.deletingLastPathComponent().path)")
            }
        }

        private static func json(_ value: Any, in url: URL) throws(WebServiceError) -> JSONValue {
            switch value {
            case let text as String: return .string(text)
            // Foundation's Booleans are numbers with the C type `char`. Safe: the type's text lives as long as the
            // number.
            case let number as NSNumber:
                return unsafe number.objCType.pointee == CChar(UInt8(ascii: "c"))
                    ? .bool(number.boolValue) : .number("\(number)")
            case let list as [Any]:
                return .array(try list.map { value throws(WebServiceError) in try json(value, in: url) })
            case let dictionary as [String: Any]:
                var members: [String: JSONValue] = [:]
                for (key, value) in dictionary { members[key] = try json(value, in: url) }
                return .object(members)
            default:
                throw .unreadable(
                    file: url.lastPathComponent,
                    reason: "it has a date or data, where only texts, numbers and Booleans are read")
            }
        }
    }
}
