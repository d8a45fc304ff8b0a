import Foundation
import GitHubServer
import TestSupport

/// A server and an empty folder for one test, and the runs of the binary that use both.
struct Stage: Sendable {
    let server: GitHubServer
    let folder: URL

    /// Runs the binary against the server, its store being `github.sqlite` in the folder.
    func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Run {
        try await run(arguments, environment: environment)
    }

    func run(_ arguments: [String], environment: [String: String] = [:], input: String = "") async throws -> Run {
        try await Run(arguments + ["--base-url", server.baseURL], in: folder, environment: environment, input: input)
    }

    /// Runs the binary as on a monochrome terminal with this number of columns. The arguments are split at spaces.
    func runOnTerminal(_ arguments: String, width: Int = 80) async throws -> Run {
        try await run(words(arguments), environment: ["GH_FORCE_TTY": String(width), "NO_COLOR": "1"])
    }

    func words(_ arguments: String) -> [String] { arguments.split(separator: " ").map(String.init) }

    /// The reads since the last call.
    func reads() -> [String] {
        defer { server.forgetRequests() }
        return server.requests.filter { $0.method == "GET" }.map(\.target)
    }

    /// The writes since the last call.
    func writes() -> [String] {
        defer { server.forgetRequests() }
        return server.requests.filter { $0.method != "GET" }.map(\.description)
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
}

/// Runs a test with a server and a folder of its own.
func onStage(
    _ seed: Fixtures = .demo, token: String? = nil, _ test: (Stage) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let server = GitHubServer(seed: seed, token: token)
        try await server.start()
        do {
            try await test(Stage(server: server, folder: folder))
        } catch {
            await server.stop()
            throw error
        }
        await server.stop()
    }
}
