import ObjectStore

// After a stale reply (RFC 5861 §3), a task on the caller's actor fetches again and imports into its context. It
// ignores errors, since the next call revalidates again.

extension RoundTrip {
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

    /// Fetches in a task, unless the same revalidation is in progress.
    fileprivate func revalidateLater(
        isolation: isolated (any Actor)?, _ fetch: @escaping () async throws(APIError) -> Void
    ) {
        guard let flights = try? context.openFile().shared({ Flights() }) else { return }
        let revalidation = Flights.Revalidation(
            api: client.api.identity, account: client.api.account, question: "\(purpose ?? "") \(client.api.url(url))")
        guard flights.begin(revalidation) else { return }
        var scope = CallScope.current ?? CallScope()
        // The caller has a report and responses already.
        (scope.reports, scope.responses) = (nil, nil)
        Task { [scope] in
            defer { flights.end(revalidation) }
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
