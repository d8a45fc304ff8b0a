import TestSupport
import Testing

/// Random programs that edit, queue, send, lose replies, and end at any moment. Once the server can be reached and all
/// is sent, it has exactly what the user has seen last: nothing is lost, and nothing is there twice.
@MainActor @Suite struct OutboxFuzzTests {
    @Test(arguments: Fuzzing.seeds(60))
    func `The server ends with all queued changes, each once`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }

    @Test(arguments: Fuzzing.seeds(60))
    func `The server ends with what users have not taken back`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed, decides: true)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }

    @Test(arguments: Fuzzing.seeds(60))
    func `Changes during requests are sent once, after them`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed, decides: seed % 2 == 0, interrupts: true)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }

    @Test(arguments: Fuzzing.seeds(40))
    func `Entries go on under the names of other versions`(_ seed: UInt64) async throws {
        let run = try await OutboxRun(seed: seed, decides: true, interrupts: seed % 2 == 0, migrates: true)
        for _ in 0..<60 { try await run.step() }
        let problem = try await run.problemAtTheEnd()
        #expect(problem == nil, "seed \(seed):\n\(problem ?? "")\n\(run.log.joined(separator: "\n"))")
    }
}
