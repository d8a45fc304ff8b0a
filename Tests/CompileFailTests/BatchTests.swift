import Foundation
import TestSupport
import Testing

/// Programs that are compiled together get the verdicts that each gets alone.
@Suite(.enabled(if: ClientCompiler.isExpected, "no record of the build's compiler calls is here"))
struct BatchTests {
    private static let race = "@MainActor func leak(_ user: User) { Task.detached { user.login = \"octocat\" } }"
    private static let models = """
        import RestfulData

        @Model
        final class User {
            var identifier: Int?
            var login = ""
        }
        func helpAll() {}
        """

    /// Programs, each with a part of its error; nil for one that is accepted.
    private static let programs: [(program: Client, error: String?)] = [
        (Client(models: models, source: "struct Row {}\nlet row = Row()\nfunc use(_ user: User) -> Row { row }"), nil),
        (Client(models: models, source: "func use() -> Row? { nil }"), "cannot find type 'Row' in scope"),
        (Client(models: models, source: "func read() { _ = row }"), "'row' is inaccessible"),
        (Client(models: models, source: "func call() { helpAll() }"), "'helpAll' is inaccessible"),
        (Client(source: "import RestfulData\nfunc use(_ user: User) {}"), "cannot find type 'User' in scope"),
        (Client(source: "import RestfulData\nfunc use() { _ = Data() }"), "cannot find 'Data' in scope"),
        (Client(source: "import Foundation\nfunc use() { _ = Data() }"), nil),
        (Client(models: models, source: race), "risks causing data races"),
        (Client(source: "import RestfulData\nextension Store { func grow() {} }"), nil),
        (Client(source: "import RestfulData\nfunc use(_ store: Store) { store.grow() }"), "has no member 'grow'"),
    ]

    @Test func `A program's verdict doesn't depend on the other programs of its batch`() async throws {
        let compiler = try #require(ClientCompiler.current)
        let batches = Batch.batches(of: Self.programs.map(\.program), .swift6)
        #expect(batches.map(\.programs.count) == [8, 1, 1])
        try await withTemporaryFolder { folder in
            for (index, batch) in batches.enumerated() {
                let place = folder.appending(path: "\(index)")
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                let verdicts = try await batch.verdicts(of: compiler, flags: [], in: place)
                for (program, error) in Self.programs where batch.programs.contains(program) {
                    let verdict = try #require(verdicts[program])
                    #expect(verdict.isAccepted == (error == nil), "\(program.source)\n\(verdict.log)")
                    #expect(verdict.errors.contains { error.map($0.contains) ?? false } == (error != nil))
                }
            }
        }
    }

    @Test func `A warning is attributed to the program of the batch that has it`() async throws {
        let compiler = try #require(ClientCompiler.current)
        let programs = ["func one() { var x = 1; _ = x }", "func two() {}"].map {
            Client(models: "import RestfulData", source: $0)
        }
        let verdicts = try await withTemporaryFolder { folder in
            try await Batch(programs: programs, settings: .swift6).verdicts(of: compiler, flags: [], in: folder)
        }
        #expect(programs.map { verdicts[$0]?.hasWarnings } == [true, false])
    }
}
