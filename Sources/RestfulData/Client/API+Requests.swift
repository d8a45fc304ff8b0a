public import Foundation
public import HTTPTypes
import JSONBytes
import ObjectStore
public import RESTTransport

// Requests apart from models and stores.

extension API {
    /// Sends a request of your own through the API's middleware, with its credentials, retries and limits.
    ///
    /// ```swift
    /// let response = try await api.send(APIRequest(.options, "https://api.example.com/files"))
    /// ```
    ///
    /// It gets the API's ``headers`` if its URL has the API's origin, but not its ``query``.
    ///
    /// - Returns: The reply, of any status.
    /// - Throws: ``TransportError`` if the reply is missing.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        var request = request
        addHeaders(to: &request)
        return try await pass(request)
    }

    /// Sends a request, and returns its response.
    ///
    /// ```swift
    /// try await api.send(.post, "/uploads", body: .multipart([.file(url), .field("title", "Sunset")])) {
    ///     $0.progress = { print($0.fraction ?? 0) }
    /// }
    /// ```
    ///
    /// The reply stays out of the store. A body from a file or stream may take longer than the timeout
    /// (``APIRequest/timeout``).
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - template: a path below the base URL, or an absolute URL, with `:name` or an interpolated value for each
    ///     variable.
    ///   - values: the values of the names.
    ///   - query: parameters that are added to the URL's query.
    ///   - body: the request's body; nil for none.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: the response, with status 200 to 299.
    /// - Throws: ``APIError/reply(_:)`` for any other status; ``APIError/transport(_:)`` if the response is missing;
    ///   ``APIError/route(_:)`` for an invalid URL.
    @discardableResult
    public nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: RequestBody? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) -> APIResponse {
        try await Call.with(settings) { () async throws(APIError) in
            let client = try client()
            return try await client.response(
                to: try client.request(method, to: template, values, query: query, body: body))
        }
    }

    /// Fetches bytes, such as an image or a document.
    ///
    /// ```swift
    /// let png = try await api.data("/users/:login/avatar", ["login": "octocat"])
    /// ```
    ///
    /// - Returns: the decompressed body, within the transport's limit. For larger bodies, use
    ///   ``download(_:_:query:to:resumes:progress:with:)``.
    /// - Throws: ``APIError``, as ``send(_:_:_:query:body:with:)``.
    public nonisolated(nonsending) func data(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Data {
        try await Call.with(settings) { () async throws(APIError) in
            let client = try client()
            var request = try client.request(to: template, values, query: query)
            if !request.headerFields.contains(.accept) { request.headerFields[.accept] = "*/*" }
            return Data(try await client.response(to: request).body)
        }
    }

    /// Fetches JSON of any form.
    ///
    /// ```swift
    /// let limits: JSONValue = try await api.json("/rate_limit")
    /// let hooks: [Hook] = try await api.json("/repos/:owner/:name/hooks", ["owner": "octocat", "name": "hello"])
    /// ```
    ///
    /// - Returns: the value by `JSONDecoder`, with dates as ISO 8601. ``JSONValue`` takes any JSON.
    /// - Throws: ``APIError``, as ``send(_:_:_:query:body:with:)``; ``APIError/body(_:_:)`` for invalid JSON, and
    ///   ``APIError/unread(_:_:)`` with a `DecodingError` for JSON of another type.
    public nonisolated(nonsending) func json<Value: Decodable & Sendable>(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Value {
        try await json(.get, template, values, query: query, with: settings)
    }

    /// Sends a request, and decodes the JSON of the reply.
    ///
    /// ```swift
    /// let hook: Hook = try await api.json(.post, "/hooks", body: .json(["url": url]))
    /// ```
    ///
    /// - Throws: ``APIError``, as ``json(_:_:query:with:)``.
    public nonisolated(nonsending) func json<Value: Decodable & Sendable>(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: RequestBody? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Value {
        try await Self.decoded(try await send(method, template, values, query: query, body: body, with: settings))
    }

    @concurrent
    static func decoded<Value: Decodable & Sendable>(_ response: APIResponse) async throws(APIError) -> Value {
        let summary = RequestSummary(response.request)
        if let error = JSONError(readingFrom: response.body) { throw APIError(error, response) }
        if Value.self == JSONValue.self, let value = JSONValue(response.body) as? Value { return value }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in try Self.date(from: decoder) }
        do { return try decoder.decode(Value.self, from: Data(response.body)) } catch { throw .unread(error, summary) }
    }

    /// The strategy of all decoders for dates. Reads days and fractions of a second. Foundation's own strategy refuses
    /// days, and fractions before macOS 26 and iOS 26.
    package static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        let styles: [Date.ISO8601FormatStyle] =
            text.utf8.count == "2026-11-23".utf8.count
            ? [Date.ISO8601FormatStyle().year().month().day()]
            : [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        for style in styles {
            if let date = try? style.parse(text) { return date }
        }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "the text is no date in ISO 8601")
    }

    /// Downloads a file to disk.
    ///
    /// ```swift
    /// try await api.download("/films/:id", ["id": 7], to: file) { print($0.fraction ?? 0) }
    /// ```
    ///
    /// The bytes go to a hidden file beside `file`, which replaces `file` once complete, and is deleted if the download
    /// fails or is cancelled. After a lost connection, the download continues if the server supports ranges
    /// (``ResumeDownloads``). ``timeout`` limits the pauses between bytes.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL.
    ///   - values: the values of the template's names.
    ///   - query: parameters that are added to the URL's query.
    ///   - file: the file to write, in a folder that exists.
    ///   - resumes: whether a failed download keeps its hidden file, so that the next one to `file` requests the rest
    ///     only. Of concurrent downloads to one file, the first uses it.
    ///   - progress: called as bytes arrive, on no particular actor.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: the head of the response.
    /// - Throws: ``APIError``, as ``send(_:_:_:query:body:with:)``. ``TransportError/Reason/unwritableFile(_:)`` if the
    ///   disk is full.
    @discardableResult
    public nonisolated(nonsending) func download(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        to file: URL, resumes: Bool = false,
        progress: (@Sendable (TransferProgress) -> Void)? = nil, with settings: Call.Settings? = nil
    ) async throws(APIError) -> ResponseHead {
        let target = DownloadTarget(file: file, keepsPart: resumes, progress: progress)
        return try await Call.with(settings) { () async throws(APIError) in
            let client = try client()
            let url = try client.callURL(try RequestURL(template, values, at: client), query: query)
            return try await client.download(RequestDraft(method: .get, url: url, call: .current), to: target)
        }
    }

    /// The events that a server sends over a connection that stays open: server-sent events, or JSON lines.
    ///
    /// ```swift
    /// for try await event in api.stream("/events") {
    ///     try await context.import(Issue.self, from: event, ifNewer: \.updatedAt)
    /// }
    /// ```
    ///
    /// Iteration sends the request. Events aren't stored. ``EventStream`` describes the end and the failure of a
    /// connection.
    ///
    /// By default, the request has `Cache-Control: no-cache`, and an `Accept` for the ``StreamOptions/format`` or
    /// `text/event-stream`. ``Call/timeout`` is the longest time until the head of a reply. ``Call/reading`` and
    /// ``MapResponse`` don't see the body of a stream.
    ///
    /// - Parameters:
    ///   - template: a path below the base URL, or an absolute URL.
    ///   - values: the values of the template's names.
    ///   - query: parameters that are added to the URL.
    ///   - lastEventID: The ``EventStream/lastEventID`` of an earlier stream, to continue after it.
    ///   - options: how the stream is read, and whether it connects again.
    ///   - settings: the ``Call`` of each connection.
    /// - Returns: the stream. Its iterator throws all errors.
    public func stream(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        after lastEventID: String? = nil, options: StreamOptions = StreamOptions(), with settings: Call.Settings? = nil
    ) -> EventStream {
        stream(
            .get, template, values, query: query, body: nil, after: lastEventID, options: options, with: settings)
    }

    /// The events by which a server answers a request with a body, such as a text word by word.
    ///
    /// ```swift
    /// let answer = api.stream(.post, "/chat", body: try .json(["prompt": "Why is the sky blue?"]))
    /// for try await event in answer { print(event.data) }
    /// ```
    ///
    /// It is sent once. The end of the connection ends the stream; its loss is
    /// ``TransportError/Reason/connectionLost``. To reconnect, set ``StreamOptions/reconnects``.
    public func stream(
        _ method: HTTPRequest.Method, _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:],
        query: RouteQuery = [:], body: RequestBody? = nil, after lastEventID: String? = nil,
        options: StreamOptions = StreamOptions(), with settings: Call.Settings? = nil
    ) -> EventStream {
        let source: Result<EventSource, APIError>
        do throws(APIError) {
            source = .success(
                try Call.with(Call.current(changedBy: settings)) { () throws(APIError) in
                    let client = try client()
                    let url = try client.callURL(try RequestURL(template, values, at: client), query: query)
                    let draft = RequestDraft(method: method, url: url, body: .own(body), call: .current)
                    return EventSource(client: client, draft: draft, options: options)
                })
        } catch {
            source = .failure(error)
        }
        return EventStream(source, after: lastEventID ?? "")
    }

    private func client() throws(APIError) -> APIClient { try .withoutModels(self) }
}

struct DownloadTarget {
    let file: URL
    let keepsPart: Bool
    let progress: (@Sendable (TransferProgress) -> Void)?
}

extension APIClient {
    nonisolated(nonsending) func download(
        _ draft: RequestDraft, to target: DownloadTarget
    ) async throws(APIError) -> ResponseHead {
        var request = try request(draft)
        // Resuming needs an uncompressed body, and progress its length.
        for (name, value) in [(HTTPField.Name.accept, "*/*"), (.acceptEncoding, "identity")]
        where !request.headerFields.contains(name) {
            request.headerFields[name] = value
        }
        let download: DownloadFile
        do {
            download = try DownloadFile(
                target.file, of: Self.resource(of: request), keepingPart: target.keepsPart,
                progress: target.progress ?? draft.call.progress)
        } catch {
            throw .transport(TransportError(unwritable: error, request))
        }
        request.transfer = download.transfer
        let response: APIResponse
        do throws(APIError) { response = try await self.response(to: request) } catch {
            download.abandon()
            throw error
        }
        do throws(TransportError) {
            try download.finish(response.file == nil ? response.body : nil, of: request)
        } catch {
            throw .transport(error)
        }
        return ResponseHead(response)
    }

    /// A digest, since URL and header fields may be secret.
    private static func resource(of request: APIRequest) -> String {
        let fields = request.headerFields.map { "\($0.name.canonicalName): \($0.value)" }.sorted()
        return AnswerDigest(([request.url.absoluteString] + fields).joined(separator: "\n")).text
    }

    fileprivate func request(
        _ method: HTTPRequest.Method = .get, to template: URLTemplate, _ values: [String: any RouteValueConvertible],
        query: RouteQuery, body: RequestBody? = nil
    ) throws(APIError) -> APIRequest {
        let url = try callURL(try RequestURL(template, values, at: self), query: query)
        return try request(RequestDraft(method: method, url: url, body: .own(body), call: .current))
    }

    /// - Throws: ``APIError/transport(_:)``; ``APIError/reply(_:)`` for a failure.
    fileprivate nonisolated(nonsending) func response(to request: APIRequest) async throws(APIError) -> APIResponse {
        let response: APIResponse
        do throws(TransportError) {
            response = try await api.pass(request)
            try response.checkEncoding()
        } catch {
            throw .transport(error)
        }
        CallScope.current?.responses?.add(ResponseHead(response))
        guard response.isSuccess else { throw .reply(await ReplyError.read(response, FieldNames(nil, schema))) }
        guard let reader = CallScope.current?.call.reading else { return response }
        return try await reader(response)
    }
}
