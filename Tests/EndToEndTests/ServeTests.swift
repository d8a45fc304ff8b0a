import Foundation
import GitHubServer
import Testing

@Suite struct ServeTests {
    @Test func `The serve command runs until it is interrupted`() async throws {
        try await onStage { stage in
            let process = Process()
            let output = Pipe()
            process.executableURL = Run.binary
            process.arguments = ["serve", "--token", "t"]
            process.standardOutput = output
            try interruptible { try process.run() }
            defer {
                process.interrupt()
                process.waitUntilExit()
            }
            let address = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            let url = address.trimmingCharacters(in: .newlines)
            #expect(url.hasPrefix("http://127.0.0.1:"))
            let arguments = ["repo", "octocat/Hello-World", "--base-url", url, "--token"]
            let welcome = try await Run(arguments + ["t"], in: stage.folder)
            #expect(welcome.status == 0, "\(welcome.errors)")
            #expect(try await Run(arguments + ["u"], in: stage.folder).status == 4)
            #expect(process.isRunning)
        }
    }

    /// Starts a process that an interrupt ends, even if this one ignores interrupts, as it does under `nohup` or a
    /// shell's `&`, and so would its children.
    private func interruptible(_ start: () throws -> Void) rethrows {
        let former = signal(SIGINT, SIG_DFL)
        defer { signal(SIGINT, former) }
        try start()
    }

    @Test func `The serve command reports a port that is in use`() async throws {
        try await onStage { stage in
            let port = try #require(stage.server.baseURL.split(separator: ":").last.map(String.init))
            let run = try await Run(["serve", "--port", port], in: stage.folder)
            #expect(run.status == 69)
            #expect(run.errors.hasPrefix("SampleGitHubAPI: port \(port) can't be listened on: "))
        }
    }
}
