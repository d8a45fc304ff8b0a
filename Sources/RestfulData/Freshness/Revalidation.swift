import ObjectStore

// Revalidates a stale reply that was used because of `stale-while-revalidate` (RFC 5861 §3). It runs on the caller's
// actor after the caller has continued, and imports into its context. Success updates the objects. An error is ignored,
// since the next call revalidates again.

extension RoundTrip {
    /// Fetches an object again.
    ///
    /// - Parameter request: the import of the reply.
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

    /// Runs `fetch` in a task, unless the same revalidation is in progress.
    fileprivate func revalidateLater(
        isolation: isolated (any Actor)?, _ fetch: @escaping () async throws(APIError) -> Void
    ) {
        guard let flights = try? context.openFile().shared({ Flights() }) else { return }
        let question = "\(purpose ?? "") \(client.api.url(url))"
        guard flights.beginRevalidating(question) else { return }
        var scope = CallScope.current ?? CallScope()
        // The caller already has its reports and responses.
        (scope.reports, scope.responses) = (nil, nil)
        Task { [scope] in
            defer { flights.endRevalidating(question) }
            try? await scope.run(isolation: isolation, fetch)
        }
    }
}

extension PageWalk {
    func revalidateLater(_ pages: Pages, isolation: isolated (any Actor)? = #isolation) {
        var walk = self
        walk.first.policy = .revalidate
        first.revalidateLater(isolation: isolation) { [walk] () async throws(APIError) in
            _ = isolation
            _ = try await walk.fetch(pages)
        }
    }
}
