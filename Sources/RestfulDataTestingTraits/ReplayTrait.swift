import Foundation
public import RestfulData
public import RestfulDataTesting
import Synchronization
public import Testing

/// A trait that gives each test a store, and answers its requests from a recording.
public struct ReplayTrait: TestTrait, TestScoping {
    let file: URL
    let models: [any Model.Type]
    let conventions: APIConventions
    let baseURL: String
    let rules: Redaction

    /// The recorders by file. The cases of a test share one, so that each adds its requests to the recording.
    private static let recorders = Mutex<[URL: RecordingTransport]>([:])

    /// Runs a test with a new store. With `RESTFULDATA_RECORD=1`, requests go to the server, and a recording is written
    /// at the end.
    @concurrent
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let isRecording = ProcessInfo.processInfo.environment["RESTFULDATA_RECORD"] == "1"
        try await perform(function, recording: isRecording ? HTTPTransport.standard : nil)
    }

    /// Runs a test's function with a new store.
    ///
    /// - Parameter transport: Sends the requests of a new recording. Nil replays the existing one.
    func perform(
        _ function: @concurrent @Sendable () async throws -> Void, recording transport: (any Transport)?
    ) async throws {
        guard let transport else {
            return try await run(function, by: try ReplayTransport(contentsOf: file, redacting: rules))
        }
        let recorder = Self.recorders.withLock { recorders in
            let recorder = recorders[file] ?? RecordingTransport(transport, redacting: rules)
            recorders[file] = recorder
            return recorder
        }
        try await run(function, by: recorder)
        // Under the lock, so that the newest recording is written last.
        try Self.recorders.withLock { _ in try recorder.write(to: file) }
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
    /// Answers a test's requests from the recording `Recordings/NAME.har`, next to the test's file.
    ///
    /// ```swift
    /// @Test(.replay("issues", models: [Issue.self], conventions: .github, at: "https://api.github.com"))
    /// @MainActor func issuesAreRead() async throws {
    ///     let issues = try await Issue.fetchAll(in: try TestWorld.store().main)
    ///     #expect(issues.count == 30)
    /// }
    /// ```
    ///
    /// To record, run the test with `RESTFULDATA_RECORD=1`. Check the recording before you commit it.
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
