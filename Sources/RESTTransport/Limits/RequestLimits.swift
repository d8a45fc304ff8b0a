/// The limits on the number and rate of an API's requests, in addition to those in its replies.
///
/// ```swift
/// API("https://api.example.com", limits: RequestLimits(concurrency: 8))
/// API("https://github.example.com/api/v3", conventions: .github, limits: .github)
/// ```
///
/// Limits in replies (`Retry-After`, remaining requests with a reset time) always apply, except with ``unlimited``.
public struct RequestLimits: Sendable, Hashable {
    /// When requests to a failing server stop for a while.
    public struct Circuit: Sendable, Hashable {
        /// The number of consecutive failures that open the circuit; at least 1.
        public var failures: Int
        /// The longest time between two failures that count as consecutive.
        public var interval: Duration
        /// The first pause, at most an hour. Each failed probe after a pause doubles it.
        public var firstPause: Duration
        /// The longest pause, at most an hour. While the server is unreachable, pauses are at most 5 seconds.
        public var longestPause: Duration

        /// - Parameters: See the properties.
        public init(
            failures: Int = 10, interval: Duration = .seconds(30), firstPause: Duration = .seconds(1),
            longestPause: Duration = .seconds(30)
        ) {
            self.failures = failures
            self.interval = interval
            self.firstPause = firstPause
            self.longestPause = longestPause
        }
    }

    /// The most requests of one account in flight at once; at least 1.
    public var concurrency: Int
    /// The most writes of one account in flight at once; at least 1.
    public var concurrentWrites: Int
    /// The shortest time between two writes; at most an hour.
    public var writeSpacing: Duration
    /// The most writes in any minute, at least 1; nil for any number.
    public var writesPerMinute: Int?
    /// The most writes in any hour, at least 1; nil for any number.
    public var writesPerHour: Int?
    /// The server's resources with their own limits, by paths relative to the base URL: `["/search": "search"]`. The
    /// longest match counts. Replies (`X-RateLimit-Resource`) add others and take precedence.
    public var resources: [String: String]
    /// The hosts to which conventions apply these limits; empty for all. A leading dot matches all subdomains.
    public var hosts: Set<String>
    /// When requests to a failing server stop for a while; nil for never.
    public var circuit: Circuit?
    package var isOn = true

    /// - Parameters: See the properties.
    public init(
        concurrency: Int = 64, concurrentWrites: Int = 64, writeSpacing: Duration = .zero, writesPerMinute: Int? = nil,
        writesPerHour: Int? = nil, resources: [String: String] = [:], hosts: Set<String> = [],
        circuit: Circuit? = Circuit()
    ) {
        self.concurrency = concurrency
        self.concurrentWrites = concurrentWrites
        self.writeSpacing = writeSpacing
        self.writesPerMinute = writesPerMinute
        self.writesPerHour = writesPerHour
        self.resources = resources
        self.hosts = hosts
        self.circuit = circuit
    }

    /// 64 requests at once; the circuit opens after ten failures.
    public static let standard = RequestLimits()

    /// GitHub's secondary limits
    /// ([documentation](https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api), [best
    /// practices](https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api)): 100 requests
    /// at once; writes one after the other, a second apart, at most 80 a minute and 500 an hour.
    ///
    /// Conventions apply them to `api.github.com` and subdomains of `ghe.com`. Other GitHub Enterprise Servers have
    /// limits only if enabled.
    public static let github = RequestLimits(
        concurrency: 100, concurrentWrites: 1, writeSpacing: .seconds(1), writesPerMinute: 80, writesPerHour: 500,
        resources: ["/": "core", "/search": "search", "/search/code": "code_search", "/graphql": "graphql"],
        hosts: ["api.github.com", ".ghe.com"])

    /// Sends all requests at once. Limits in replies are ignored, and the circuit stays closed.
    public static let unlimited: RequestLimits = {
        var limits = RequestLimits(concurrency: .max, concurrentWrites: .max, circuit: nil)
        limits.isOn = false
        return limits
    }()

    /// The limits in range, so that every request is sent eventually.
    var bounded: RequestLimits {
        var limits = self
        (limits.concurrency, limits.concurrentWrites) = (max(concurrency, 1), max(concurrentWrites, 1))
        limits.writeSpacing = writeSpacing.withinHour
        (limits.writesPerMinute, limits.writesPerHour) = (
            writesPerMinute.map { max($0, 1) }, writesPerHour.map { max($0, 1) }
        )
        limits.circuit = circuit.map { circuit in
            Circuit(
                failures: max(circuit.failures, 1), interval: circuit.interval,
                firstPause: circuit.firstPause.withinHour, longestPause: circuit.longestPause.withinHour)
        }
        return limits
    }

    /// ``standard`` for other hosts than ``hosts``.
    package func applying(to host: String) -> RequestLimits {
        let has = hosts.isEmpty || hosts.contains { $0.hasPrefix(".") ? host.hasSuffix($0) : host == $0 }
        return has ? self : .standard
    }
}

extension Duration {
    fileprivate var withinHour: Duration { min(max(self, .zero), .seconds(3600)) }
}
