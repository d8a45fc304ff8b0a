import HTTPTypes
import ObjectStore
public import RESTTransport

/// A reply that isn't a success: its kind, the server's messages, and the faults of properties.
public struct ReplyError: Error, Sendable {
    /// The meaning of a reply, by its status and body.
    public enum Kind: Sendable, Hashable {
        /// 422, or 400 with field errors. Also a successful status with field errors.
        case validation
        /// 401.
        case unauthorized
        /// 403.
        case forbidden
        /// 404, 410.
        case notFound
        /// 409, 412.
        case conflict
        /// 429, or 403 for a spent limit, or a secondary limit of GitHub.
        case rateLimited
        /// 5xx.
        case server
        /// Any other status. Also a successful status whose body reports a failure (`{"ok": false}`).
        case other
    }

    /// The meaning of the reply.
    public let kind: Kind
    /// The HTTP status.
    public let status: Int
    /// The server's message about the whole request; at most 200 characters.
    public let message: String?
    /// The server's code of the error: `code`, OAuth's `error`, or the `type` of problem details (RFC 9457).
    public let code: String?
    /// The faults of properties, by Swift name: `title`, `author.name`, `comments[1].text`. Unknown properties have the
    /// server's names.
    public let fields: [String: [String]]
    /// The faults of the object as a whole.
    public let objectErrors: [String]
    /// The request of the reply.
    public let request: RequestSummary
    /// The time until a retry makes sense, for ``Kind/rateLimited`` and ``Kind/server``; nil if unknown.
    public let retryAfter: Duration?
    /// The reply's body, at most its first 65,536 bytes. No description shows it.
    public let body: [UInt8]
}

extension ReplyError: CustomStringConvertible, CustomReflectable {
    /// The request, the status, and the server's messages, without the body.
    public var description: String {
        var text = "\(request): \(status)"
        if let detail = message ?? (objectErrors.isEmpty ? words : nil) { text += " \(detail)" }
        let listed =
            objectErrors
            + fields.sorted { $0.key < $1.key }.map { name, errors in
                "\(name): \(errors.joined(separator: ", "))"
            }
        if !listed.isEmpty { text += " (\(listed.joined(separator: "; ")))" }
        if let retryAfter { text += "; try again in \(retryAfter.components.seconds) s" }
        return text
    }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension ReplyError {
    private var words: String? {
        switch kind {
        case .other where status == 207: "says of several requests what became of them, and not that this was done"
        case .other where 200..<300 ~= status: "says that it was not done"
        case .other where status == 304: "nothing has changed, says the server, and nobody has asked that"
        case .validation: "validation failed"
        case .unauthorized: "not authorized"
        case .forbidden: "forbidden"
        case .notFound: "not found"
        case .conflict: "conflict"
        case .rateLimited: "too many requests"
        case .server: "the server failed"
        case .other: nil
        }
    }
}

extension ReplyError {
    @concurrent
    static func read(_ response: APIResponse, _ names: FieldNames) async -> ReplyError {
        ReplyError(response, names)
    }

    init(_ response: APIResponse, _ names: FieldNames) {
        let status = response.status.code
        let details = ReplyDetails(ReplyExcerpt(response.body).root, status: status, names)
        self.status = status
        self.code = details.code
        self.fields = details.fields
        self.request = RequestSummary(response.request)
        self.body = Array(response.body.prefix(65_536))
        let refusal = response.limitRefusal()
        self.retryAfter = refusal?.wait ?? (status >= 500 ? response.retryAfter ?? response.rateLimitReset : nil)
        self.kind =
            switch status {
            case 400 where details.isValidation, 200..<300 where details.isValidation: .validation
            case 422: .validation
            case 401: .unauthorized
            case 403: refusal == nil ? .forbidden : .rateLimited
            case 404, 410: .notFound
            case 409, 412: .conflict
            case 429: .rateLimited
            case 500...599: .server
            default: .other
            }
        // If values are accepted, messages about the object concern the request: "No Article matches".
        let isAboutRequest = kind != .validation && details.message == nil && !details.objectErrors.isEmpty
        let detail = details.objectErrors.joined(separator: "; ")
        self.message = isAboutRequest ? String(detail.prefix(200)) : details.message
        self.objectErrors = isAboutRequest ? [] : details.objectErrors
    }
}
