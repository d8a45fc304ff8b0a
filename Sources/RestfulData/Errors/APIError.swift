public import Conventions
public import JSONBytes
public import ObjectStore
public import RESTTransport

/// The error of a fetch, creation, save or deletion.
///
/// The object is unchanged, and can be sent again, except after ``leftOut(_:_:)`` and ``unstored(_:_:)``.
public enum APIError: Error, Sendable {
    /// The store was opened without an API.
    case noAPI
    /// The policy is ``FetchPolicy/offline``, and the store has no reply for this account. Nothing was sent.
    case notStored(RequestSummary)
    /// There is no URL. Nothing was sent.
    case route(RouteProblem)
    /// A relationship is sent with its target's values, but the store has only the identity. Nothing was sent.
    case unknownTarget(model: String, property: String, target: String)
    /// An edited list is sent as a whole, which would remove members that the store lacks. Only a part of the list was
    /// fetched, or none. Nothing was sent.
    ///
    /// Fetch the whole list (`pages: .all()`), which keeps the edit. The routes `$list.add` and `$list.delete` work in
    /// any case. To set a list that was never fetched, assign all of it: `issue.labels = [bug]`. If the list is always
    /// whole, declare `@Relationship(merges: false)`.
    case partialList(model: String, property: String)
    /// An edited list is sent as a whole, which would remove the repetitions of a member. Nothing was sent.
    ///
    /// Fetch the list again once it has each member once. The routes `$list.add` and `$list.delete` work in any case.
    case repeatedMember(model: String, property: String)
    /// `property` of a `model` leads to a `target` that lacks an identity, or the attribute by which it is sent.
    /// Nothing was sent.
    case unidentified(model: String, property: String, target: String)
    /// `property` of a `model` has a `value` that JSON can't express, or that a server would misread in a form. Nothing
    /// was sent.
    case unsendable(model: String, property: String, value: String)
    /// The API's forms join lists by `separator` (``APIConventions/FormLists/joined(by:)``). A value of `property`
    /// contains it, or its only value is empty. Nothing was sent.
    case unjoinable(model: String, property: String, separator: String)
    /// `create` of an object that the server has. Nothing was sent.
    case alreadyCreated(model: String)
    /// The object isn't created yet, and lacks a URL. `fetch`, `save`, `delete` and requests to its lists throw this.
    /// Nothing was sent.
    case notYetCreated(model: String)
    /// The body is impossible in the requested format, such as a JSON Patch for forms; the text has the reason. Nothing
    /// was sent.
    case unencodable(String)
    /// The caller's `Content-Type` (``API/withHeaders(_:isolation:_:)``) contradicts the body, such as "JSON in UTF-8".
    /// Nothing was sent.
    case wrongContentType(String, body: String, RequestSummary)
    /// There is no reply: no connection, a timeout, a cancellation, a body that is too large.
    case transport(TransportError)
    /// The reply is a failure.
    case reply(ReplyError)
    /// A change contradicts the server's version of the object (409, 412). The value has both versions.
    case conflict(Conflict)
    /// The reply to a save is about another `model` object than the one sent. Nothing was stored.
    case otherObject(model: String, RequestSummary)
    /// The reply to a create is a success, but its body and `Location` lack an identity or key. The report describes
    /// the body. The server may have created the object. See ``APIConventions/emptyReplies``.
    case notCreated(model: String, ImportReport, RequestSummary)
    /// The server will perform the request later (202). `monitor` is the reply's `Location`, at which many servers
    /// report the progress. Nothing was stored.
    case accepted(model: String, monitor: String?, RequestSummary)
    /// A change was redirected (303) elsewhere than to the sent object's own URL. Its outcome is unknown. Nothing was
    /// stored.
    case redirected(to: String, RequestSummary)
    /// The body of a success isn't JSON.
    case body(JSONError, RequestSummary)
    /// The call's reader (``Call/reading``) threw this error for a success. Nothing was stored.
    case unread(any Error, RequestSummary)
    /// The reply isn't a stream of events, or an event is too large (``EventStream``).
    case stream(StreamProblem, RequestSummary)
    /// The body of a success lacks the object. The report describes the body.
    case noObject(model: String, ImportReport, RequestSummary)
    /// The API is strict (``ReplyReports/isStrict``), and a success has parts that the models can't store. A fetch
    /// stores nothing. An acknowledged change is stored, with the readable part.
    case leftOut(ImportReport, RequestSummary)
    /// The reply to a queued creation was lost, so the server may have the object. The entry waits for your decision
    /// (``Rejection/Kind/undecided``).
    case undecidedCreation(model: String)
    /// The server has performed the request, but storing the result failed, for example because the disk is full. Solve
    /// the problem, and call the method again.
    ///
    /// An object isn't created twice: the reply is kept while the store is open, and the next `create`, `save`,
    /// `delete` or `$list.add` of the object stores it. Edits stay pending and are sent again. A repeated deletion
    /// succeeds.
    case unstored(StoreError, RequestSummary)
    /// The object is deleted, storing a fetched reply failed, or the task was cancelled early.
    case store(StoreError)
    /// A method of a ``WebService`` is unknown, or its arguments are invalid. Nothing was sent.
    case service(WebServiceError)
}

/// The reason why a request has no URL.
public enum RouteProblem: Error, Sendable, Hashable {
    /// The model lacks a base URL or key, or the relationship lacks a route.
    case noRoute(of: String, needs: String)
    /// The URL has more placeholders than values were passed.
    case needsMore(model: String, template: String)
    /// Names of the template that lack a value, and values that lack a name in the template.
    case values(template: String, missing: [String], surplus: [String])
    /// The template, or a value for it, is invalid.
    case template(RouteTemplateError)
    /// A `call` on `of` takes the key of one `model` object, but got a path or URL: `found`, without secrets.
    case keyExpected(of: String, call: String, model: String, found: String)
    /// A parameter of the query has no text, such as NaN, or a date outside the range of the API's format.
    case unsendableParameter(String, value: String)
    /// The text is invalid as a URL, or it is the URL of another server.
    case invalidURL(String)
    /// The link was edited, but is sent only in the object's URL, which has the server's value.
    case changedParent(model: String, property: String)
    /// The bookmark belongs to another list or query than the given one, without secrets.
    case otherList(String)
    /// The server has the member in another owner's list, so its key may name another object here.
    case otherOwner(model: String, list: String)
}

extension APIError: CustomStringConvertible {
    /// A description of the error and its remedy, without bodies and secrets.
    public var description: String {
        switch self {
        case .notStored(let request):
            """
            \(request): nothing was sent, as the policy is to be offline, and the store has no answer to it. Ask for what the store \
            has of it by query(), or fetch it once with another policy.
            """
        case .noAPI: "The store was opened without an API; open it with Store(_:models:api:)."
        case .route(let problem): problem.description
        case .alreadyCreated(let model):
            "This \(model) is at the server already; save() sends what changed. Nothing was sent."
        case .notYetCreated(let model):
            """
            This \(model) is not at the server yet; send it with create() first, or drop it with context.delete(_:). Nothing \
            was sent.
            """
        case .unencodable(let reason): "The request's body can't be made: \(reason). Nothing was sent."
        case .wrongContentType(let type, let body, let request):
            """
            \(request): the content type "\(type)" contradicts the body, which is \(body). Leave the field out, or give a type \
            of such a body. Middleware that writes another body may set that one's type. Nothing was sent.
            """
        case .transport(let error): "\(error)"
        case .reply(let error): error.description
        case .conflict(let conflict): conflict.description
        case .otherObject(let model, let request):
            "\(request): the reply is about another \(model) than the one that was sent; nothing of it was stored"
        case .partialList(let model, let property):
            """
            \(model).\(property) is sent as a whole list, and it is not known that all of it is here; fetch all of it first, \
            with pages: .all(), or change it by $\(property).add and $\(property).delete. A list that never came can be \
            assigned; one that is whole though more seems to follow declares merges: false; one that declares merges: true \
            is never known whole. Nothing was sent.
            """
        case .repeatedMember(let model, let property):
            """
            \(model).\(property) is sent as a whole list, and the server has a member in it more than once, which the store has \
            once: the other places would be gone. Change it by $\(property).add and $\(property).delete, roll the edit back, or \
            fetch the list again once it has each member once. Nothing was sent.
            """
        case .unknownTarget(let model, let property, let target):
            """
            \(model).\(property) is sent as what is not known here of \(withArticle(target)), only its identity is; fetch the \
            \(target) first. Nothing was sent.
            """
        case .notCreated(let model, let report, let request):
            "\(request): the reply names no \(model), neither by an identity in its body nor by a Location; nothing was stored"
                + Self.reasons(report)
        case .accepted(let model, let monitor, let request):
            "\(request): the server will do it later (202), and there is no \(model) yet"
                + (monitor.map { "; \($0) may tell when" } ?? "")
        case .redirected(let url, let request):
            """
            \(request): the server led to \(url) (303), which is not the object that was sent, at its own URL; whether it \
            has done this is unknown, and nothing was stored. Fetch the object to see, or check that you are signed in.
            """
        case .unidentified(let model, let property, let target):
            """
            \(model).\(property) leads to a new \(target), which the server does not know yet; create it first. Nothing \
            was sent.
            """
        case .unsendable(let model, let property, let value):
            "\(model).\(property) is \(value), which can't be sent; set another. Nothing was sent."
        case .unjoinable(let model, let property, let separator):
            """
            \(model).\(property) would be read as another list, as its values are joined by "\(separator)" and one has that in it, or \
            the only one is empty; set other values, or another `formLists` of the API's conventions. Nothing was sent.
            """
        case .body(let error, let request): "\(request): the reply is not what was expected: \(error)"
        case .unread(let error as DecodingError, let request): "\(request): the reply has another form: \(error)"
        case .unread(let error, let request): "\(request): the reply was refused by its reader: \(error)"
        case .stream(let problem, let request): "\(request): \(problem)"
        case .noObject(let model, let report, let request):
            "\(request): the reply holds no \(model)" + report.placesInWords + Self.reasons(report)
        case .leftOut(let report, let request):
            "\(request): a part of the reply would be left out: \(report.summaryOfLeftOut)"
        case .unstored(let error, let request):
            """
            \(request): the server has done it, but it could not be stored here: \(error) Do the same again once that is mended: \
            what was created is stored then and not created again, and what was changed is sent again.
            """
        case .undecidedCreation(let model):
            """
            The reply to the creation of this \(model) was lost, so the server may have it. Fetch the list to see whether it \
            is there; then retry or discard the entry.
            """
        case .store(let error): error.description
        case .service(let error): error.description
        }
    }

    /// Values may be secrets.
    private static func reasons(_ report: ImportReport) -> String {
        let reasons = report.summaryOfLeftOut
        return reasons.isEmpty ? "" : "; \(reasons)"
    }

    static func shown(_ url: String) -> String { RequestSummary(method: "", url: url).url }

    /// The failed reply; nil if there is none.
    public var reply: ReplyError? {
        switch self {
        case .reply(let reply): reply
        case .conflict(let conflict): conflict.reply
        default: nil
        }
    }

    /// The faults of properties by Swift name, from the server or from ``Model/validate()``; empty for other errors.
    public var fields: [String: [String]] {
        if case .store(let error) = self { return error.fields }
        return reply?.fields ?? [:]
    }

    /// Whether the task was cancelled before the reply arrived.
    public var isCancellation: Bool {
        switch self {
        case .transport(let error): error.reason == .cancelled
        case .store(.cancelled): true
        default: false
        }
    }
}

extension RouteProblem {
    private static func text(template: String, missing: [String], surplus: [String]) -> String {
        func list(_ names: [String], _ mark: String) -> String {
            names.map { "\"\(mark)\($0)\"" }.joined(separator: " and ")
        }
        let needs = missing.isEmpty ? [] : ["needs a value for \(list(missing, ":"))"]
        let has = surplus.isEmpty ? [] : ["has no place for the value of \(list(surplus, ""))"]
        let example = (missing.first ?? surplus.first).map { "[\"\($0)\": …]" } ?? ""
        let advice = missing.isEmpty ? "leave it out, or add it as a query" : "pass it, as in \(example)"
        return "The route \"\(template)\" \((needs + has).joined(separator: " and ")); \(advice). Nothing was sent."
    }
}

extension RouteProblem: CustomStringConvertible, CustomReflectable {
    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .enum) }

    /// A description of the problem and its remedy.
    public var description: String {
        switch self {
        case .noRoute(let name, let needs): "\(name) has no URL: declare \(needs)."
        case .needsMore(let model, let template):
            """
            The URL of \(withArticle(model)), \(template), takes more values than were given; fetch it with a template and \
            its values, or through the relationship that it is a member of.
            """
        case .values(let template, let missing, let surplus):
            Self.text(template: template, missing: missing, surplus: surplus)
        case .template(let error): "\(error)"
        case .keyExpected(let name, let call, let model, let found):
            """
            "\(found)" is a path or a URL, where \(name) takes the key of one \(model), as in \(call). To fetch from a \
            URL of your own, write \(model).fetchAll("\(found)", in: context), or \(model).fetch for one object. Nothing \
            was sent.
            """
        case .unsendableParameter(let name, let value):
            """
            The query's "\(name)" is \(value), which can't be sent; set another value, or leave it out. Nothing was sent.
            """
        case .changedParent(let model, let property):
            """
            \(model).\(property) was changed, but stands only in the URL of the \(model), which is where the server knows it; \
            move it by a request of the API's own, or set \(property) back. Nothing was sent.
            """
        case .otherOwner(let model, let list):
            """
            The server knows this \(model) at another URL than below that \(list), where its key may be another \(model)'s; \
            delete it with delete(), which goes where it is. Nothing was sent.
            """
        case .otherList(let url):
            """
            The bookmark is of another list than \(url), or of another query; go on with the list that it is of, or begin this one \
            without it. Nothing was sent.
            """
        case .invalidURL(let url): "\"\(RedactedURL.text(ofRequest: url))\" is not a URL that a request can go to"
        }
    }
}
