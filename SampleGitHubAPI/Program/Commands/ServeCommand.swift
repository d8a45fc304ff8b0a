import ArgumentParser
import GitHubServer

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Be a small GitHub on this machine, with invented contents, until interrupted.",
        discussion: """
            Prints its address, which other commands take as --base-url. With --token, it takes no other token; without, \
            every request acts as octocat. It keeps nothing after it ends, and needs no --store.
            """)

    @Option(help: "The port to listen on; 0 for any that is free.") var port: UInt16 = 0
    @OptionGroup var options: ServiceOptions

    func run() async throws {
        let server = GitHubServer(token: options.token)
        do {
            try await server.start(port: port)
        } catch {
            throw CommandError(status: .unreachable, message: "port \(port) can't be listened on: \(error)")
        }
        try options.show(server.baseURL, json: ["base_url": JSON(server.baseURL)])
        for await _ in AsyncStream<Never>(unfolding: {
            try? await Task.sleep(for: .seconds(1 << 30))
            return nil
        }) {}
        await server.stop()
    }
}
