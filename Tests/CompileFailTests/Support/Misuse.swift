import Testing

/// A program that the compiler must refuse, and the nearest one that it accepts: a test that sees the first one refused
/// for a broken set-up would see the second one refused too.
struct Misuse: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let refused: String
    let accepted: String
    /// Part of one of the errors.
    let error: String

    init(_ description: String, refused: String, error: String, accepted: String) {
        self.testDescription = description
        self.refused = refused
        self.error = error
        self.accepted = accepted
    }

    /// Both programs, the accepted one first.
    ///
    /// - Parameter models: the imports and models that both use.
    func programs(models: String) -> [Client] {
        [Client(models: models, source: accepted), Client(models: models, source: refused, isRefused: true)]
    }

    /// Checks the compiler's verdicts on both programs.
    func check(_ settings: Client.Settings, models: String, in programs: ProgramSet) async throws {
        let both = self.programs(models: models)
        let good = try await programs.verdict(on: both[0], settings)
        #expect(good.isAccepted, "\(good.log)")
        let bad = try await programs.verdict(on: both[1], settings)
        #expect(!bad.isAccepted)
        #expect(bad.errors.contains { $0.contains(error) }, "\(bad.log)")
    }
}
