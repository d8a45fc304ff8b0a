import Conventions
import Foundation
import HTTPTypes
package import Logging
public import ObjectStore
public import RESTTransport

/// A REST API: its base URL, its conventions, and the middleware and transport of its requests.
///
/// ```swift
/// let api = API("https://api.github.com", conventions: .github) {
///     BearerToken(token)
///     Retry()
/// }
/// ```
///
/// A store may have several APIs, each with its own models (<doc:SeveralAPIsAndAccounts>).
///
/// Use one API and one store for one account, or erase the store (``Store/erase()``) when the user changes. A stored
/// reply is used only with its request's credentials, but all contexts see its objects.
///
/// Requests accept the conventions' media type, unless middleware sets `Accept`.
public struct API: Sendable {
    /// Scheme, host, and the common part of the paths of all URLs.
    public let baseURL: String
    /// The name by which models choose this API: `@Model("/images", api: "media")`.
    public let name: String?
    /// The conventions of the service: names, URLs, envelopes, pages.
    public let conventions: APIConventions
    /// The HTTP method of `save`, and the format of its body. A model may declare another.
    public var saveMethod: SaveMethod
    /// The time limit of a request, including retries.
    public var timeout: Duration
    /// The handling of omissions from replies, unless the caller asks for a report.
    public var reports: ReplyReports
    /// Parameters that each request to the API's own server adds to its URL, unless it has them:
    /// `["api-version": "2024-05-01"]`.
    public var query: RouteQuery
    /// When a fetch asks the server, unless the model or the call decides.
    public var policy: FetchPolicy
    /// In seconds since 1970.
    package var now: @Sendable () -> Double
    /// For streams of events and the store's outbox.
    package var time: TimeSource
    let transport: any Transport
    /// From the outermost to the innermost.
    private let middlewareNames: [String]
    var hasMiddleware: Bool { !middlewareNames.isEmpty }
    private let transportName: String
    private let governor: Governor
    private let ownURLs: OwnURLs
    /// nil if the base URL is usable.
    private let baseProblem: String?
    private let watchers = RequestWatchers()
    let modelless = APIClient.Modelless()
    /// Called for each line, since the program may set up its log after the API.
    package var makeLogger: @Sendable () -> Logger = { Logger(label: "RestfulData") }
    private let providers: [any AuthenticationProvider]
    private let log: RequestLogLevel?

    /// Header fields of all requests to the API's own origin. You can change them at any time, through any copy.
    ///
    /// ```swift
    /// api.headers[.init("SL-Sport")!] = "Hunting"
    /// ```
    ///
    /// A call's own fields override them, and they override those of ``Headers``. They count as credentials: redirects
    /// to another origin remove them, and a stored reply needs the same values.
    public let headers = SharedHeaders()

    /// The starts and ends of requests from now on, by this API, its copies and their stores.
    ///
    /// ```swift
    /// for await event in api.requests { spinner.isVisible = event.kind == .started }
    /// ```
    ///
    /// Calls that share a request count as one. The newest 10,000 events are buffered. The stream ends when the API,
    /// its copies and their stores are released.
    public var requests: AsyncStream<RequestEvent> { watchers.events() }

    /// The HTTP method of `save`, and the format of its body.
    public typealias SaveMethod = ObjectStore.SaveMethod

    /// - Parameters:
    ///   - baseURL: an absolute `http` or `https` URL. Opening a store reports any other text.
    ///   - name: the name for models in a store with several APIs. The first needs none.
    ///   - conventions: the conventions of the service; `.default` is for services like Rails.
    ///   - values: the formats of dates and conversions; nil for those of the conventions, whose forms of nothing
    ///     always stay.
    ///   - saveMethod: how `save` sends objects; nil for the conventions' method.
    ///   - timeout: the time limit of each request, including retries.
    ///   - reports: the handling of omissions; by default a warning in the log.
    ///   - query: parameters that each request adds to its URL's query.
    ///   - policy: when a fetch asks the server, unless the model or the call decides.
    ///   - log: the level of swift-log, label `RestfulData`, at which requests are logged (``RequestLog``); nil for
    ///     none. Requests without a reply are warnings.
    ///   - limits: the limits on requests, in addition to the server's; nil for the conventions'.
    ///     ``RequestLimits/unlimited`` ignores the server's, too.
    ///   - transport: by default AsyncHTTPClient on Linux, and URLSession on Apple platforms.
    ///   - middleware: the middleware, from the outermost on.
    public init(
        _ baseURL: String, name: String? = nil, conventions: APIConventions = .default, values: ValueFormats? = nil,
        saveMethod: SaveMethod? = nil, timeout: Duration = .seconds(60), reports: ReplyReports = .logged,
        query: RouteQuery = [:], policy: FetchPolicy = .revalidate, log: RequestLogLevel? = nil,
        limits: RequestLimits? = nil, transport: any Transport = HTTPTransport.standard,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.init(
            baseURL, name: name, conventions: conventions, values: values, saveMethod: saveMethod, timeout: timeout,
            reports: reports, query: query, policy: policy, log: log, limits: limits, transport: transport,
            time: .system, middleware: middleware)
    }

    /// - Parameter time: the clock of limits, freshness, streams, and of the store's outbox.
    package init(
        _ baseURL: String, name: String? = nil, conventions: APIConventions = .default, values: ValueFormats? = nil,
        saveMethod: SaveMethod? = nil, timeout: Duration = .seconds(60), reports: ReplyReports = .logged,
        query: RouteQuery = [:], policy: FetchPolicy = .revalidate, log: RequestLogLevel? = nil,
        limits: RequestLimits? = nil, transport: any Transport, time: TimeSource,
        @MiddlewareBuilder middleware: () -> [any Middleware] = { [] }
    ) {
        self.baseURL = Self.sendable(baseURL)
        self.name = name
        var conventions = conventions
        if let values { conventions.values = values.keeping(nothing: conventions.values.nothing) }
        self.conventions = conventions
        self.saveMethod = saveMethod ?? conventions.saveMethod
        self.timeout = timeout
        self.reports = reports
        self.query = query
        self.policy = policy
        self.log = log
        (now, self.time) = (time.exactLocalTime, time)
        // Unused, since opening a store refuses an invalid base URL.
        let base = URL(string: self.baseURL) ?? URL(fileURLWithPath: "/")
        ownURLs = OwnURLs(api: base)
        baseProblem = Self.problem(of: self.baseURL)
        let governor = Governor(
            limits ?? conventions.limits.applying(to: ownURLs.origin?.host ?? ""), api: base, time: time)
        self.governor = governor
        // The innermost middleware adds only fields that others left unset. The governor is the last, as it delays only
        // requests to the server.
        let own = middleware()
        providers = own.compactMap { $0 as? any AuthenticationProvider }
        middlewareNames = own.map { "\(type(of: $0))" }
        transportName = "\(type(of: transport))"
        let wrapped: [any Middleware] =
            own + [Headers([.accept: conventions.mediaType]), Conditions(), ResumeDownloads(), governor]
        self.transport = TransportChain(api: base, transport: transport) { wrapped }
    }

    /// The host's name becomes Punycode.
    private static func sendable(_ baseURL: String) -> String {
        guard let url = URL(string: baseURL), Origin(url) != nil else { return baseURL }
        return url.absoluteString
    }

    /// Empty unless a provider names an account.
    var account: String { providers.lazy.compactMap(\.account).first ?? "" }

    var identity: ObjectIdentifier { ObjectIdentifier(governor) }

    /// The server's known limits and the requests that wait for them, of this API and its copies.
    public var limits: APILimits { governor.limits }

    /// The current ``limits``, and their changes; only the newest if you read slowly.
    public var limitUpdates: AsyncStream<APILimits> { governor.updates }

    /// Only the API's own origin gets the ``headers``, which may be secret.
    func addHeaders(to request: inout APIRequest) {
        let fields = headers.fields
        guard !fields.isEmpty, isOwn(request.url) else { return }
        for field in fields where !request.headerFields.contains(field.name) {
            request.headerFields.append(field)
            if field.name != .contentType { request.credentialFields.insert(field.name) }
        }
    }

    func isOwn(_ url: URL) -> Bool { ownURLs.contain(url) }

    /// nil if the base URL is invalid.
    var origin: Origin? { ownURLs.origin }

    /// For a reply that may be stored.
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

    /// Reports the request to watchers, and logs it. The scope keeps requests of middleware apart from the caller's.
    func pass(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        // A probe ends before the transport.
        let isProbe = AnswerExchange.current?.isProbe == true
        var request = request
        if isProbe { request.chainState.isProbe = true }
        let id = isProbe ? nil : watchers.begin(request)
        let start = ContinuousClock.now
        let outcome = await CallScope.withoutCurrent { [request] () async -> Result<APIResponse, TransportError> in
            do throws(TransportError) { return .success(try await transport.send(request)) } catch {
                return .failure(error)
            }
        }
        watchers.end(id, request, with: outcome)
        if let level = request.chainState.logLevel ?? log.flatMap({ Logger.Level($0) }) {
            RequestLog(makeLogger(), level: level).write(request, outcome, after: ContinuousClock.now - start)
        }
        return try outcome.get()
    }

    /// nil if base URL and query are usable.
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

    func url(_ url: RequestURL) -> String {
        let path = url.text
        // A scheme may be in capitals (RFC 3986 §3.1).
        if ["http://", "https://"].contains(where: path.prefix(8).lowercased().hasPrefix) { return path }
        let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        return base + path
    }

    /// With the API's ``query``.
    func requestURL(_ url: RequestURL) -> String {
        let absolute = self.url(url)
        guard !query.isEmpty, let own = URL(string: absolute), isOwn(own) else { return absolute }
        // Opening the store has checked the query.
        return RequestURL(absolute).addingMissing((try? query.texts(as: conventions.values)) ?? []).text
    }
}

extension API: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line without secrets: the base URL, the API's name, and the names of query parameters and middleware:
    /// `API https://api.example.com (query: api_key; middleware: BearerToken, Retry)`.
    public var description: String {
        var details = name.map { ["name: \($0)"] } ?? []
        if !query.isEmpty { details.append("query: \(query.names.joined(separator: ", "))") }
        if hasMiddleware { details.append("middleware: \(middlewareNames.joined(separator: ", "))") }
        return "API \(RedactedURL.text(of: baseURL))"
            + (details.isEmpty ? "" : " (\(details.joined(separator: "; ")))")
    }

    /// The ``description``.
    public var debugDescription: String { description }

    /// The parts without secrets.
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

extension ValueFormats {
    func keeping(nothing: NothingForms) -> ValueFormats {
        var formats = self
        formats.nothing.formUnion(nothing)
        return formats
    }
}
