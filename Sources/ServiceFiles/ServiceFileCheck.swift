import Conventions
import HTTPTypes
import JSONBytes

/// Reads the methods of a service file, and collects all mistakes.
struct ServiceFileCheck {
    private(set) var problems: [WebServiceProblem] = []
    private let source: ServiceFile.Source
    /// nil if any reader is allowed.
    private let readers: [String]?

    init(_ source: ServiceFile.Source, readers: [String]?) {
        (self.source, self.readers) = (source, readers)
        for (path, line) in source.lines.repeated {
            let last = path.last ?? ""
            report("\"\(last)\" is there twice; only one of them would count", at: path.dropLast(), line: line)
        }
    }

    mutating func methods() -> [ServiceMethod] {
        guard case .object(let members) = source.content else {
            report("a service file is an object, whose keys are the names of methods", at: [])
            return []
        }
        let names = names(of: members.keys.sorted())
        return members.sorted { $0.key < $1.key }.compactMap { key, value in
            method(key, named: names[key] ?? key, value)
        }
    }

    /// By key; short where the short names are unique.
    private mutating func names(of keys: [String]) -> [String: String] {
        let parsed = keys.map { (key: $0, name: ServiceMethodName($0)) }
        let groups = Dictionary(grouping: parsed) { $0.name.short }
        var names: [String: String] = [:]
        for group in groups.values {
            let isUnique = group.count == 1
            for (key, name) in group { names[key] = isUnique ? name.short : name.long }
        }
        let shared = Dictionary(grouping: keys) { names[$0] ?? $0 }.filter { $0.value.count > 1 }
        for (name, keys) in shared.sorted(by: { $0.key < $1.key }) {
            let others = keys.dropFirst().map { "\"\($0)\"" }.joined(separator: ", ")
            report("it is called \(name) in Swift, and so is \(others); rename one", at: [keys[0]])
        }
        for (key, name) in names.sorted(by: { $0.key < $1.key }) { checkName(name, of: key) }
        return names
    }

    /// Members of ``WebService``.
    private static let memberNames: Set<String> = ["api", "describe", "init", "self", "Type", "Protocol"]

    private mutating func checkName(_ name: String, of key: String) {
        if Self.memberNames.contains(name) {
            report("\"\(name)\" is a member of WebService already; rename the method", at: [key])
        }
        let isIdentifier =
            name.first.map { $0.isLetter || $0 == "_" } ?? false && name != "_"
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        if !isIdentifier { report("\"\(name)\" is no name of a Swift method", at: [key]) }
    }

    // MARK: A method

    private mutating func method(_ key: String, named name: String, _ value: JSONValue) -> ServiceMethod? {
        let path = [key]
        guard
            let members = object(
                value, at: path, keys: ["request", "serialization", "arguments", "about"], of: "a method")
        else {
            return nil
        }
        guard let described = members["request"] else {
            report("\"request\" is missing", at: path)
            return nil
        }
        let before = problems.count
        guard let request = request(described, at: path + ["request"]) else { return nil }
        let (reader, result) = serialization(members["serialization"], at: path + ["serialization"])
        let arguments = arguments(of: key, request, at: path + ["request"])
        let types = types(members["arguments"], of: arguments, at: path + ["arguments"])
        let about = members["about"].flatMap { text($0, at: path + ["about"]) }
        guard problems.count == before else { return nil }
        return ServiceMethod(
            key: key, name: name, about: about, arguments: arguments, types: types, request: request, reader: reader,
            result: result)
    }

    private mutating func types(
        _ value: JSONValue?, of arguments: [String], at path: [String]
    ) -> [String: String] {
        guard let value else { return [:] }
        guard case .object(let members) = value else {
            report("the types of arguments are an object, as {\"\(arguments.first ?? "name")\": \"String\"}", at: path)
            return [:]
        }
        var types: [String: String] = [:]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if !arguments.contains(name) {
                report(
                    "there is no argument \"\(name)\"\(Self.suggestion(for: name, among: arguments))", at: path + [name]
                )
            }
            guard let type = text(value, at: path + [name]) else { continue }
            if !Self.isType(type) { report("\"\(type)\" is no Swift type", at: path + [name]) }
            types[name] = type
        }
        return types
    }

    /// As in `User`, `[User]`, `GitHub.User`.
    private static func isResult(_ text: String) -> Bool {
        let isList = text.hasPrefix("[") && text.hasSuffix("]")
        let name = isList ? text.dropFirst().dropLast() : text[...]
        return name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            part.first.map { $0.isLetter || $0 == "_" } ?? false
                && part.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
    }

    /// As in `User`, `[String: Int]?`, `any Encodable`.
    private static func isType(_ text: String) -> Bool {
        guard text.contains(where: \.isLetter), !text.contains("..") else { return false }
        return text.allSatisfy { $0.isLetter || $0.isNumber || " _.,:?<>[]&".contains($0) }
    }

    /// From the key, or else from the places where arguments are used.
    private mutating func arguments(
        of key: String, _ request: ServiceMethod.Request, at path: [String]
    ) -> [String] {
        let places = request.places
        let count = (places.map(\.index).max() ?? -1) + 1
        if let named = ServiceMethodName(key).arguments {
            if count > named.count {
                let arguments = named.isEmpty ? "no arguments" : "the arguments \(named.joined(separator: ", "))"
                report("it uses %\(count - 1), and \"\(key)\" has \(arguments)", at: path)
            }
            return named
        }
        for index in 0..<count where !places.contains(where: { $0.index == index }) {
            report("it uses %\(count - 1), and not %\(index)", at: path)
        }
        return (0..<count).map { request.nameOfArgument($0) ?? "%\($0)" }
    }

    private static let requestKeys = [
        "path", "method", "header", "parameters", "body", "files", "contentType", "sessionType",
    ]

    private mutating func request(_ value: JSONValue, at path: [String]) -> ServiceMethod.Request? {
        guard let members = object(value, at: path, keys: Self.requestKeys, of: "a request") else { return nil }
        var request = ServiceMethod.Request()
        guard let written = members["path"].flatMap({ text($0, at: path + ["path"]) }) else {
            if members["path"] == nil { report("\"path\" is missing", at: path) }
            return nil
        }
        readPath(written, into: &request, at: path + ["path"])
        if let method = members["method"].flatMap({ text($0, at: path + ["method"]) }) {
            request.method = self.method(method, at: path + ["method"])
        }
        request.contentType = members["contentType"].flatMap { text($0, at: path + ["contentType"]) }
        if let type = members["sessionType"].flatMap({ text($0, at: path + ["sessionType"]) }) {
            request.kind = kind(type, at: path + ["sessionType"])
        }
        request.header = header(members["header"], into: &request, at: path + ["header"])
        request.parameters = fields(members["parameters"], at: path + ["parameters"])
        request.files = members["files"].map { self.value($0, at: path + ["files"]) } ?? .none
        request.body = members["body"].map { self.value($0, at: path + ["body"]) } ?? .none
        checkBodies(of: request, at: path)
        return request
    }

    private mutating func readPath(_ text: String, into request: inout ServiceMethod.Request, at path: [String]) {
        let (written, query) = text.splitAtQuery
        guard written.hasPrefix("/") || written.isAbsoluteURL else {
            return report("a path begins with a slash, or is an absolute http or https URL", at: path)
        }
        if written.split(separator: "/", omittingEmptySubsequences: false).contains(where: { $0 == "." || $0 == ".." })
        {
            report("a path can't lead outside by a \".\" or \"..\" segment", at: path)
        }
        request.path = value(.string(String(written)), at: path)
        guard let query else { return }
        request.query = .object(
            query.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), value(.string(parts.count > 1 ? String(parts[1]) : ""), at: path))
            })
    }

    private mutating func method(_ text: String, at path: [String]) -> HTTPRequest.Method {
        let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
        let name = text.uppercased()
        guard known.contains(name), let method = HTTPRequest.Method(name) else {
            report("\"\(text)\" is no HTTP method\(Self.suggestion(for: name, among: known))", at: path)
            // A POST may have a body, which avoids further errors.
            return .post
        }
        return method
    }

    private mutating func kind(_ text: String, at path: [String]) -> ServiceMethod.Kind {
        switch text.lowercased().replacing("task", with: "") {
        case "data": return .data
        case "upload": return .upload
        case "download": return .download
        default:
            report("\"\(text)\" is no session type; write DataTask, UploadTask or DownloadTask", at: path)
            return .data
        }
    }

    /// Also reads `excludeSharedHeader`.
    private mutating func header(
        _ value: JSONValue?, into request: inout ServiceMethod.Request, at path: [String]
    ) -> ServiceValue {
        guard case .object(var members) = value else { return fields(value, at: path) }
        let exclusion = members.removeValue(forKey: "excludeSharedHeader")
        request.leavesOutSharedHeaders = exclusion?.bool ?? (exclusion?.integer == 1)
        for name in members.keys.sorted() where HTTPField.Name(name) == nil {
            report("\"\(name)\" is no name of a header field", at: path + [name])
        }
        return fields(.object(members), at: path)
    }

    /// An indicator stands for an argument that is an object.
    private mutating func fields(_ value: JSONValue?, at path: [String]) -> ServiceValue {
        switch value {
        case nil: return .none
        case .object?: return self.value(value ?? .null, at: path)
        case .string(let text)?:
            let value = self.value(.string(text), at: path)
            if case .text(let text) = value, text.onlyPlace != nil { return value }
            fallthrough
        default:
            report("it is neither an object nor an indicator of one, such as %0", at: path)
            return .none
        }
    }

    private mutating func checkBodies(of request: ServiceMethod.Request, at path: [String]) {
        let hasForm = !request.parameters.isNone && request.hasBody || !request.files.isNone
        if hasForm, !request.body.isNone {
            report("it has a body, and parameters or files, which make another one; remove one of them", at: path)
        }
        if !request.hasBody, !request.body.isNone || !request.files.isNone {
            report("a \(request.method.rawValue) has no body", at: path)
        }
    }

    private mutating func serialization(_ value: JSONValue?, at path: [String]) -> (reader: String?, result: String?) {
        guard let value else { return (nil, nil) }
        guard let members = object(value, at: path, keys: ["serializator", "serializedObject"], of: "a serialization")
        else { return (nil, nil) }
        let result = members["serializedObject"].flatMap { text($0, at: path + ["serializedObject"]) }
        if let result, !Self.isResult(result) {
            report(
                "\"\(result)\" is neither the name of a type nor a list of one, as User or [User]",
                at: path + ["serializedObject"])
        }
        guard let reader = members["serializator"].flatMap({ text($0, at: path + ["serializator"]) }),
            !["NCJSONSerializer", "JSON", "json"].contains(reader)
        else { return (nil, result) }
        if let readers, !readers.contains(reader) {
            report(
                "there is no reader \"\(reader)\"\(Self.suggestion(for: reader, among: readers)); give it as "
                    + "readers: [\"\(reader)\": …]", at: path + ["serializator"])
        }
        return (reader, result)
    }

    // MARK: Values

    private mutating func object(
        _ value: JSONValue, at path: [String], keys: [String], of what: String
    ) -> [String: JSONValue]? {
        guard case .object(let members) = value else {
            report("\(what) is an object with the keys \(keys.joined(separator: ", "))", at: path)
            return nil
        }
        for key in members.keys.sorted() where !keys.contains(key) {
            report(
                "\"\(key)\" is no key of \(what)\(Self.suggestion(for: key, among: keys))", at: path,
                line: source.lines.line(of: path + [key]))
        }
        return members
    }

    private mutating func text(_ value: JSONValue, at path: [String]) -> String? {
        guard case .string(let text) = value else {
            report("it is no text", at: path)
            return nil
        }
        return text
    }

    private mutating func value(_ value: JSONValue, at path: [String]) -> ServiceValue {
        switch value {
        case .string(let text):
            do { return .text(try ServiceText(text)) } catch {
                report("\"\(text)\" is wrong: \(error.reason)", at: path)
                return .none
            }
        case .null, .bool, .number: return .constant(value)
        case .array(let elements): return .list(elements.map { self.value($0, at: path) })
        case .object(let members):
            return .object(
                members.sorted { $0.key < $1.key }.map { ($0.key, self.value($0.value, at: path + [$0.key])) })
        }
    }

    private static func suggestion(for name: String, among known: [String]) -> String {
        nearestName(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    private mutating func report(_ reason: String, at path: some Collection<String>, line: Int? = nil) {
        problems.append(
            WebServiceProblem(
                path: path.joined(separator: "."), line: line ?? source.lines.line(of: path), reason: reason))
    }
}

extension ServiceMethod.Request {
    /// Other methods send parameters in the query.
    package var hasBody: Bool { [.post, .put, .patch].contains(method) }

    /// The key whose whole value is the argument.
    fileprivate func nameOfArgument(_ index: Int) -> String? {
        let place = ArgumentPlace(index: index, property: [])
        return [query, parameters, files, header, body].lazy.compactMap { $0.key(of: place) }.first
    }
}

extension ServiceValue {
    /// Searches nested members, too.
    fileprivate func key(of place: ArgumentPlace) -> String? {
        guard case .object(let members) = self else { return nil }
        for (key, value) in members {
            if case .text(let text) = value, text.onlyPlace == place { return key }
            if let key = value.key(of: place) { return key }
        }
        return nil
    }
}

extension String {
    fileprivate var isAbsoluteURL: Bool {
        ["http://", "https://"].contains { lowercased().hasPrefix($0) }
    }

    fileprivate var splitAtQuery: (path: String, query: Substring?) {
        guard let mark = firstIndex(of: "?") else { return (self, nil) }
        return (String(self[..<mark]), self[index(after: mark)...])
    }
}
