import HTTPTypes
import ObjectStore
public import RESTTransport

/// A reply that isn't a success: what kind it is, and what the server says of what.
public struct ReplyError: Error, Sendable {
    /// What a reply means, by its status and body.
    public enum Kind: Sendable, Hashable {
        /// 422, or 400 with field errors; so is a success that says that it is none.
        case validation
        /// 401.
        case unauthorized
        /// 403.
        case forbidden
        /// 404, 410.
        case notFound
        /// 409, 412.
        case conflict
        /// 429, or 403 for a limit: one that is spent, or a secondary one of GitHub's.
        case rateLimited
        /// 5xx.
        case server
        /// Any other status; a success that says that it is none (`{"ok": false}`).
        case other
    }

    /// What the reply means.
    public let kind: Kind
    /// The HTTP status.
    public let status: Int
    /// What the server says of the request as a whole; at most 200 characters.
    public let message: String?
    /// The server's own name for what went wrong: `code`, OAuth's `error`, the `type` of problem details (RFC 9457).
    public let code: String?
    /// What is wrong with which property, by its Swift name: `title`, `author.name`, `comments[1].text`. What the
    /// server says of an unknown property is under its own name for it.
    public let fields: [String: [String]]
    /// What is wrong with the object as a whole, rather than with one property.
    public let objectErrors: [String]
    /// The request that it answers.
    public let request: RequestSummary
    /// When to try again, for ``Kind/rateLimited`` and a server that says so.
    public let retryAfter: Duration?
    /// The reply's body as it came, at most its first 65,536 bytes. No description shows it.
    public let body: [UInt8]
}

extension ReplyError: CustomStringConvertible, CustomReflectable {
    /// The request, the status, and what the server says; without the body.
    public var description: String {
        var text = "\(request): \(status)"
        if let said = message ?? (objectErrors.isEmpty ? words : nil) { text += " \(said)" }
        let listed =
            objectErrors
            + fields.sorted { $0.key < $1.key }.map { name, errors in
                "\(name): \(errors.joined(separator: ", "))"
            }
        if !listed.isEmpty { text += " (\(listed.joined(separator: "; ")))" }
        if let retryAfter { text += "; try again in \(retryAfter.components.seconds) s" }
        return text
    }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

extension ReplyError {
    /// The message of a reply that says nothing itself.
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
    /// Reads a reply that isn't a success away from the caller's actor.
    ///
    /// - Parameter names: know the Swift names of the server's.
    @concurrent
    static func read(_ response: APIResponse, _ names: FieldNames) async -> ReplyError {
        ReplyError(response, names)
    }

    /// Reads a reply that isn't a success; `names` know the Swift names of the server's.
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
        // When no values were refused, what is said of the object is said of the request: "No Article matches".
        let isAboutRequest = kind != .validation && details.message == nil && !details.objectErrors.isEmpty
        let said = details.objectErrors.joined(separator: "; ")
        self.message = isAboutRequest ? String(said.prefix(200)) : details.message
        self.objectErrors = isAboutRequest ? [] : details.objectErrors
    }
}
