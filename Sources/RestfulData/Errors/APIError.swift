public import Conventions
public import JSONBytes
public import ObjectStore
public import RESTTransport

/// Why an object was not fetched, created, saved or deleted. The object is as it was before, and can be sent again.
///
/// ```
/// APIError
/// ├ noAPI                       the store was opened without an API
/// ├ route(problem)              no URL: no base URL, an unknown or missing value; nothing was sent
/// ├ unidentified(…)             a relationship that goes out leads to an object not created yet; nothing was sent
/// ├ unsendable(…)               a value that JSON can't express (NaN, an infinity); nothing was sent
/// ├ alreadyCreated(model)       `create` of an object that the server knows; nothing was sent
/// ├ unencodable(reason)         a body of the caller's own is no JSON; nothing was sent
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
/// ├ noObject(model, …)          a success whose body holds no such object
/// └ store(error)                the object is deleted, the reply could not be stored, the task was cancelled …
/// ```
public enum APIError: Error, Sendable {
    case noAPI
    case route(RouteProblem)
    /// `property` of a `model` leads to a `target` that has no identity, or not the attribute by which it is sent.
    case unidentified(model: String, property: String, target: String)
    /// `property` of a `model` has a `value` for which JSON has no word.
    case unsendable(model: String, property: String, value: String)
    /// `create` of an object that the server knows already.
    case alreadyCreated(model: String)
    /// A body of the caller's own can't be written as JSON; why.
    case unencodable(String)
    case transport(TransportError)
    case reply(ReplyError)
    case body(JSONError, RequestSummary)
    /// The report says what came in its place.
    case noObject(model: String, ImportReport, RequestSummary)
    case store(StoreError)
}

/// Why there is no URL to send a request to.
public enum RouteProblem: Error, Sendable, Hashable {
    /// The model has no base URL or key, or the relationship no route.
    case noRoute(of: String, needs: String)
    /// The URL has more placeholders than were given values.
    case needsMore(model: String, template: String)
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
        case .alreadyCreated(let model):
            "This \(model) is at the server already; save() sends what changed. Nothing was sent."
        case .unencodable(let reason): "The body can't be written as JSON: \(reason). Nothing was sent."
        case .transport(let error): "\(error)"
        case .reply(let error): error.description
        case .unidentified(let model, let property, let target):
            """
            \(model).\(property) leads to a new \(target), which the server does not know yet; create it first. Nothing \
            was sent.
            """
        case .unsendable(let model, let property, let value):
            "\(model).\(property) is \(value), which JSON can't express; set another. Nothing was sent."
        case .body(let error, let request): "\(request): the reply is not what was expected: \(error)"
        case .noObject(let model, let report, let request):
            (["\(request): the reply holds no \(model)"] + report.rejected.prefix(3).map(\.description))
                .joined(separator: "; ")
        case .store(let error): error.description
        }
    }

    /// The reply, where there is one.
    public var reply: ReplyError? { if case .reply(let reply) = self { reply } else { nil } }

    /// Whether the task was cancelled before the reply was here.
    public var isCancellation: Bool {
        switch self {
        case .transport(let error): error.reason == .cancelled
        case .store(.cancelled): true
        default: false
        }
    }
}

extension RouteProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noRoute(let name, let needs): "\(name) has no URL: declare \(needs)."
        case .needsMore(let model, let template):
            """
            A \(model)'s URL \(template) takes more values than were given; fetch it with a template and its values, or \
            through the relationship that it is a member of.
            """
        case .template(let error): "\(error)"
        case .invalidURL(let url): "\"\(url)\" is not a URL that a request can go to"
        }
    }
}

extension ReplyError: CustomStringConvertible {
    public var description: String {
        var text = "\(request): \(status)"
        if let said = message ?? kind.words { text += " \(said)" }
        if !fields.isEmpty {
            let listed = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: ", "))" }
            text += " (\(listed.joined(separator: "; ")))"
        }
        if let retryAfter { text += "; try again in \(retryAfter.components.seconds) s" }
        return text
    }
}

extension ReplyError.Kind {
    /// What is said of a reply that says nothing itself.
    fileprivate var words: String? {
        switch self {
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
