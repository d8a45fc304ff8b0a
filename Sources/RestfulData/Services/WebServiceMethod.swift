public import Foundation
import HTTPTypes
import JSONBytes
public import ObjectStore
public import RESTTransport
import ServiceFiles

/// A method of a ``WebService``, which you call like a function.
///
/// The arguments are values, models, data, files, or `Encodable` values, in the order of the file's indicators.
public struct WebServiceMethod: Sendable {
    let api: API
    let content: Result<(ServiceMethod, ReplyReader?), WebServiceError>

    /// Sends the request.
    ///
    /// - Returns: the response, with status 200 to 299.
    /// - Throws: ``APIError/service(_:)`` for an unknown method, or invalid arguments; otherwise as
    ///   ``API/send(_:_:_:query:body:with:)``.
    @discardableResult
    public nonisolated(nonsending) func callAsFunction(
        _ arguments: Any?..., with settings: Call.Settings? = nil
    ) async throws(APIError) -> APIResponse {
        try await response(to: try request(arguments), with: settings)
    }

    /// Sends the request, and returns the reply's body: as `Data`, as `String`, or decoded by `JSONDecoder`.
    ///
    /// ```swift
    /// let png: Data = try await images.image("cat.png")
    /// ```
    public nonisolated(nonsending) func callAsFunction<Value: Decodable & Sendable>(
        _ arguments: Any?..., with settings: Call.Settings? = nil
    ) async throws(APIError) -> Value {
        let response = try await response(to: try request(arguments), with: settings)
        if Value.self == Data.self, let data = Data(response.body) as? Value { return data }
        if Value.self == String.self, let text = String(decoding: response.body, as: UTF8.self) as? Value {
            return text
        }
        return try await API.decoded(response)
    }

    /// Downloads the reply's body to a file.
    ///
    /// - Parameters:
    ///   - arguments: the values of the file's indicators.
    ///   - file: the file to write, in a folder that exists.
    ///   - progress: called as bytes arrive, on no particular actor.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: `file`.
    /// - Throws: ``APIError``, as ``API/download(_:_:query:to:resumes:progress:with:)``, with its effects of a failure.
    @discardableResult
    public nonisolated(nonsending) func callAsFunction(
        _ arguments: Any?..., to file: URL, progress: (@Sendable (TransferProgress) -> Void)? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> URL {
        let request = try request(arguments)
        let target = DownloadTarget(file: file, keepsPart: false, progress: progress)
        try await Call.with(request.settings(then: settings)) { () async throws(APIError) in
            let client = try APIClient.withoutModels(api)
            let draft = RequestDraft(
                method: request.method, url: try client.url(of: request), body: .own(request.body), call: .current)
            _ = try await client.download(draft, to: target)
        }
        return file
    }

    /// Sends the request, and imports the objects in the reply.
    ///
    /// - Parameters:
    ///   - arguments: the values of the file's indicators.
    ///   - context: the context of the objects. Its store must have the service's API.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: the objects in the server's order.
    /// - Throws: ``APIError``, as `fetchAll`; ``APIError/service(_:)`` as for other results.
    @discardableResult
    public nonisolated(nonsending) func callAsFunction<M: Model>(
        _ arguments: Any?..., in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> [M] {
        let request = try request(arguments)
        let client = try client(in: context, of: try context.model(M.self).api)
        let settings = request.settings(then: settings)
        if request.method == .get {
            return try await M.fetchAll(request.path, query: request.query, in: context, with: settings)
        }
        return try await Call.with(settings) { () async throws(APIError) in
            try await client.roundTrip(request, about: M.self, asking: .list, in: context).fetchObjects(M.self)
        }
    }

    /// Sends the request, and imports the object in the reply.
    ///
    /// - Throws: ``APIError``, as `fetch`.
    public nonisolated(nonsending) func callAsFunction<M: Model>(
        _ arguments: Any?..., in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> M {
        let request = try request(arguments)
        let client = try client(in: context, of: try context.model(M.self).api)
        let settings = request.settings(then: settings)
        if request.method == .get {
            return try await M.fetch(request.path, query: request.query, in: context, with: settings)
        }
        return try await Call.with(settings) { () async throws(APIError) in
            try await client.roundTrip(request, about: M.self, asking: .object, in: context).fetchObject(M.self)
        }
    }

    /// Sends the request, and imports the models in the replyof your response type.
    public nonisolated(nonsending) func callAsFunction<Body: ResponseBody>(
        _ arguments: Any?..., in context: ObjectContext, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Body {
        let request = try request(arguments)
        _ = try client(in: context, of: try context.client(for: Body.self).index)
        return try await Body.send(
            request.method, request.path, query: request.query, body: request.body, in: context,
            with: request.settings(then: settings))
    }

    // MARK: The request

    private func request(_ arguments: [Any?]) throws(APIError) -> ServiceRequest {
        let (method, reader): (ServiceMethod, ReplyReader?)
        do { (method, reader) = try content.get() } catch { throw .service(error) }
        do throws(ServiceCallMistake) {
            return try ServiceRequest(method, arguments, reader: reader, by: api.conventions)
        } catch {
            throw .service(.arguments(signature: method.signature, reason: error.reason))
        }
    }

    private nonisolated(nonsending) func response(
        to request: ServiceRequest, with settings: Call.Settings?
    ) async throws(APIError) -> APIResponse {
        try await api.send(
            request.method, request.path, query: request.query, body: request.body,
            with: request.settings(then: settings))
    }

    /// - Parameter index: the API of the reply's models.
    private func client(in context: ObjectContext, of index: APIIndex) throws(APIError) -> APIClient {
        let client = try context.clients()[index]
        guard client.api.identity == api.identity else {
            throw .service(.otherAPI(service: "\(api)", store: "\(client.api)"))
        }
        return client
    }
}

extension ServiceRequest {
    fileprivate func settings(then settings: Call.Settings?) -> Call.Settings {
        { call in
            apply(to: &call)
            try settings?(&call)
        }
    }
}

extension APIClient {
    fileprivate func url(of request: ServiceRequest) throws(APIError) -> RequestURL {
        try callURL(try RequestURL(request.path, [:], at: self), query: request.query)
    }

    fileprivate func roundTrip<M: Model>(
        _ request: ServiceRequest, about type: M.Type, asking content: Reply.Content, in context: ObjectContext
    ) throws(APIError) -> RoundTrip {
        roundTrip(
            request.method, try url(of: request), body: .own(request.body), about: try context.model(type),
            asking: content, in: context)
    }
}
