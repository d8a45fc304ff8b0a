import Conventions
import Foundation
import HTTPTypes
package import Logging
public import ObjectStore
public import RESTTransport

/// A REST API: its address, how it names things, and what its requests pass on their way.
///
/// ```swift
/// let api = API("https://api.github.com", conventions: .github) {
///     BearerToken(token)
///     Retry()
/// }
/// ```
///
/// It is a value and sends nothing by itself. A store that is opened with it fetches and sends its objects there.
///
/// A store may have several, each with the models that name it (<doc:SeveralAPIsAndAccounts>).
///
/// It is best one account's: where users sign out and in, make another API for each, and another store, or erase
/// the store (``Store/erase()``). An answer that was asked for with other credentials is given to nobody, but its
/// objects are in the store.
///
/// Requests have `Accept` with the conventions' media type, unless some middleware sets another:
/// `Headers([.accept: "application/vnd.github+json"])`.
public struct API: Sendable {
    /// What the models' URLs are relative to: scheme, host, and the path that all have in common.
    public let baseURL: String
    /// By what models of a store with several APIs say that this one is theirs: `@Model("/images", api: "media")`.
    public let name: String?
    /// What the service does its own way: names, URLs, envelopes, pages.
    public let conventions: APIConventions
    /// The HTTP method of `save`, and the format of its body. A model may declare another.
    public var saveMethod: SaveMethod
    /// How long one request may take, retries included.
    public var timeout: Duration
    /// What becomes of the news that a part of a reply was left out, where the caller does not ask for it.
    public var reports: ReplyReports
    /// What each request to the API has in its URL's query, where that does not say it already: `["api-version":
    /// "2024-05-01"]`. Requests to other servers, as by an absolute URL, don't have it.
    public var query: RouteQuery
    /// Whether a fetch asks the server, where the call doesn't say it.
    public var policy: FetchPolicy
    /// Seconds since 1970.
    package var now: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    let transport: any Transport
    /// The names of the types of its own middleware, from the outermost inwards.
    private let middlewareNames: [String]
    /// Whether something may add to requests who asks.
    var hasMiddleware: Bool { !middlewareNames.isEmpty }
    private let transportName: String
    private let governor: Governor
    private let ownURLs: OwnURLs
    /// What is wrong with the base URL; nil for a usable one.
    private let baseProblem: String?
    private let watchers = RequestWatchers()
    let modelless = APIClient.Modelless()
    /// Made for each line, as the program may set up its log after the API.
    package var makeLogger: @Sendable () -> Logger = { Logger(label: "RestfulData") }
    /// What adds credentials.
    private let providers: [any AuthenticationProvider]
    /// The level at which requests are logged; nil for not at all.
    private let log: RequestLogLevel?

    /// Header fields of all requests to the API's own origin, which can be changed at any time: by any copy of this
    /// value, also in open stores.
    ///
    /// ```swift
    /// api.headers[.init("SL-Sport")!] = "Hunting"
    /// ```
    ///
    /// A call's own fields go before them, and they before those of ``Headers``. They count as credentials: a redirect
    /// to another origin leaves them out, and an answer that was stored for other values isn't used.
    public let headers = SharedHeaders()

    /// The requests of this API, of its copies and of the stores opened with them, as they begin and end, from now on.
    ///
    /// ```swift
    /// for await event in api.requests { spinner.isVisible = event.kind == .started }
    /// ```
    ///
    /// Equal requests that share a reply are one. Of events that nobody takes, the newest 10,000 are kept.
    public var requests: AsyncStream<RequestEvent> { watchers.events() }

    /// How an API takes changes of an object.
    public typealias SaveMethod = ObjectStore.SaveMethod

    /// - Parameters:
    ///   - baseURL: an absolute `http` or `https` URL. Any other text is reported when a store is opened with the API.
    ///   - name: by what models name the API in a store with several; the first one needs none.
    ///   - conventions: what the service does its own way; `.default` is what Rails-like services do.
    ///   - values: how dates are written, and what turns JSON into values of some types; nil for what the conventions
    ///     have.
    ///   - saveMethod: what `save` sends; nil for what the conventions have.
    ///   - timeout: for each request as a whole, including retries; 60 seconds by default.
    ///   - reports: what becomes of the news that a part of a reply was left out; a warning in the log by default.
    ///   - query: what each request has in its URL's query.
    ///   - policy: whether a fetch asks the server, where the call doesn't say it.
    ///   - log: the level at which each request is written to swift-log, label `RestfulData`: method, URL without
    ///     secrets, status, milliseconds and bytes; nil for none. Requests without a reply are warnings.
    ///   - limits: how fast requests may follow each other, beside what the server says; nil for what the conventions
    ///     have. ``RequestLimits/unlimited`` holds nothing back, whatever the server says.
    ///   - transport: what sends; AsyncHTTPClient on Linux and URLSession on Apple's platforms by default.
    ///   - middleware: what wraps it; the first one written is the outermost.
    public init(
        _ baseURL: String, name: String? = nil, conventions: APIConventions = .default, values: ValueFormats? = nil,
        saveMethod: SaveMethod? = nil, timeout: Duration = .seconds(60), reports: ReplyReports = .logged,
        query: RouteQuery = [:], policy: FetchPolicy = .revalidate, log: RequestLogLevel? = nil,
        limits: RequestLimits? = nil, transport: any Transport = HTTPTransport.standard,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.baseURL = Self.sendable(baseURL)
        self.name = name
        var conventions = conventions
        if let values { conventions.values = values }
        self.conventions = conventions
        self.saveMethod = saveMethod ?? conventions.saveMethod
        self.timeout = timeout
        self.reports = reports
        self.query = query
        self.policy = policy
        self.log = log
        // An invalid base URL is refused before anything is sent, so what stands in for it is never used.
        let base = URL(string: self.baseURL) ?? URL(fileURLWithPath: "/")
        ownURLs = OwnURLs(api: base)
        baseProblem = Self.problem(of: self.baseURL)
        let governor = Governor(limits ?? conventions.limits.applying(to: ownURLs.origin?.host ?? ""), api: base)
        self.governor = governor
        // Innermost, so that it only adds what all others have left out; and last, who holds back what is sent to the
        // server.
        let own = middleware()
        providers = own.compactMap { $0 as? any AuthenticationProvider }
        middlewareNames = own.map { "\(type(of: $0))" }
        transportName = "\(type(of: transport))"
        let wrapped: [any Middleware] =
            own + [Headers([.accept: conventions.mediaType]), Conditions(), ResumeDownloads(), governor]
        self.transport = TransportChain(api: base, transport: transport) { wrapped }
    }

    /// The URL as it goes out: what is beyond ASCII is percent-encoded, and a host's name in Punycode.
    private static func sendable(_ baseURL: String) -> String {
        guard let url = URL(string: baseURL), Origin(url) != nil else { return baseURL }
        return url.absoluteString
    }

    /// The account whose credentials requests have; empty without one that has a name.
    var account: String { providers.lazy.compactMap(\.account).first ?? "" }

    /// What is the same of its copies alone.
    var identity: ObjectIdentifier { ObjectIdentifier(governor) }

    /// What is known of the server's limits, and what waits for them: of all stores and contexts that have this API, or
    /// a copy of it.
    public var limits: APILimits { governor.limits }

    /// ``limits`` now and whenever they have changed; of changes that come faster than they are read, the newest.
    public var limitUpdates: AsyncStream<APILimits> { governor.updates }

    /// Adds the ``headers`` that a request doesn't have, if it goes to the API's own origin, as they may be secret.
    func addHeaders(to request: inout APIRequest) {
        let fields = headers.fields
        guard !fields.isEmpty, isOwn(request.url) else { return }
        for field in fields where !request.headerFields.contains(field.name) {
            request.headerFields.append(field)
            if field.name != .contentType { request.credentialFields.insert(field.name) }
        }
    }

    /// Whether a URL is one of the API's own origin.
    func isOwn(_ url: URL) -> Bool { ownURLs.contain(url) }

    /// The base URL's origin; nil for an unusable base URL.
    var origin: Origin? { ownURLs.origin }

    /// Sends a request. What middleware asks for by itself meanwhile is none of the caller's own calls.
    func send(
        _ request: APIRequest, in exchange: AnswerExchange?
    ) async throws(TransportError) -> APIResponse {
        guard let exchange else { return try await pass(request) }
        let outcome = await AnswerExchange.$current.withValue(exchange) {
            () async -> Result<APIResponse, TransportError> in
            do throws(TransportError) { return .success(try await pass(request)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Sends a request through the middleware, and tells who watches.
    func pass(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        // What only finds out which fields would go out is no request.
        let isProbe = AnswerExchange.current?.isProbe == true
        var request = request
        if isProbe { request.passage.isProbe = true }
        let id = isProbe ? nil : watchers.begin(request)
        let start = ContinuousClock.now
        let outcome = await CallScope.withoutCurrent { [request] () async -> Result<APIResponse, TransportError> in
            do throws(TransportError) { return .success(try await transport.send(request)) } catch {
                return .failure(error)
            }
        }
        watchers.end(id, request, with: outcome)
        if let level = request.passage.logLevel ?? log.flatMap({ Logger.Level($0) }) {
            RequestLog(makeLogger(), level: level).write(request, outcome, after: ContinuousClock.now - start)
        }
        return try outcome.get()
    }

    /// What is wrong with the base URL or the query; nil for usable ones.
    var problem: String? {
        if let baseProblem { return baseProblem }
        do { _ = try query.texts(as: conventions.values) } catch { return "its `query:` is wrong: \(error)" }
        return nil
    }

    private static func problem(of baseURL: String) -> String? {
        let shown = RedactedURL.text(of: baseURL)
        guard let url = URL(string: baseURL), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            url.host() != nil
        else {
            return "its base URL \"\(shown)\" is not an absolute http or https URL, such as https://api.example.com"
        }
        guard url.query() == nil, url.fragment() == nil else {
            return "its base URL \"\(shown)\" must not have a query or fragment; `query:` adds what all requests have"
        }
        return nil
    }

    /// The absolute URL of one that is relative to the base URL, or absolute already.
    func url(_ url: RequestURL) -> String {
        let path = url.text
        // A path begins with a slash, and a scheme may be in capitals (RFC 3986 §3.1).
        if ["http://", "https://"].contains(where: path.prefix(8).lowercased().hasPrefix) { return path }
        let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        return base + path
    }

    /// The same with what each request to the API has in its query.
    func requestURL(_ url: RequestURL) -> String {
        let absolute = self.url(url)
        guard !query.isEmpty, let own = URL(string: absolute), isOwn(own) else { return absolute }
        // That each value has a text was seen when the store opened.
        return RequestURL(absolute).addingMissing((try? query.texts(as: conventions.values)) ?? []).text
    }
}

extension API: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line without secrets: the base URL, the API's name, and the names of what requests have beside it. For
    /// example `API https://api.example.com (query: api_key; middleware: BearerToken, Retry)`.
    public var description: String {
        var details = name.map { ["name: \($0)"] } ?? []
        if !query.isEmpty { details.append("query: \(query.names.joined(separator: ", "))") }
        if hasMiddleware { details.append("middleware: \(middlewareNames.joined(separator: ", "))") }
        return "API \(RedactedURL.text(of: baseURL))"
            + (details.isEmpty ? "" : " (\(details.joined(separator: "; ")))")
    }

    /// The same.
    public var debugDescription: String { description }

    /// What `dump` shows: the same, and what no secret can be in.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "baseURL": RedactedURL.text(of: baseURL), "query": query.names, "middleware": middlewareNames,
                "transport": transportName, "timeout": timeout, "saveMethod": saveMethod, "policy": policy,
                "mediaType": conventions.mediaType,
            ], displayStyle: .struct)
    }
}
