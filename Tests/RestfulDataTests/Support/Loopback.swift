import GitHubServer
import RestfulData
import TestSupport

/// Runs a GitHub on a free loopback port, and a store for it, for the length of `body`.
@MainActor func withGitHub<Result>(
    seed: Fixtures = .demo(repositories: 3, issues: 5), token: String? = nil, timeout: Duration = patience,
    transport: any Transport = HTTPTransport.standard,
    @MiddlewareBuilder middleware: () -> [any Middleware] = { [] },
    _ body: (GitHubServer, Store) async throws -> Result
) async throws -> Result {
    let server = GitHubServer(seed: seed, token: token)
    try await server.start()
    let layers = [UserAgent("RestfulDataTests")] + middleware()
    do {
        let api = API(server.baseURL, conventions: .github, timeout: timeout, transport: transport) { layers }
        let result = try await body(server, try Store(.temporary, models: GitHub.models, api: api))
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

extension GitHubServer {
    /// A line for each request: method, path with query, body, status.
    var log: [String] { requests.map(\.description) }
}
