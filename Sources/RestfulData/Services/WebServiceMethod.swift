public import Foundation
import HTTPTypes
import JSONBytes
public import ObjectStore
public import RESTTransport
import ServiceFiles

/// A method of a ``WebService``, which is called like a function.
///
/// The arguments are values, models, data, files, or anything that is `Encodable`, in the order of the file's
/// indicators. The result is of the type that you declare.
public struct WebServiceMethod: Sendable {
    let api: API
    let content: Result<(ServiceMethod, ReplyReader?), WebServiceError>

    /// Sends the request.
    ///
    /// ```swift
    /// try await service.ping()
    /// ```
    ///
    /// - Parameters:
    ///   - arguments: the values of the file's indicators.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the response, whose status is one of 200 to 299.
    /// - Throws: ``APIError/service(_:)`` for an unknown method, or arguments that don't fit; ``APIError`` as
    ///   ``API/send(_:_:_:query:body:with:)``.
    @discardableResult
    public nonisolated(nonsending) func callAsFunction(
        _ arguments: Any?..., with settings: Call.Settings? = nil
    ) async throws(APIError) -> APIResponse {
        try await response(to: try request(arguments), with: settings)
    }

    /// Sends the request, and returns the reply: `Data` and `String` as it is, all other types as `JSONDecoder` reads
    /// them.
    ///
    /// ```swift
    /// let png: Data = try await images.image("cat.png")
    /// let limits: JSONValue = try await service.rateLimit()
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

    /// Downloads to a file, without having it in memory.
    ///
    /// - Parameters:
    ///   - arguments: the values of the file's indicators.
    ///   - file: where the file is to be, in a folder that exists.
    ///   - progress: called as bytes come, on no particular actor.
    ///   - settings: the call's own ``Call``.
    /// - Returns: `file`.
    /// - Throws: as ``API/download(_:_:query:to:resumes:progress:with:)``, which says what is left when it fails.
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

    /// Sends the request, and imports the objects of the reply.
    ///
    /// ```swift
    /// let users: [User] = try await service.usersList(in: store.main)
    /// ```
    ///
    /// - Parameters:
    ///   - arguments: the values of the file's indicators.
    ///   - context: where the objects are to live; its store has the service's API.
    ///   - settings: the call's own ``Call``.
    /// - Returns: the objects in the server's order.
    /// - Throws: as `fetchAll`.
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

    /// Sends the request, and imports the object of the reply.
    ///
    /// ```swift
    /// let user: User = try await service.user("octocat", in: store.main)
    /// ```
    ///
    /// - Throws: as `fetch`; ``APIError/noObject(model:_:_:)`` for a reply without such an object.
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

    /// Sends the request, and imports the models of the reply, which is of a type of your own.
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
            return try ServiceRequest(method, arguments, reader: reader, as: api.conventions.values)
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

    /// The way from a context's store to the service's API.
    ///
    /// - Parameter index: the API of what the reply has.
    private func client(in context: ObjectContext, of index: APIIndex) throws(APIError) -> APIClient {
        let client = try context.clients()[index]
        guard client.api.identity == api.identity else {
            throw .service(.otherAPI(service: "\(api)", store: "\(client.api)"))
        }
        return client
    }
}

extension ServiceRequest {
    /// The settings of its call, which the caller's own change.
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

    /// A round trip with the request of a method, whose reply has objects of a model.
    fileprivate func roundTrip<M: Model>(
        _ request: ServiceRequest, about type: M.Type, asking content: Reply.Content, in context: ObjectContext
    ) throws(APIError) -> RoundTrip {
        roundTrip(
            request.method, try url(of: request), body: .own(request.body), about: try context.model(type),
            asking: content, in: context)
    }
}
