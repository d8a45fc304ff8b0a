public import Conventions
import HTTPTypes
public import JSONBytes
public import ObjectStore
public import RESTTransport

/// Why an object was not fetched, created, saved or deleted. The object is as it was before, and can be sent again.
///
/// ```
/// APIError
/// ├ noAPI                       the store was opened without an API
/// ├ route(reason)               no URL: no base URL, an unknown or missing value; nothing was sent
/// ├ transport(error)            no reply: no connection, time-out, cancellation, too large …
/// ├ reply(reply)                a reply that is no success
/// │ ├ .validation               422, or 400 with field errors: messages by Swift property name
/// │ ├ .unauthorized             401
/// │ ├ .forbidden                403
/// │ ├ .notFound                 404, 410
/// │ ├ .conflict                 409, 412
/// │ ├ .rateLimited              429, or 403 with a spent limit
/// │ ├ .server                   5xx
/// │ └ .other
/// ├ body(error, request)        a success whose body is not JSON
/// └ store(error)                the reply could not be stored
/// ```
public enum APIError: Error, Sendable {
    case noAPI
    case route(RouteProblem)
    case transport(TransportError)
    case reply(ReplyError)
    case body(JSONError, RequestSummary)
    case store(StoreError)
}

/// Why there is no URL to send a request to.
public enum RouteProblem: Error, Sendable, Hashable {
    /// The model declares no base URL, and the relationship no route.
    case noRoute(of: String, needs: String)
    case template(RouteTemplateError)
    case invalidURL(String)
}

/// A reply that is no success.
public struct ReplyError: Error, Sendable {
    public enum Kind: Sendable, Hashable {
        case validation, unauthorized, forbidden, notFound, conflict, rateLimited, server, other
    }

    public let kind: Kind
    /// The HTTP status.
    public let status: Int
    /// What the server says, from the body's `message`, `error` or `detail`; at most 200 characters.
    public let message: String?
    /// What is wrong with which property, by its Swift name, for ``Kind/validation``. What the server says of no known
    /// property stands under its own name for it.
    public let fields: [String: [String]]
    public let request: RequestSummary
    /// When to try again, for ``Kind/rateLimited`` and a server that says so.
    public let retryAfter: Duration?
}

extension APIError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noAPI: "The store was opened without an API; open it with Store(_:models:api:)."
        case .route(let problem): problem.description
        case .transport(let error): "\(error)"
        case .reply(let error): error.description
        case .body(let error, let request): "\(request): the reply is not what was expected: \(error)"
        case .store(let error): error.description
        }
    }

    /// The reply, where there is one.
    public var reply: ReplyError? { if case .reply(let reply) = self { reply } else { nil } }
}

extension RouteProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noRoute(let name, let needs): "\(name) has no route: \(needs)"
        case .template(let error): "\(error)"
        case .invalidURL(let url): "\"\(url)\" is not a URL that a request can go to"
        }
    }
}

extension ReplyError: CustomStringConvertible {
    public var description: String {
        var text = "\(request): \(status)"
        text += " \(message ?? Self.reason(kind, status))"
        if !fields.isEmpty {
            let listed = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: ", "))" }
            text += " (\(listed.joined(separator: "; ")))"
        }
        if let retryAfter { text += "; try again in \(retryAfter.components.seconds) s" }
        return text
    }

    private static func reason(_ kind: Kind, _ status: Int) -> String {
        HTTPResponse.Status(code: status).reasonPhrase
    }
}
