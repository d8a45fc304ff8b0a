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

    private mutating func add(_ errors: [String: Any]) {
        for (name, value) in errors {
            if let text = value as? String { fields[swiftName(name), default: []].append(text) }
            if let texts = value as? [String] { fields[swiftName(name), default: []] += texts }
        }
    }

    private mutating func add(error: Any) {
        guard let error = error as? [String: Any] else {
            if let text = error as? String, message == nil { message = text }
            return
        }
        let text = error["message"] as? String ?? error["code"] as? String ?? error["detail"] as? String ?? "invalid"
        let name = error["field"] as? String ?? pointer(error["source"])
        if let name {
            fields[swiftName(name), default: []].append(text)
        } else if message == nil {
            message = text
        }
    }

    /// The last part of JSON:API's `source.pointer`.
    private func pointer(_ source: Any?) -> String? {
        ((source as? [String: Any])?["pointer"] as? String)?.split(separator: "/").last.map(String.init)
    }

    private func swiftName(_ name: String) -> String {
        guard let table else { return name }
        if let match = table.names?.inbound.match(name) { return table.properties[match.property].name }
        if let index = table.identityKeys[name] { return table.properties[index].name }
        return name
    }
}
