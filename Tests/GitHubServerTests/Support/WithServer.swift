@testable import GitHubServer

/// Runs a server of its own for a test.
func withServer(
    _ seed: Fixtures = .demo, token: String? = nil, _ test: (Client) async throws -> Void
) async throws {
    let server = GitHubServer(seed: seed, token: token)
    try await server.start()
    do {
        try await test(Client(server: server))
    } catch {
        await server.stop()
        throw error
    }
    await server.stop()
}

let hello = "/repos/octocat/Hello-World"
