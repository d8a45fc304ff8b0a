import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

extension ReplyError {
    /// Reads a reply that is no success; `table` tells Swift names from the server's.
    init(_ response: Response, _ table: Table?) {
        let body = try? JSONSerialization.jsonObject(with: Data(response.body), options: [.fragmentsAllowed])
        let details = ReplyDetails(body, table)
        let status = response.status.code
        self.status = status
        self.message = details.message.map { String($0.prefix(200)) }
        self.fields = details.fields
        self.request = RequestSummary(response.request)
        let wait = response.retryAfter ?? response.rateLimitReset
        self.retryAfter = status == 429 || status == 403 || status >= 500 ? wait : nil
        self.kind =
            switch status {
            case 400 where !details.fields.isEmpty: .validation
            case 422: .validation
            case 401: .unauthorized
            case 403: wait == nil ? .forbidden : .rateLimited
            case 404, 410: .notFound
            case 409, 412: .conflict
            case 429: .rateLimited
            case 500...599: .server
            default: .other
            }
    }
}

/// What a failed reply says, in the shapes of GitHub (`message`, `errors: [{field, code}]`), Rails (`{"title": ["can't be
/// blank"]}`, `errors: {…}`), Django REST Framework and RFC 9457 (`detail`, `title`).
private struct ReplyDetails {
    var message: String?
    var fields: [String: [String]] = [:]
    private let table: Table?

    init(_ body: Any?, _ table: Table?) {
        self.table = table
        guard let object = body as? [String: Any] else { return }
        message = ["message", "error", "detail", "title"].lazy.compactMap { object[$0] as? String }.first
        switch object["errors"] {
        case let errors as [String: Any]: add(errors)
        case let errors as [Any]: for error in errors { add(error: error) }
        default: if message == nil { add(object) }
        }
    }

    /// - Parameter owner: the name of what the errors are within, and a dot.
    private mutating func add(_ errors: [String: Any], of owner: String = "") {
        for (name, value) in errors {
            switch value {
            case let text as String: fields[swiftName(owner + name), default: []].append(text)
            case let texts as [String] where !texts.isEmpty: fields[swiftName(owner + name), default: []] += texts
            case let nested as [String: Any]: add(nested, of: owner + name + ".")
            default: continue
            }
        }
    }

    private mutating func add(error: Any) {
        guard let error = error as? [String: Any] else {
            if let text = error as? String { add(text) }
            return
        }
        let text = error["message"] as? String ?? error["code"] as? String ?? error["detail"] as? String ?? "invalid"
        let name = error["field"] as? String ?? pointer(error["source"] ?? error)
        if let name {
            fields[swiftName(name), default: []].append(text)
        } else {
            add(text)
        }
    }

    /// Adds what is said of no field to what the reply says as a whole.
    private mutating func add(_ text: String) {
        message = message.map { "\($0); \(text)" } ?? text
    }

    /// The last part of JSON:API's `source.pointer`, or of the `pointer` of an extension to RFC 9457.
    private func pointer(_ source: Any?) -> String? {
        ((source as? [String: Any])?["pointer"] as? String)?.split(separator: "/").last.map(String.init)
    }

    private func swiftName(_ name: String) -> String {
        guard let table else { return name }
        let path = name.split(separator: ".").map(String.init)
        if let match = table.names?.inbound.match(path: path) { return table.properties[match.property].name }
        if let index = table.identityKeys[name] { return table.properties[index].name }
        return name
    }
}
