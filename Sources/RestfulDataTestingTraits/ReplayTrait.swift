import Foundation
public import RestfulData
public import RestfulDataTesting
public import Testing

/// Gives each test a store whose requests are answered from a recording.
public struct ReplayTrait: TestTrait, TestScoping {
    let file: URL
    let models: [any Model.Type]
    let conventions: APIConventions
    let baseURL: String
    let rules: Redaction

    /// Runs a test with a new store. With `RESTFULDATA_RECORD=1` in the environment the requests go to the server, and
    /// the recording is made anew when the test ends.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard ProcessInfo.processInfo.environment["RESTFULDATA_RECORD"] == "1" else {
            return try await run(function, by: try ReplayTransport(contentsOf: file, redacting: rules))
        }
        let recorder = RecordingTransport(HTTPTransport.standard, redacting: rules)
        try await run(function, by: recorder)
        try recorder.write(to: file)
    }

    private func run(
        _ function: @concurrent @Sendable () async throws -> Void, by transport: any Transport
    ) async throws {
        let api = API(baseURL, conventions: conventions, transport: transport)
        let store = try Store(.temporary, models: models, api: api)
        try await TestWorld.$current.withValue(TestWorld.Current(server: nil, store: store)) { try await function() }
    }
}

extension Trait where Self == ReplayTrait {
    /// Answers a test's requests from a recording, `Recordings/NAME.har` beside the test's file.
    ///
    /// ```swift
    /// @Test(.replay("issues", models: [Issue.self], conventions: .github, at: "https://api.github.com"))
    /// @MainActor func issuesAreRead() async throws {
    ///     let issues = try await Issue.fetchAll(in: try TestWorld.store().main)
    ///     #expect(issues.count == 30)
    /// }
    /// ```
    ///
    /// Run the test with `RESTFULDATA_RECORD=1` to make the recording, and look at it before you commit it.
    ///
    /// - Parameters:
    ///   - name: the recording's name.
    ///   - models: the model classes of the store.
    ///   - conventions: what the service does its own way.
    ///   - baseURL: the service's base URL.
    ///   - rules: what the recording leaves out.
    ///   - testFile: the test's file.
    public static func replay(
        _ name: String, models: [any Model.Type], conventions: APIConventions = .default, at baseURL: String,
        redacting rules: Redaction = .standard, besides testFile: String = #filePath
    ) -> ReplayTrait {
        let folder = URL(filePath: testFile).deletingLastPathComponent().appending(path: "Recordings")
        return ReplayTrait(
            file: folder.appending(path: "\(name).har"), models: models, conventions: conventions, baseURL: baseURL,
            rules: rules)
    }
}
