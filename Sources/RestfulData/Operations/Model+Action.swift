public import HTTPTypes
public import ObjectStore
public import RESTTransport

extension Model {
    /// Sends a request of your own about this object, and imports the object that the reply has.
    ///
    /// ```swift
    /// try await status.send(.post, "/statuses/:id/favourite")
    /// try await user.send(.put, "/users/:id/avatar", body: .data(png, type: "image/png"))
    /// ```
    ///
    /// A reply with this object is imported into it, and unsent edits stay. A reply with another object of the model is
    /// imported as that one, which is returned. A reply without an object, as 204, changes nothing here. The request
    /// waits for those about this object that are on their way.
    ///
    /// - Parameters:
    ///   - method: the request's method.
    ///   - template: a path below the API's base URL, or an absolute URL. A name takes its value from this object:
    ///     `:id`, `:owner.login`. Interpolate all other values.
    ///   - query: parameters that are added to the URL.
    ///   - body: the request's body; nil for none.
    ///   - settings: the call's own ``Call``.
    /// - Returns: this object, or the other one that the reply has.
    /// - Throws: ``APIError``; nothing was stored then. ``APIError/notYetCreated(model:)`` where the URL needs an
    ///   identity that this object doesn't have yet.
    @discardableResult
    public nonisolated(nonsending) func send(
        _ method: HTTPRequest.Method, _ template: URLTemplate, query: RouteQuery = [:], body: RequestBody? = nil,
        with settings: Call.Settings? = nil
    ) async throws(APIError) -> Self {
        try await Call.with(settings) { () async throws(APIError) in
            try await send(method, to: template, query: query, sending: .own(body))
        }
    }

    /// Sends a request about this object with JSON, as `JSONEncoder` writes it, and imports the object that the reply
    /// has.
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
            if !trip.isQuestion { try await trip.endValidator(of: _object.record) }
            guard reply.hasObject, !reply.isUnmodified else { return self }
            let isOther = try Subject(_object, sending: [], to: client).isSubject(of: reply) == false
            let request = isOther ? ImportRequest(_object.model) : _object.importRequest
            do throws(APIError) {
                let outcome = try await trip.import(reply, as: request)
                guard isOther else { return self }
                return context.objects(Self.self, of: outcome.roots).first ?? self
            } catch {
                // The reply is about the action, as {"ok": true} is.
                guard case .noObject = error else { throw error }
                return self
            }
        }
    }
}
