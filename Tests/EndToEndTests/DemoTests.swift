import Foundation
import TestSupport
import Testing

@Suite struct DemoTests {
    @Test func `The demo prints its tour and refuses a store that exists`() async throws {
        try await onStage { stage in
            let run = try await Run(["demo", "--store", "tour.sqlite"], in: stage.folder)
            #expect(run.output == DemoTests.tour)
            #expect(run.errors == "")
            #expect(run.status == 0)
            #expect(FileManager.default.fileExists(atPath: stage.path("tour.sqlite")))
            let again = try await Run(["demo", "--store", "tour.sqlite"], in: stage.folder)
            #expect(again.status == 73)
            #expect(again.errors == "SampleGitHubAPI: tour.sqlite is there already; the tour needs a new file\n")
        }
    }

    @Test func `The demo replaces its own store in the temporary folder`() async throws {
        try await onStage { stage in
            for _ in 1...2 {
                let run = try await Run(["demo"], in: stage.folder, environment: ["TMPDIR": stage.folder.path])
                #expect(
                    run.output.replacing(stage.path("github-demo.sqlite"), with: "tour.sqlite") == DemoTests.tour)
                #expect(run.status == 0)
            }
        }
    }

    /// The Swift code that a step shows is in the source twice: as text, and as the executed code.
    @Test func `The demo shows the code that it runs`() async throws {
        let source = ProjectFolder.root.appending(path: "SampleGitHubAPI/Program/Demo/Tour.swift")
        let code = words(try String(contentsOf: source, encoding: .utf8))
        try await onStage { stage in
            let run = try await Run(["demo", "--store", "tour.sqlite", "--json"], in: stage.folder)
            let steps = try JSONDocument(run.output)["steps"].elements
            #expect(steps.count == 17)
            for step in steps {
                let shown = words(try #require(step["swift"].string))
                #expect(code.split(separator: shown, omittingEmptySubsequences: false).count >= 3, "\(shown)")
            }
        }
    }

    private func words(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
