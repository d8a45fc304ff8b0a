import ArgumentParser
import GitHubServer

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Be a small GitHub on this machine, with invented contents, until interrupted.",
        discussion: """
            Prints its address, which other commands take as --base-url. It keeps nothing after it ends.
            """)

    @Option(help: "The port to listen on; 0 for any that is free.") var port: UInt16 = 0
    @Option(help: "The one token that it takes; without it every request acts as octocat.") var token: String?
    @OptionGroup var output: JSONFlag

    func run() async throws {
        let server = GitHubServer(token: token)
        do {
            try await server.start(port: port)
        } catch {
            throw CommandError(status: .unreachable, message: "port \(port) can't be listened on: \(error)")
        }
        try output.show(server.baseURL, json: ["base_url": JSON(server.baseURL)])
        for await _ in AsyncStream<Never>(unfolding: {
            try? await Task.sleep(for: .seconds(1 << 30))
            return nil
        }) {}
        await server.stop()
    }
}
