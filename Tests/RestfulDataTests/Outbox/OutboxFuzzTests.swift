import TestSupport
import Testing

/// Random programs that edit, queue, send, lose replies, and end at any moment. Once the server can be reached and all
/// is sent, it has exactly the values that the user saw last, each once.
@MainActor @Suite struct OutboxFuzzTests {
    @Test(arguments: Fuzzing.seeds(60))
    func `In random programs, the server gets all queued changes once`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }

    @Test(arguments: Fuzzing.seeds(60))
    func `In random programs, the server gets the changes that users haven't discarded`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed, decides: true)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }

    @Test(arguments: Fuzzing.seeds(60))
    func `In random programs, changes made during requests are sent once, afterwards`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed, decides: seed % 2 == 0, interrupts: true)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }

    @Test(arguments: Fuzzing.seeds(40))
    func `In random programs, entries are sent under later models' names`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed, decides: true, interrupts: seed % 2 == 0, migrates: true)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }
}
