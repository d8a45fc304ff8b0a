/// How fast requests to an API may follow each other, beside what its replies say.
///
/// ```swift
/// API("https://api.example.com", limits: RequestLimits(concurrency: 8))
/// API("https://github.example.com/api/v3", conventions: .github, limits: .github)
/// API("https://api.example.com", limits: .unlimited)
/// ```
///
/// What replies say is heeded in any case but with ``unlimited``: `Retry-After`, and how many requests are left until
/// when.
public struct RequestLimits: Sendable, Hashable {
    /// When a server that fails is left alone for a while.
    public struct Circuit: Sendable, Hashable {
        /// How many failures in a row open it; at least 1.
        public var failures: Int
        /// How soon after each other they have to come.
        public var interval: Duration
        /// How long nothing is sent at first; at most an hour. It doubles each time that the request that is sent then
        /// fails too.
        public var firstPause: Duration
        /// How long nothing is sent at most; itself at most an hour.
        public var longestPause: Duration

        /// - Parameters: as the properties.
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

    /// How many requests of one account are under way at once; at least 1.
    public var concurrency: Int
    /// How many of these change something; at least 1.
    public var concurrentWrites: Int
    /// The time from one request that changes something to the next; at most an hour.
    public var writeSpacing: Duration
    /// How many requests that change something are sent in any minute, at least 1; nil for any number.
    public var writesPerMinute: Int?
    /// How many of them in any hour, at least 1; nil for any number.
    public var writesPerHour: Int?
    /// Which of the server's resources, each with a limit of its own, is at which paths below the base URL, the longest
    /// first: `["/search": "search"]`. What isn't here is learnt from the replies (`X-RateLimit-Resource`).
    public var resources: [String: String]
    /// The hosts that have these limits, if conventions bring them along; one that begins with a dot is the end of a
    /// host's name. None: all hosts.
    public var hosts: Set<String>
    /// When a server that fails is left alone for a while; nil for never.
    public var circuit: Circuit?
    /// Whether anything is held back at all.
    package var isOn = true

    /// - Parameters: as the properties.
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

    /// What an API of which nothing is known will bear: 64 requests at once, and a circuit that opens after ten
    /// failures.
    public static let standard = RequestLimits()

    /// GitHub's secondary limits ([its
    /// documentation](https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api) and [best
    /// practices](https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api)): 100 requests
    /// at once; those that change something one after the other, a second apart, 80 a minute and 500 an hour.
    ///
    /// Conventions bring them along for api.github.com and hosts below ghe.com alone: a GitHub Enterprise Server has
    /// none unless its administrator says so.
    public static let github = RequestLimits(
        concurrency: 100, concurrentWrites: 1, writeSpacing: .seconds(1), writesPerMinute: 80, writesPerHour: 500,
        resources: ["/": "core", "/search": "search", "/search/code": "code_search", "/graphql": "graphql"],
        hosts: ["api.github.com", ".ghe.com"])

    /// Nothing is held back, whatever replies say, and there is no circuit.
    public static let unlimited: RequestLimits = {
        var limits = RequestLimits(concurrency: .max, concurrentWrites: .max, circuit: nil)
        limits.isOn = false
        return limits
    }()

    /// What they come to, whatever was written: something goes at some time.
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

    /// These, or ``standard`` for a host that doesn't have them.
    package func applying(to host: String) -> RequestLimits {
        let has = hosts.isEmpty || hosts.contains { $0.hasPrefix(".") ? host.hasSuffix($0) : host == $0 }
        return has ? self : .standard
    }
}

extension Duration {
    fileprivate var withinHour: Duration { min(max(self, .zero), .seconds(3600)) }
}
