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

    /// Compiles both programs, each after `preamble`, and holds the compiler to what is said here.
    func check(_ settings: Client.Settings, preamble: String) async throws {
        let compiler = try #require(ClientCompiler.current)
        let good = try await Client(source: preamble + accepted).compile(settings, with: compiler)
        #expect(good.isAccepted, "\(good.log)")
        let bad = try await Client(source: preamble + refused).compile(settings, with: compiler)
        #expect(!bad.isAccepted)
        #expect(bad.errors.contains { $0.contains(error) }, "\(bad.log)")
    }
}
