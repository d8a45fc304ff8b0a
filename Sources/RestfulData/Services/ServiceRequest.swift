import Foundation
import HTTPTypes
import JSONBytes
import ObjectStore
import RESTTransport
import ServiceFiles

/// A call with its arguments inserted.
struct ServiceRequest {
    let method: HTTPRequest.Method
    let path: URLTemplate
    private(set) var query = RouteQuery()
    private(set) var header: HTTPFields = [:]
    private(set) var body: RequestBody?
    let reader: ReplyReader?
    let leavesOutSharedHeaders: Bool

    private let arguments: [ServiceArgument]
    private let formats: ValueFormats
    private let lists: APIConventions.FormLists

    init(
        _ method: ServiceMethod, _ arguments: [Any?], reader: ReplyReader?, by conventions: APIConventions
    ) throws(ServiceCallMistake) {
        guard arguments.count == method.arguments.count else {
            throw ServiceCallMistake(
                "it takes \(method.arguments.count == 1 ? "one argument" : "\(method.arguments.count) arguments"), and "
                    + "\(arguments.count == 1 ? "one was" : "\(arguments.count) were") given")
        }
        (formats, lists) = (conventions.values, conventions.formLists)
        self.arguments = try arguments.map { argument throws(ServiceCallMistake) in try ServiceArgument(argument) }
        (self.method, self.reader) = (method.request.method, reader)
        leavesOutSharedHeaders = method.request.leavesOutSharedHeaders
        path = try Self.path(method.request.path, with: self.arguments, as: formats)
        try addQuery(method.request.query)
        header = try fields(method.request.header)
        try addContent(of: method.request)
    }

    /// Applied before the caller's own settings.
    func apply(to call: inout Call) {
        call.headers.replace(header)
        if let reader { call.reading = reader }
        call.leavesOutSharedHeaders = leavesOutSharedHeaders
    }

    // MARK: Path and query

    private static func path(
        _ value: ServiceValue, with arguments: [ServiceArgument], as formats: ValueFormats
    ) throws(ServiceCallMistake) -> URLTemplate {
        guard case .text(let text) = value else { throw ServiceCallMistake("it has no path") }
        var parts: [URLTemplate.Part] = []
        for part in text.parts {
            switch part {
            // A colon begins a placeholder, except in the scheme.
            case .text(let text):
                let isScheme = parts.isEmpty && text.contains("://")
                let (head, tail) = isScheme ? text.splitBehindScheme : ("", text)
                parts.append(.text(head + tail.replacing(":", with: "%3A")))
            case .argument(let place):
                let value = try arguments[place.index].routeValue(at: place, as: formats)
                guard value.text?.isEmpty == false else {
                    throw ServiceCallMistake("\(place) has no value for the path")
                }
                parts.append(.value(value))
            }
        }
        return URLTemplate(parts)
    }

    private mutating func addQuery(_ value: ServiceValue) throws(ServiceCallMistake) {
        for (name, item) in try members(value) {
            guard case .text(let text) = item else { continue }
            query.append(name, try routeValue(text))
        }
    }

    /// Missing if the text is a single argument without a value.
    private func routeValue(_ text: ServiceText) throws(ServiceCallMistake) -> RouteValue {
        if let place = text.onlyPlace { return try arguments[place.index].routeValue(at: place, as: formats) }
        var whole = ""
        for part in text.parts {
            switch part {
            case .text(let text): whole += text
            case .argument(let place):
                whole += try arguments[place.index].routeValue(at: place, as: formats).text ?? ""
            }
        }
        return RouteValue(whole)
    }

    private func members(_ value: ServiceValue) throws(ServiceCallMistake) -> [(key: String, value: ServiceValue)] {
        if case .object(let members) = value { members } else { [] }
    }

    // MARK: Header

    private func fields(_ value: ServiceValue) throws(ServiceCallMistake) -> HTTPFields {
        guard !value.isNone else { return [:] }
        guard case .object(let members) = try json(value) else {
            throw ServiceCallMistake("its header is to be an object, as [\"X-Key\": \"…\"]")
        }
        var fields: HTTPFields = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) where value != .null {
            guard let name = HTTPField.Name(key) else {
                throw ServiceCallMistake("\"\(key)\" is no name of a header field")
            }
            guard let text = value.scalarText, HTTPField.isValidValue(text) else {
                throw ServiceCallMistake("the header field \(key) can't have this value, as it is no text of one line")
            }
            fields[name] = text
        }
        return fields
    }

    // MARK: Body

    private mutating func addContent(of request: ServiceMethod.Request) throws(ServiceCallMistake) {
        let parameters = try self.parameters(request.parameters)
        guard request.hasBody else { return try addQuery(of: parameters) }
        if !request.files.isNone {
            let fields = try parts(of: parameters)
            body = .multipart(fields + (try files(request.files)))
        } else if !request.parameters.isNone {
            body = try content(of: parameters, as: request.contentType)
        } else {
            body = try content(request.body, as: request.contentType)
            if body == nil { body = try unnamedBody(of: request) }
        }
    }

    /// Leaves out null.
    private func parameters(_ value: ServiceValue) throws(ServiceCallMistake) -> [(key: String, value: JSONValue)] {
        guard !value.isNone else { return [] }
        guard case .object(let members) = try json(value) else {
            throw ServiceCallMistake("its parameters are to be an object, as [\"q\": \"…\"]")
        }
        return members.filter { $0.value != .null }.sorted { $0.key < $1.key }
    }

    private mutating func addQuery(of parameters: [(key: String, value: JSONValue)]) throws(ServiceCallMistake) {
        for (key, value) in parameters {
            let values = if case .array(let elements) = value { elements } else { [value] }
            let name = values.count == 1 && value.array == nil ? key : key + "[]"
            for value in values {
                guard let text = value.scalarText else {
                    throw ServiceCallMistake("the parameter \(key) is no single value, so it can't be in a query")
                }
                query.append(name, RouteValue(text))
            }
        }
    }

    private func content(
        of parameters: [(key: String, value: JSONValue)], as type: String?
    ) throws(ServiceCallMistake) -> RequestBody {
        let fields = JSONValue.object(Dictionary(parameters.map { ($0.key, $0.value) }) { $1 })
        do throws(APIError) {
            return type.map(MediaType.init)?.isJSON == true ? try .json(fields) : try .form(fields, lists: lists)
        } catch {
            throw ServiceCallMistake("\(error)")
        }
    }

    private func parts(of parameters: [(key: String, value: JSONValue)]) throws(ServiceCallMistake) -> [MultipartPart] {
        var parts: [MultipartPart] = []
        for (key, value) in parameters {
            guard let text = value.scalarText ?? value.text else {
                throw ServiceCallMistake("the parameter \(key) can't be in a form")
            }
            parts.append(.field(key, text))
        }
        return parts
    }

    private func files(_ value: ServiceValue, named name: String = "file") throws(ServiceCallMistake) -> [MultipartPart]
    {
        switch value {
        case .text(let text):
            guard let place = text.onlyPlace else {
                throw ServiceCallMistake("its files are to be indicators, such as %0")
            }
            return try files(arguments[place.index], named: name, at: place)
        case .list(let elements): return try joined(elements.map { ($0, name) })
        case .object(let members): return try joined(members.map { ($0.value, $0.key) })
        case .none, .constant: return []
        }
    }

    private func joined(_ values: [(value: ServiceValue, name: String)]) throws(ServiceCallMistake) -> [MultipartPart] {
        var parts: [MultipartPart] = []
        for (value, name) in values { parts += try files(value, named: name) }
        return parts
    }

    private func files(
        _ argument: ServiceArgument, named name: String, at place: ArgumentPlace
    ) throws(ServiceCallMistake) -> [MultipartPart] {
        switch argument {
        case .missing: return []
        case .file(let url): return [.file(name, url)]
        case .parts(let parts): return parts
        case .list(let elements):
            var parts: [MultipartPart] = []
            for element in elements { parts += try files(element, named: name, at: place) }
            return parts
        case .body(let body):
            guard let bytes = body.bytes else { throw ServiceCallMistake("\(place) is to be data or a file") }
            return [.data(name, Data(bytes), filename: name, type: body.contentType)]
        case .value, .json, .object: throw ServiceCallMistake("\(place) is to be a file, data, or parts of a form")
        }
    }

    private func content(_ value: ServiceValue, as type: String?) throws(ServiceCallMistake) -> RequestBody? {
        switch value {
        case .none: return nil
        case .text(let text):
            if let place = text.onlyPlace, place.property.isEmpty {
                return try content(arguments[place.index], as: type)
            }
            return .text(try routeValue(text).text ?? "", type: type ?? "text/plain; charset=utf-8")
        case .constant, .list, .object:
            return .bytes(try bytes(of: try json(value)), type: type ?? "application/json")
        }
    }

    private func content(_ argument: ServiceArgument, as type: String?) throws(ServiceCallMistake) -> RequestBody? {
        switch argument {
        case .missing: return nil
        case .body(let body):
            guard body.contentType == nil, let bytes = body.bytes else { return body }
            return .bytes(bytes, type: type ?? "application/octet-stream")
        case .file(let url): return .file(url, type: type)
        case .parts(let parts): return .multipart(parts)
        case .value(let value as String): return .text(value, type: type ?? "text/plain; charset=utf-8")
        case .value, .json, .object, .list:
            return .bytes(try bytes(of: try argument.wholeJSON(as: formats)), type: type ?? "application/json")
        }
    }

    /// A data argument that the file leaves unused is the body.
    private func unnamedBody(of request: ServiceMethod.Request) throws(ServiceCallMistake) -> RequestBody? {
        let named = Set(request.places.map(\.index))
        for (index, argument) in arguments.enumerated() where !named.contains(index) {
            switch argument {
            case .body, .file, .parts: return try content(argument, as: request.contentType)
            case .missing, .value, .json, .object, .list: continue
            }
        }
        return nil
    }

    private func bytes(of json: JSONValue) throws(ServiceCallMistake) -> [UInt8] {
        do throws(APIError) { return try json.bytes() } catch { throw ServiceCallMistake("\(error)") }
    }

    private func json(_ value: ServiceValue) throws(ServiceCallMistake) -> JSONValue {
        switch value {
        case .none: return .null
        case .constant(let constant): return constant
        case .text(let text):
            if let place = text.onlyPlace { return try arguments[place.index].json(at: place, as: formats) }
            return .string(try routeValue(text).text ?? "")
        case .list(let elements): return .array(try elements.map { e throws(ServiceCallMistake) in try json(e) })
        case .object(let members):
            var values: [String: JSONValue] = [:]
            for (key, value) in members { values[key] = try json(value) }
            return .object(values)
        }
    }
}

extension String {
    fileprivate var splitBehindScheme: (head: String, tail: String) {
        guard let scheme = firstRange(of: "://") else { return ("", self) }
        let path = self[scheme.upperBound...].firstIndex(of: "/") ?? endIndex
        return (String(self[..<path]), String(self[path...]))
    }
}
