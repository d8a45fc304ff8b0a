public import HTTPTypes
public import ObjectStore
public import RESTTransport

extension Model {
    /// Sends a request of your own about this object, and imports the object in the reply.
    ///
    /// ```swift
    /// try await status.send(.post, "/statuses/:id/favourite")
    /// ```
    ///
    /// Pending edits stay. A reply with another object of the model is imported as that object, and returned. Other
    /// replies, such as 204, leave the store unchanged. This waits for requests in flight about this object.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - template: a path below the base URL, or an absolute URL. A name takes its value from this object: `:id`,
    ///     `:owner.login`. Interpolate others.
    ///   - query: parameters that are added to the URL.
    ///   - body: the request's body, if any.
    ///   - settings: changes the call's ``Call``.
    /// - Returns: this object, or another one if the reply has it.
    /// - Throws: ``APIError``; nothing was stored. ``APIError/notYetCreated(model:)`` if the URL needs the identity of
    ///   an object that isn't created yet.
    @discardableResult
    public nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, query: RouteQuery = [:], body: RequestBody? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        try await Call.with(settings) { () async throws(APIError) in
            try await send(method, to: template, query: query, sending: .own(body))
        }
    }

    /// Sends a request about this object with a JSON body by `JSONEncoder`, and imports the object in the reply, as
    /// with a ``RequestBody``.
    @discardableResult
    public nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, query: RouteQuery = [:],
        body: some Encodable & Sendable, with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        let body = RequestDraft.Body.json(try APIClient.json(body))
        return try await Call.with(settings) { () async throws(APIError) in
            try await send(method, to: template, query: query, sending: body)
        }
    }

    private nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, to template: URLTemplate, query: RouteQuery, sending body: RequestDraft.Body?
    ) async throws(APIError) -> Self {
        try await inTurn { (context, client) throws(APIError) in
            _ = try await storeCreation(by: client, in: context)
            let url = try client.callURL(
                try client.url(template, for: _object), query: query, for: _object)
            let trip = client.roundTrip(method, url, body: body, about: _object.model, asking: .object, in: context)
            let reply = try await trip.send()
            if !trip.isSafe { try await trip.endValidator(of: _object.record) }
            guard reply.hasObject, !reply.isUnmodified else { return self }
            let isOther = try Subject(_object, sending: [], to: client).isSubject(of: reply) == false
            let request = isOther ? ImportRequest(_object.model) : _object.importRequest
            do throws(APIError) {
                let outcome = try await trip.import(reply, as: request)
                guard isOther else { return self }
                return context.objects(Self.self, of: outcome.roots).first ?? self
            } catch {
                // The reply is about the action: {"ok": true}.
                guard case .noObject = error else { throw error }
                return self
            }
        }
    }
}
