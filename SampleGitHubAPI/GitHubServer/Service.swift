#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Handles one request after the other.
struct Service: Sendable {
    private(set) var world: World
    private let gate: Gate
    /// Of all URLs in replies.
    var baseURL = ""
    private var requestCount = 0

    init(_ fixtures: Fixtures, clock: ServerClock, token: String?) {
        world = World(fixtures, clock: clock)
        gate = Gate(token: token)
    }

    /// A rejected request leaves the data unchanged.
    mutating func answer(_ request: Incoming) -> Outgoing {
        requestCount += 1
        if let away = Gate.turnsAway(request) { return outgoing(away, to: request, headers: [:]) }
        let viewer: Viewer
        do throws(Refusal) {
            viewer = try gate.admit(request, as: world.viewerID)
        } catch {
            let stranger = Viewer(userID: nil, hasCredentials: false)
            return finished(error.reply(documentation: Refusal.documentationRoot), to: request, stranger)
        }
        if Self.counts(request), world.rateLimits.refuses(Self.resource(of: request)) {
            let reply = Refusal.rateLimited.reply(documentation: Refusal.documentationRoot)
            return finished(reply, to: request, viewer, counts: false)
        }
        return finished(routed(request, viewer), to: request, viewer)
    }

    private mutating func routed(_ request: Incoming, _ viewer: Viewer) -> Reply {
        var documentation = Refusal.documentationRoot
        do throws(Refusal) {
            let segments = try Router.segments(of: request.path, in: world)
            guard let match = Router.match(request.method, segments) else { throw .notFound }
            documentation = match.route.documentation
            let call = Call(
                request: request, query: Query(request.query), parameters: match.parameters, viewer: viewer,
                baseURL: baseURL)
            var changed = world
            let reply = try match.route.handler(&changed, call)
            world = changed
            return reply
        } catch {
            return error.reply(documentation: documentation)
        }
    }

    /// Adds common fields. A current copy gets a 304, which is free.
    private mutating func finished(
        _ reply: Reply, to request: Incoming, _ viewer: Viewer, counts: Bool = true
    ) -> Outgoing {
        var reply = reply
        var headers: [String: String] = [:]
        if case .json(let json) = reply.body, (200...201).contains(reply.status) {
            let text = json.text
            let link = reply.headers.first { $0.name == "Link" }?.value
            let validators = Validators(body: text, link: link, lastModified: reply.lastModified)
            reply.body = .text(text)
            headers["ETag"] = validators.entityTag
            headers["Last-Modified"] = reply.lastModified?.httpDate
            if !request.isWrite && validators.areCurrent(for: request) { (reply.status, reply.body) = (304, .none) }
        }
        headers.merge(limits(request, viewer, counts: counts && reply.status != 304)) { $1 }
        headers.merge(Service.constantHeaders) { $1 }
        headers["Cache-Control"] = "\(viewer.hasCredentials ? "private" : "public"), max-age=60, s-maxage=60"
        if request.isWrite || reply.status >= 400 { headers["Cache-Control"] = "no-cache" }
        headers["X-GitHub-Api-Version-Selected"] = request.headers["x-github-api-version"] ?? Gate.versions[0]
        return outgoing(reply, to: request, headers: headers)
    }

    private static let jsonType = "application/json; charset=utf-8"

    private static let constantHeaders = [
        "X-GitHub-Media-Type": "github.v3; format=json",
        "Vary": "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With",
        "X-Content-Type-Options": "nosniff",
    ]

    private mutating func limits(_ request: Incoming, _ viewer: Viewer, counts: Bool) -> [String: String] {
        let resource = Self.resource(of: request)
        if counts && Self.counts(request) { world.rateLimits.count(resource, viewer) }
        let status = world.rateLimits.status(resource, viewer, at: world.clock.now)
        return [
            "X-RateLimit-Limit": String(status.limit), "X-RateLimit-Remaining": String(status.remaining),
            "X-RateLimit-Used": String(status.used), "X-RateLimit-Reset": String(status.reset.seconds),
            "X-RateLimit-Resource": resource,
        ]
    }

    mutating func enforce(_ limit: Int, of resource: String, every window: Duration) {
        world.rateLimits.enforce(limit, of: resource, every: window)
    }

    private static func resource(of request: Incoming) -> String {
        request.path.hasPrefix("/search/") ? "search" : "core"
    }

    /// Requests for the limits are free.
    private static func counts(_ request: Incoming) -> Bool { request.path != "/rate_limit" }

    private func outgoing(_ reply: Reply, to request: Incoming, headers: [String: String]) -> Outgoing {
        var outgoing = Outgoing(status: reply.status, headers: headers, body: Data())
        outgoing.headers["Date"] = world.clock.now.httpDate
        outgoing.headers["Server"] = "github.com"
        outgoing.headers["X-GitHub-Request-Id"] = Service.requestID(requestCount)
        for header in reply.headers { outgoing.headers[header.name] = header.value }
        switch reply.body {
        case .none: break
        case .json(let json): outgoing.setBody(json.text, type: Service.jsonType)
        case .text(let text): outgoing.setBody(text, type: Service.jsonType)
        case .html(let text): outgoing.setBody(text, type: "text/html; charset=utf-8")
        }
        if request.method == "HEAD" { outgoing.leaveOutBody() }
        return outgoing
    }

    /// Such as `A001:00000007`.
    private static func requestID(_ number: Int) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return "A001:" + String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
