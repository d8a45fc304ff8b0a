import HTTPTypes
import RESTTransport
import Testing

/// Header fields that identify the request or the account.
@Suite struct FieldIdentityTests {
    @Test(arguments: [
        "traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId", "X-B3-SpanId", "X-B3-ParentSpanId",
        "X-B3-Sampled", "X-B3-Flags", "uber-trace-id", "sentry-trace", "X-Amzn-Trace-Id", "X-Cloud-Trace-Context",
        "x-datadog-trace-id", "x-datadog-parent-id", "x-datadog-sampling-priority", "x-datadog-origin",
        "x-datadog-tags", "newrelic", "elastic-apm-traceparent", "ot-tracer-traceid", "ot-tracer-spanid",
        "ot-tracer-sampled", "X-INSTANA-T", "X-INSTANA-S", "X-INSTANA-L", "in-memory-trace-id", "in-memory-span-id",
        "X-Request-ID", "X-Correlation-ID", "Date", "Idempotency-Key",
    ])
    func `A field that identifies one request is recognized as the request's own`(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(name.isOfRequest)
    }

    @Test(arguments: ["Authorization", "X-API-Key", "Accept", "Accept-Language", "X-Tenant", "User-Agent"])
    func `A field that replies may depend on isn't recognized as the request's own`(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(!name.isOfRequest)
    }
}
