package import HTTPTypes

extension HTTPField.Name {
    /// Words in names of fields that identify the caller, by any scheme. Replies to one account must not be used for
    /// another.
    private static let identifying: Set<String> = [
        "auth", "authorization", "authentication", "token", "key", "apikey", "secret", "session", "cookie",
        "credential",
        "credentials", "account", "tenant", "user", "org", "organization", "workspace", "csrf", "signature",
    ]

    /// Words for values that are new in each request.
    private static let changing: Set<String> = ["csrf", "signature"]

    /// Fields of one request, or that identify requests rather than accounts.
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

    /// Whether the field is of a single request, for any caller.
    package var isOfRequest: Bool { Self.ofRequests.contains(canonicalName) }

    /// Whether it sets a condition, or selects a part of the reply.
    var isCondition: Bool { Self.conditions.contains(canonicalName) }

    package var isIdentifying: Bool { hasWord(of: Self.identifying) }

    /// Whether the value is constant for an account, and differs between accounts.
    var isOfAccount: Bool { isIdentifying && !hasWord(of: Self.changing) }

    private func hasWord(of words: Set<String>) -> Bool {
        guard self != .userAgent, canonicalName != "idempotency-key" else { return false }
        return canonicalName.split { $0 == "-" || $0 == "_" }.contains { words.contains(String($0)) }
    }
}
