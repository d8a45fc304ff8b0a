import ObjectStore

// A stale answer that was used, as `stale-while-revalidate` lets it be (RFC 5861 §3), is asked for once the caller has
// gone on, on the caller's actor and into its context. What becomes of that nobody is told: objects change by it, or
// the next call asks again.

extension RoundTrip {
    /// Asks for an object again.
    ///
    /// - Parameter request: what the reply is imported as.
    func revalidateLater(as request: ImportRequest, isolation: isolated (any Actor)? = #isolation) {
        var trip = self
        (trip.policy, trip.canRevalidate) = (.revalidate, false)
        revalidateLater(isolation: isolation) { [trip] () async throws(APIError) in
            _ = isolation
            let reply = try await trip.send()
            guard !reply.isUnmodified else { return }
            _ = try await trip.import(reply, as: request)
        }
    }

    /// Does so, where nobody else does it at the moment.
    fileprivate func revalidateLater(
        isolation: isolated (any Actor)?, _ fetch: @escaping () async throws(APIError) -> Void
    ) {
        guard let flights = try? context.openFile().shared({ Flights() }) else { return }
        let question = "\(purpose ?? "") \(client.api.url(url))"
        guard flights.beginRevalidating(question) else { return }
        var scope = CallScope.current ?? CallScope()
        // The caller has its reports and responses already.
        (scope.reports, scope.responses) = (nil, nil)
        Task { [scope] in
            defer { flights.endRevalidating(question) }
            try? await scope.run(isolation: isolation, fetch)
        }
    }
}

extension PageWalk {
    /// Lists again.
    func revalidateLater(_ pages: Pages, isolation: isolated (any Actor)? = #isolation) {
        var walk = self
        walk.first.policy = .revalidate
        first.revalidateLater(isolation: isolation) { [walk] () async throws(APIError) in
            _ = isolation
            _ = try await walk.fetch(pages)
        }
    }
}
