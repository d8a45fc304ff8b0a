import Foundation
import HTTPTypes
import InMemoryTracing
import RESTTransport
import RestfulDataMetrics
import TestSupport
import Testing
import Tracing

/// The spans of `RequestTracing`, and the header fields with their ids.
@Suite struct RequestTracingTests {
    private let tracer = InMemoryTracer()
    private let time = FakeTime()

    private var tracing: RequestTracing { RequestTracing(tracer: tracer) }
    private var span: FinishedInMemorySpan {
        get throws { try #require(tracer.finishedSpans.first) }
    }

    /// The attributes of a span, as text.
    private func attributes(_ span: FinishedInMemorySpan) -> [String: String] {
        var texts: [String: String] = [:]
        let note: (String, SpanAttribute) -> Void = { name, value in texts[name] = "\(value)" }
        span.attributes.forEach(note)
        return texts
    }

    private func text(_ attribute: SpanAttribute) -> String { "\(attribute)" }

    @Test func `A reply is recorded as a client span with the conventional attributes`() async throws {
        let stub = Stub { _, request in
            var reply = APIResponse(HTTPResponse(status: .ok), to: request)
            reply.phases.httpVersion = "HTTP/1.1"
            return reply
        }
        await stub.send(.get()) { tracing }
        let span = try span
        #expect(span.operationName == "GET User")
        #expect(span.kind == .client)
        #expect(span.status == nil)
        #expect(span.errors.isEmpty)
        #expect(
            attributes(span) == [
                "http.request.method": text(.string("GET")), "restfuldata.model": text(.string("User")),
                "url.full": text(.string("https://api.example.com/v1/users/7")),
                "server.address": text(.string("api.example.com")), "server.port": text(.int64(443)),
                "http.response.status_code": text(.int64(200)), "network.protocol.version": text(.string("1.1")),
            ])
        #expect(tracer.finishedSpans.count == 1)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `The span of a request without a model is named for its method`() async throws {
        await Stub(.ok).send(.get(model: nil)) { tracing }
        #expect(try span.operationName == "GET")
    }

    @Test(arguments: [400, 404, 500, 503])
    func `An error reply sets the span's status and records no error`(status: Int) async throws {
        await Stub(.init(code: status)).send(.get()) { tracing }
        let span = try span
        #expect(span.status == SpanStatus(code: .error))
        #expect(attributes(span)["error.type"] == text(.string("\(status)")))
        #expect(attributes(span)["http.response.status_code"] == text(.int64(Int64(status))))
        #expect(span.errors.isEmpty)
    }

    @Test(
        arguments: [
            (.connectionRefused, "connection_refused"), (.cancelled, "cancelled"),
            (.timedOut(after: .seconds(1)), "timeout"),
        ] as [(TransportError.Reason, String)])
    func `The span of a request without a reply records its error`(reason: TransportError.Reason, type: String)
        async throws
    {
        await Stub(failing: reason).send(.get()) { tracing }
        let span = try span
        #expect(span.status == SpanStatus(code: .error, message: reason.description))
        #expect(attributes(span)["error.type"] == text(.string(type)))
        #expect(attributes(span)["http.response.status_code"] == nil)
        #expect(span.errors.map { ($0.error as? TransportError)?.reason } == [reason])
    }

    @Test func `A cancelled task's span ends`() async throws {
        let (tracing, asked) = (tracing, AsyncStream<Void>.makeStream())
        let stub = Stub { _, request throws(TransportError) in
            asked.continuation.yield()
            await untilCancelled()
            throw TransportError(.cancelled, request)
        }
        let sending = Task { await stub.send(.get()) { tracing } }
        for await _ in asked.stream { break }
        sending.cancel()
        await sending.value
        #expect(attributes(try span)["error.type"] == text(.string("cancelled")))
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `Inside of Retry each attempt has a counted span, outside of it one span covers all`() async throws {
        let outer = InMemoryTracer()
        await Stub(.serviceUnavailable, .serviceUnavailable, .ok).send(.get()) {
            RequestTracing(tracer: outer)
            Retry(time: time.source)
            tracing
        }
        #expect(outer.finishedSpans.count == 1)
        #expect(attributes(try #require(outer.finishedSpans.first))["http.request.resend_count"] == nil)
        #expect(
            tracer.finishedSpans.map { attributes($0)["http.request.resend_count"] } == [
                nil, text(.int64(1)), text(.int64(2)),
            ])
        let parent = try #require(outer.finishedSpans.first).spanID
        #expect(tracer.finishedSpans.map(\.parentSpanID) == [parent, parent, parent])
    }

    @Test func `The span of a request repeated with a renewed token counts as resent`() async throws {
        await Stub(.unauthorized, .ok).send(.get()) {
            BearerToken { rejected in rejected == nil ? "first" : "second" }
            tracing
        }
        #expect(
            tracer.finishedSpans.map { attributes($0)["http.request.resend_count"] } == [nil, text(.int64(1))])
    }

    @Test func `A request's span is the caller's child and the parent of inner spans`() async throws {
        struct Inner: Middleware {
            let tracer: InMemoryTracer

            func intercept(_ request: APIRequest, next: Next) async throws(TransportError) -> APIResponse {
                tracer.startSpan("inner").end()
                return try await next(request)
            }
        }
        let caller = tracer.startSpan("caller")
        await ServiceContext.$current.withValue(caller.context) {
            await Stub(.ok).send(.get()) {
                tracing
                Inner(tracer: tracer)
            }
        }
        caller.end()
        let spans = tracer.finishedSpans
        #expect(spans.map(\.operationName) == ["inner", "GET User", "caller"])
        #expect(spans.map(\.parentSpanID) == [spans[1].spanID, spans[2].spanID, nil])
        #expect(Set(spans.map(\.traceID)).count == 1)
    }

    @Test func `A span's ids are sent to the API and to no other server`() async throws {
        let (traceID, spanID) = (
            try #require(HTTPField.Name(InMemoryTracer.traceIDKey)),
            try #require(HTTPField.Name(InMemoryTracer.spanIDKey))
        )
        let stub = Stub(.ok)
        await stub.send(.get(), try APIRequest(.get, "https://cdn.example.com/image")) { tracing }
        let span = try span
        #expect(stub.requests[0].headerFields == [traceID: span.traceID, spanID: span.spanID])
        #expect(stub.requests[0].credentialFields == [traceID, spanID])
        #expect(stub.requests[1].headerFields == [:])
        #expect(tracer.finishedSpans.count == 2)
    }

    @Test func `A redirect to another server removes the span's ids`() async throws {
        let stub = Stub { number, request in
            let moved = HTTPResponse(status: .temporaryRedirect, headerFields: [.location: "https://b.example.com/"])
            return APIResponse(number == 0 ? moved : HTTPResponse(status: .ok), to: request)
        }
        await stub.send(.get()) {
            tracing
            FollowRedirects()
        }
        #expect(stub.requests.map(\.headerFields.count) == [2, 0])
    }

    @Test func `The span of an answer of the store is marked, and a probe has no span`() async throws {
        let reasons: [APIResponse.Unsent] = [.stored, .probe, .notStored]
        let stub = Stub { number, request in .unsent(request, reasons[number]) }
        var probe = APIRequest.get()
        probe.chainState.isProbe = true
        await stub.send(.get(), probe, .get()) { tracing }
        #expect(
            tracer.finishedSpans.map { attributes($0)["restfuldata.unsent"] } == [
                text(.string("stored")), text(.string("not_stored")),
            ])
        #expect(tracer.finishedSpans.allSatisfy { attributes($0)["http.response.status_code"] == nil })
        #expect(tracer.finishedSpans.allSatisfy { $0.status == nil })
        #expect(tracer.performedContextInjections.count == 2)
    }

    @Test func `Twenty concurrent requests have twenty spans`() async throws {
        let chain = TransportChain(api: Stub.api, transport: Stub(.ok)) { tracing }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await chain.send(.get()) } }
            try await group.waitForAll()
        }
        #expect(Set(tracer.finishedSpans.map(\.spanID)).count == 20)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `No span contains a secret`() async throws {
        let method = try #require(HTTPRequest.Method("S3CR3T"))
        let request = try APIRequest(
            .post, "https://api.example.com/v1?access_token=s3cr3t&page=2#s3cr3t",
            headerFields: [.authorization: "Bearer s3cr3t"], body: .text("s3cr3t"))
        await Stub(.forbidden).send(request) { tracing }
        await Stub(failing: .connectionLost).send(request) { tracing }
        for span in tracer.finishedSpans {
            let shown = "\(span.operationName) \(attributes(span)) \(span.errors) \(String(describing: span.status))"
            #expect(!shown.contains("s3cr3t"))
            #expect(
                attributes(span)["url.full"]
                    == text(.string("https://api.example.com/v1?access_token=REDACTED&page=2")))
        }
        tracer.clearFinishedSpans()
        await Stub(.ok).send(APIRequest(method, Stub.api)) { tracing }
        #expect(try span.operationName == "HTTP")
        #expect(attributes(try span)["http.request.method"] == text(.string("_OTHER")))
    }

    #if !canImport(Darwin)
        /// In a process of its own: a program sets its tracer up once.
        @Test func `Without a tracer, spans go to the program's, and the client adds none`() async {
            await #expect(processExitsWith: .success) {
                let tracing = RequestTracing()
                let tracer = InMemoryTracer()
                InstrumentationSystem.bootstrap(tracer)
                let url = try #require(URL(string: "http://127.0.0.1:1/?token=s3cr3t"))
                let chain = TransportChain(api: url, transport: HTTPTransport()) { tracing }
                _ = try? await chain.send(APIRequest(.get, url))
                #expect(tracer.finishedSpans.map(\.operationName) == ["GET"])
                #expect(tracer.activeSpans.isEmpty)
            }
        }
    #endif
}
