public import Conventions
public import JSONBytes
public import ObjectStore
public import RESTTransport

/// Why an object wasn't fetched, created, saved or deleted. The object is as it was before, and can be sent again; but
/// for ``leftOut(_:_:)`` to what was sent, which the server has taken and which is stored. What it has taken and the
/// file could not is ``unstored(_:_:)``.
///
/// ```
/// APIError
/// ├ noAPI                       the store was opened without an API
/// ├ notStored                   nothing was to be sent, and the store has no answer
/// ├ route(problem)              no URL: no base URL, an unknown or missing value; nothing was sent
/// ├ unknownTarget(…)            a relationship that goes out by more than an identity leads to what is not here; nothing was sent
/// ├ partialList(…)              an edited list that is not known to be here whole; nothing was sent
/// ├ repeatedMember(…)           an edited list in which the server has a member more than once; nothing was sent
/// ├ unidentified(…)             a relationship that goes out leads to an object not created yet; nothing was sent
/// ├ unsendable(…)               a value that JSON can't express (NaN, an infinity); nothing was sent
/// ├ unjoinable(…)               a list of a form that would be read as another; nothing was sent
/// ├ alreadyCreated(model)       `create` of an object that the server knows; nothing was sent
/// ├ unencodable(reason)         a body can't be written as is asked for; nothing was sent
/// ├ wrongContentType(…)         the caller's `Content-Type` contradicts the body; nothing was sent
/// ├ transport(error)            no reply: no connection, time-out, cancellation, too large …
/// ├ reply(reply)                a reply that isn't a success
/// │ ├ .validation               422, or 400 with field errors: messages by Swift property name
/// │ ├ .unauthorized             401
/// │ ├ .forbidden                403
/// │ ├ .notFound                 404, 410
/// │ ├ .conflict                 409, 412 to a request about no single object
/// │ ├ .rateLimited              429, or 403 for a limit
/// │ ├ .server                   5xx
/// │ └ .other
/// ├ conflict(conflict)          409, 412 to what was sent of an object: both versions
/// ├ otherObject(model, …)       a success whose body is about another object; nothing was stored
/// ├ notCreated(model, …)        a success of a create that names no object; nothing was stored
/// ├ accepted(model, …)          202 in place of an object: the server has not made it yet; nothing was stored
/// ├ redirected(to, …)           a redirect by 303 led to something else than the object that was sent; nothing was stored
/// ├ body(error, request)        a success whose body is not JSON
/// ├ unread(error, request)      a success that the call's reader refused
/// ├ noObject(model, …)          a success whose body holds no such object
/// ├ leftOut(report, …)          a success of which a part would be left out, where the API is strict
/// ├ unstored(error, request)    the server has done what was asked, and the file could not take that
/// └ store(error)                the object is deleted, what was fetched could not be stored, the task was cancelled …
/// ```
public enum APIError: Error, Sendable {
    /// The store was opened without an API.
    case noAPI
    /// The policy of the fetch is ``FetchPolicy/offline``, and the same was never fetched, or not by this account.
    /// Nothing was sent.
    case notStored(RequestSummary)
    /// There is no URL; nothing was sent.
    case route(RouteProblem)
    /// A relationship that goes out leads to an object that the server knows and that is not here, and it is sent as
    /// more than an identity, which is all that is known. Nothing was sent.
    case unknownTarget(model: String, property: String, target: String)
    /// An edited list goes out whole, and the server may have members that are not here, which would be gone by that: a
    /// part of the list has come, or the server has never named it. Nothing was sent. Once all of it is fetched
    /// (`pages: .all()`), the edit is made on the whole and can be sent. The list's own routes, `$list.add` and
    /// `$list.delete`, say nothing of the others. A list that has never come can be assigned, `issue.labels = [bug]`,
    /// which says all of it. A list that is whole whatever stands beside it is declared by `@Relationship(merges:
    /// false)`.
    case partialList(model: String, property: String)
    /// An edited list goes out whole, and the server has a member in it more than once: the store keeps each member
    /// once, so what is here would take the others' places away. Nothing was sent. It ends when the list comes with
    /// each member once: fetch it. The list's own routes, `$list.add` and `$list.delete`, say nothing of the others.
    case repeatedMember(model: String, property: String)
    /// `property` of a `model` leads to a `target` that has no identity, or not the attribute by which it is sent.
    case unidentified(model: String, property: String, target: String)
    /// `property` of a `model` has a `value` that JSON can't express, or that a form would be read as another.
    case unsendable(model: String, property: String, value: String)
    /// Lists are joined by `separator` in the API's forms (``APIConventions/FormLists/joined(by:)``), and `property` of
    /// a `model` has a value with it, or an empty one alone: it would be read as another list.
    case unjoinable(model: String, property: String, separator: String)
    /// `create` of an object that the server knows already.
    case alreadyCreated(model: String)
    /// `fetch`, `save` or `delete` of an object that the server doesn't know yet, and that has no URL of its own, or a
    /// request to one of its lists.
    case notYetCreated(model: String)
    /// A body can't be written as the call, the model or the API asks for, and why: one of the caller's own as JSON or
    /// as a form, a JSON Patch where the API's bodies are forms. Nothing was sent.
    case unencodable(String)
    /// The caller's `Content-Type` (``API/withHeaders(_:isolation:_:)``) contradicts the body, which is `body`: "JSON
    /// in UTF-8" or "a form in UTF-8". The server would read it as something else. Nothing was sent.
    case wrongContentType(String, body: String, RequestSummary)
    /// There is no reply: no connection, a time-out, a cancellation, a body that is too large.
    case transport(TransportError)
    /// The reply isn't a success.
    case reply(ReplyError)
    /// What was sent of an object contradicts what the server has (409, 412): both versions.
    case conflict(Conflict)
    /// The reply to a save names another `model` object than the one that was sent.
    case otherObject(model: String, RequestSummary)
    /// The reply to a create is a success, but names no object: its body has no identity or key, and it has no
    /// `Location` of one. The report says what came in its place. The object can be created again; whether the server
    /// has made one, it didn't say. See ``APIConventions/emptyReplies``.
    case notCreated(model: String, ImportReport, RequestSummary)
    /// The server has accepted the request and not done it yet (202), so there is no object to store. `monitor` is its
    /// `Location`, where many servers tell how far it is; what the body says is of the work, not of the object.
    case accepted(model: String, monitor: String?, RequestSummary)
    /// The server answered a request that changes something by leading to another URL (303), and what is there is not
    /// the object that was sent, at its own URL. Whether the server has done what was sent is unknown.
    case redirected(to: String, RequestSummary)
    /// The body of a success isn't JSON.
    case body(JSONError, RequestSummary)
    /// The call's own reader (``Call/reading``) threw this error when it read a success. Nothing was stored.
    case unread(any Error, RequestSummary)
    /// The body of a success has no such object. The report says what came in its place.
    case noObject(model: String, ImportReport, RequestSummary)
    /// The API is strict (``ReplyReports/isStrict``), and the body of a success has what the models can't take. Of what
    /// was fetched nothing is stored; what the server has done is, with what could be read.
    case leftOut(ImportReport, RequestSummary)
    /// The reply to the creation of this object was lost, so the server may have it. The outbox's entry waits for a
    /// decision (``Rejection/Kind/undecided``).
    case undecidedCreation(model: String)
    /// The server has done what it was asked to, and the file could not take that, as when the disk is full: here all
    /// is as it was. Call the same again once that is mended. An object that the server has created is not created
    /// again: its reply is kept as long as the store is open, and the next `create`, `save`, `delete` or `$list.add` of
    /// the object stores it first. What was changed stays unsent and is sent again; what was deleted is gone by then,
    /// which a deletion takes for done.
    case unstored(StoreError, RequestSummary)
    /// The object is deleted, what was fetched couldn't be stored, the task was cancelled before its turn.
    case store(StoreError)
    /// A method of a ``WebService`` is unknown, or was called wrongly. Nothing was sent.
    case service(WebServiceError)
}

/// Why there is no URL to send a request to.
public enum RouteProblem: Error, Sendable, Hashable {
    /// The model has no base URL or key, or the relationship no route.
    case noRoute(of: String, needs: String)
    /// The URL has more placeholders than were given values.
    case needsMore(model: String, template: String)
    /// Names of the template that were given no value, and names of values that the template doesn't have.
    case values(template: String, missing: [String], surplus: [String])
    /// The template is wrong, or a value doesn't fit it.
    case template(RouteTemplateError)
    /// A `call` takes the key of one `model` object, and was given a path or URL, which no such key can be.
    ///
    /// - Parameters:
    ///   - of: The relationship or model whose objects the call fetches.
    ///   - found: What was given, without secrets.
    case keyExpected(of: String, call: String, model: String, found: String)
    /// A value of the query has no text, as NaN, or a date beyond those of the API's format. Without the parameter
    /// something else would be asked for.
    case unsendableParameter(String, value: String)
    /// The text isn't a URL, or one of another server.
    case invalidURL(String)
    /// The link was changed here, and stands only in the object's URL, which is made of what the server last said: no
    /// request would tell the server.
    case changedParent(model: String, property: String)
    /// The bookmark is of another list than this, given without secrets, or of another query: what it leads to would
    /// become members of a list that they are not in.
    case otherList(String)
    /// The list's URL is made of another owner than that with which the server knows the object: below it, the key may
    /// be another object's.
    case otherOwner(model: String, list: String)
}

extension APIError: CustomStringConvertible {
    /// What happened, and what to do about it; without bodies and secrets.
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

    /// What was left out, without values: a reply's may be secrets.
    private static func reasons(_ report: ImportReport) -> String {
        let reasons = report.summaryOfLeftOut
        return reasons.isEmpty ? "" : "; \(reasons)"
    }

    /// A URL of the server's as an error names it: without secrets.
    static func shown(_ url: String) -> String { RequestSummary(method: "", url: url).url }

    /// The reply; nil when there is none.
    public var reply: ReplyError? {
        switch self {
        case .reply(let reply): reply
        case .conflict(let conflict): conflict.reply
        default: nil
        }
    }

    /// What is wrong with which property, by its Swift name, whoever says so: the server, or the objects' own
    /// ``Model/validate()``. Empty for any other error.
    public var fields: [String: [String]] {
        if case .store(let error) = self, case let errors = error.validationErrors, !errors.isEmpty {
            return errors.reduce(into: [:]) { fields, error in
                fields.merge(error.fields) { $0 + $1 }
            }
        }
        return reply?.fields ?? [:]
    }

    /// Whether the task was cancelled before the reply was here.
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
    /// What `dump` shows: the description, as a URL may have secrets in it.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .enum) }

    /// What is missing, and how to declare it.
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
