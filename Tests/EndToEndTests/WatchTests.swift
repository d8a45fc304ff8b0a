import GitHubServer
import Synchronization
import TestSupport
import Testing

/// Commands that search and follow the store.
@Suite struct WatchTests {
    @Test func `A watch shows changes of another command`() async throws {
        try await onStage { stage in
            _ = try await stage.run("issues", "octocat/Hello-World", "--state", "all", "--limit", "100")
            let newest = try await stage.run("issues", "octocat/Hello-World", "--limit", "1", "--json", "number")
            let number = try #require(try JSONDocument(newest.output).elements.first?["number"].number)
            let flag = Flag()
            async let watching = watch(stage, flag)
            // Whenever the first table is drawn, another change follows.
            var title = 0
            while !flag.isSet.load(ordering: .relaxed) {
                title += 1
                let edit = ["issue", "edit", "octocat/Hello-World", "\(number)", "--title", "Title \(title)"]
                let run = try await stage.run(edit)
                #expect(run.status == 0)
            }
            let run = try await watching
            let tables = run.output.split(separator: "\n\n", omittingEmptySubsequences: true)
            #expect(run.status == 0)
            #expect(tables.count == 2)
            #expect(tables.first != tables.last)
            #expect(tables.last?.contains("Title ") == true)
        }
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    private func watch(_ stage: Stage, _ flag: Flag) async throws -> Run {
        defer { flag.isSet.store(true, ordering: .relaxed) }
        return try await stage.run("watch", "octocat/Hello-World", "--times", "2", "--interval", "3600")
    }

    @Test func `A search of the store finds words without a request`() async throws {
        try await onStage { stage in
            _ = try await stage.run("issues", "octocat/Hello-World", "--state", "all", "--limit", "100")
            let edit = ["issue", "edit", "octocat/Hello-World", "7", "--title", "Ein Café in Zürich"]
            let edited = try await stage.run(edit)
            #expect(edited.status == 0)
            _ = stage.reads()
            for words in [["cafe", "zuri"], ["ZÜRICH"], ["zürich", "-R", "octocat/Hello-World"]] {
                let run = try await stage.run(["search"] + words)
                #expect(run.status == 0)
                #expect(run.output.hasPrefix("7\t"))
                #expect(run.output.split(separator: "\n").count == 1)
            }
            let nothing = try await stage.run("search", "\"*", "nowhere", "OR")
            #expect(nothing.output == "")
            #expect(stage.reads() == [])
        }
    }
}
