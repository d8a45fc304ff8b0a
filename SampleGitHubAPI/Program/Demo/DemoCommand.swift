import ArgumentParser
import Foundation
import GitHubServer
import RestfulData

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Take a tour, with a small GitHub on this machine. Needs no network.",
        discussion: """
            The tour talks to its own server, on a free port of the loopback interface, and leaves its store on disk.
            """)

    @Option(
        help: """
            The file of its store, where none may be yet (default: github-demo.sqlite in the temporary folder, in place of \
            that of an earlier tour).
            """)
    var store: String?
    @Flag(help: "Log each request to standard error.") var verbose = false
    @OptionGroup var output: JSONFlag

    @MainActor func run() async throws {
        let path = try freshFile()
        let server = GitHubServer()
        try await server.start()
        let api = API.gitHub(server.baseURL, isVerbose: verbose)
        let store = try Store(.file(path), models: GitHub.models, api: api)
        let narrator = Narrator(server, isSilent: output.json)
        try await Tour(server: server, api: api, store: store, path: path, narrator: narrator).run()
        await server.stop()
        if output.json { try write([narrator.json.text]) }
    }

    private func freshFile() throws -> String {
        if let path = store {
            guard !FileManager.default.fileExists(atPath: path) else {
                throw CommandError(
                    status: .storeUnusable, message: "\(path) is there already; the tour needs a new file")
            }
            return path
        }
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("github-demo.sqlite").path
        for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        return path
    }
}
