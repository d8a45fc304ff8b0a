public import Foundation
public import HTTPTypes
import JSONBytes
import ObjectStore
public import RESTTransport

// Requests that are about no model. They need no store, and have all that the API's other requests have: base URL,
// middleware, credentials, headers, query, limits.

extension API {
    /// Sends a request of your own through the API's middleware, with its credentials, retries and limits.
    ///
    /// ```swift
    /// let response = try await api.send(APIRequest(.options, "https://api.example.com/files"))
    /// ```
    ///
    /// It has the API's ``headers`` where its URL is of the API's own origin; ``query`` is not added.
    ///
    /// - Returns: the reply, whatever its status.
    /// - Throws: ``TransportError`` when there is no reply.
    public func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
        var request = request
        addHeaders(to: &request)
        return try await pass(request)
    }

    /// Sends a request, and returns the response to it.
    ///
    /// ```swift
    /// try await api.send(.post, "/uploads", body: .multipart([.file(url), .field("title", "Sunset")])) {
    ///     $0.progress = { print($0.fraction ?? 0) }
    /// }
    /// ```
    ///
    /// Nothing is stored. A body from a file or stream may take as long as bytes move (``APIRequest/timeout``).
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - template: a path below the API's base URL, or an absolute URL, with `:name` or an interpolated value in each
    ///     place that changes.
    ///   - values: the values of the names.
    ///   - query: parameters that are added to the URL.
    ///   - body: the request's body; nil for none.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the response, whose status is one of 200 to 299.
    /// - Throws: ``APIError/reply(_:)`` for any other status; ``APIError/transport(_:)`` without a response;
    ///   ``APIError/route(_:)`` for a URL that can't be made.
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

    /// Fetches bytes: an image, a document, whatever the server has at a URL.
    ///
    /// ```swift
    /// let png = try await api.data("/users/:login/avatar", ["login": "octocat"])
    /// ```
    ///
    /// - Returns: the body of the response, decompressed. It must fit in memory, and in the transport's limit; for
    ///   larger ones there is ``download(_:_:query:to:resumes:progress:with:)``.
    /// - Throws: as ``send(_:_:_:query:body:with:)``.
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

    /// Fetches JSON of any form, without a model.
    ///
    /// ```swift
    /// let limits: JSONValue = try await api.json("/rate_limit")
    /// let hooks: [Hook] = try await api.json("/repos/:owner/:name/hooks", ["owner": "octocat", "name": "hello"])
    /// ```
    ///
    /// - Returns: the value, as `JSONDecoder` reads it; dates as ISO 8601. ``JSONValue`` takes any JSON.
    /// - Throws: as ``send(_:_:_:query:body:with:)``; ``APIError/body(_:_:)`` for what is not JSON, and
    ///   ``APIError/unread(_:_:)`` with a `DecodingError` for JSON of another form.
    public nonisolated(nonsending) func json<Value: Decodable & Sendable>(
        _ template: URLTemplate, _ values: [String: any RouteValueConvertible] = [:], query: RouteQuery = [:],
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Value {
        try await json(.get, template, values, query: query, with: settings)
    }

    /// Sends a request, and reads the JSON of the reply.
    ///
    /// ```swift
    /// let hook: Hook = try await api.json(.post, "/hooks", body: .json(["url": url]))
    /// ```
    ///
    /// - Throws: as ``json(_:_:query:with:)``.
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
        decoder.dateDecodingStrategy = .iso8601
        do { return try decoder.decode(Value.self, from: Data(response.body)) } catch { throw .unread(error, summary) }
    }

    /// Fetches a file and stores it on disk, without having it in memory.
    ///
    /// ```swift
    /// try await api.download("/films/:id", ["id": 7], to: file) { print($0.fraction ?? 0) }
    /// ```
    ///
    /// The bytes come into a hidden file beside `file`, which takes its place once it is whole. When the download fails
    /// or is cancelled, nothing is left there, and a file that was there before is as it was. A connection that breaks
    /// is taken up where it broke, if the server has ranges (``ResumeDownloads``).
    ///
    /// It may take as long as bytes come: ``timeout`` is the longest time without one.
    ///
    /// - Parameters:
    ///   - template: a path below the API's base URL, or an absolute URL.
    ///   - values: the values of the template's names.
    ///   - query: parameters that are added to the URL.
    ///   - file: where the file is to be, in a folder that exists.
    ///   - resumes: whether a part that came is kept when the download fails, as a hidden file beside `file`, and the
    ///     next download to the same place asks for the rest only. Of several downloads to one place at once the first
    ///     has the part.
    ///   - progress: called as bytes come, on no particular actor.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the head of the response.
    /// - Throws: as ``send(_:_:_:query:body:with:)``; ``TransportError/Reason/unwritableFile(_:)`` when the disk is
    ///   full.
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

    /// Makes URLs and requests without a store.
    private func client() throws(APIError) -> APIClient { try .withoutModels(self) }
}

/// Where a download goes, and who is told of its progress.
struct DownloadTarget {
    let file: URL
    /// Whether the part that came is kept when it fails.
    let keepsPart: Bool
    let progress: (@Sendable (TransferProgress) -> Void)?
}

extension APIClient {
    /// Sends a request whose reply goes to a file.
    nonisolated(nonsending) func download(
        _ draft: RequestDraft, to target: DownloadTarget
    ) async throws(APIError) -> ResponseHead {
        var request = try request(draft)
        // A compressed body could not be resumed, and its length is unknown.
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

    /// A digest of what decides which file a request gets: its URL and header fields, which may be secret.
    private static func resource(of request: APIRequest) -> String {
        let fields = request.headerFields.map { "\($0.name.canonicalName): \($0.value)" }.sorted()
        return AnswerDigest(([request.url.absoluteString] + fields).joined(separator: "\n")).text
    }

    /// A request to a URL of the caller's own, with the settings of the running calls.
    fileprivate func request(
        _ method: HTTPRequest.Method = .get, to template: URLTemplate, _ values: [String: any RouteValueConvertible],
        query: RouteQuery, body: RequestBody? = nil
    ) throws(APIError) -> APIRequest {
        let url = try callURL(try RequestURL(template, values, at: self), query: query)
        return try request(RequestDraft(method: method, url: url, body: .own(body), call: .current))
    }

    /// Sends a request that is about no model.
    ///
    /// - Returns: the response, as the call's reader has read it.
    /// - Throws: ``APIError/transport(_:)``, and ``APIError/reply(_:)`` for one that isn't a success.
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
