package import HTTPTypes

extension HTTPField.Name {
    /// The words in the names of header fields that say who asks, whichever way: what one account is told is none of
    /// another's.
    private static let identifying: Set<String> = [
        "auth", "authorization", "authentication", "token", "key", "apikey", "secret", "session", "cookie",
        "credential",
        "credentials", "account", "tenant", "user", "org", "organization", "workspace", "csrf", "signature",
    ]

    /// Those of them that are made anew for each request.
    private static let changing: Set<String> = ["csrf", "signature"]

    /// Those that are one request's alone, or that tell requests apart and not accounts.
    private static let ofRequests: Set<String> = [
        "b3", "baggage", "date", "elastic-apm-traceparent", "idempotency-key", "in-memory-span-id",
        "in-memory-trace-id", "newrelic", "ot-tracer-sampled", "ot-tracer-spanid", "ot-tracer-traceid", "sentry-trace",
        "traceparent", "tracestate", "uber-trace-id", "x-amzn-trace-id", "x-b3-flags", "x-b3-parentspanid",
        "x-b3-sampled", "x-b3-spanid", "x-b3-traceid", "x-cloud-trace-context", "x-correlation-id",
        "x-datadog-origin", "x-datadog-parent-id", "x-datadog-sampling-priority", "x-datadog-tags",
        "x-datadog-trace-id", "x-instana-l", "x-instana-s", "x-instana-t", "x-request-id",
    ]
    private static let conditions: Set<String> = [
        "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "range",
    ]

    /// Whether a field of this name is of one request, whoever asks.
    package var isOfRequest: Bool { Self.ofRequests.contains(canonicalName) }

    /// Whether it says on what condition the request is carried out, or how much of the answer is wanted.
    var isCondition: Bool { Self.conditions.contains(canonicalName) }

    /// Whether a field of this name says who asks.
    package var isIdentifying: Bool { hasWord(of: Self.identifying) }

    /// Whether a field of this name has the same value in all requests of one account, and another in another's.
    var isOfAccount: Bool { isIdentifying && !hasWord(of: Self.changing) }

    private func hasWord(of words: Set<String>) -> Bool {
        guard self != .userAgent, canonicalName != "idempotency-key" else { return false }
        return canonicalName.split { $0 == "-" || $0 == "_" }.contains { words.contains(String($0)) }
    }
}
