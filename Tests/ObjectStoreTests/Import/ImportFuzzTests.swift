import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Whole replies of random content: they give an error or a report, and an intact file.
@MainActor
@Suite struct ImportFuzzTests {
    nonisolated private static let issues = [
        #"[{"id": 1, "number": 5, "title": "a", "state": "open", "labels": [{"id": 2, "name": "x"}, {"id": 1}], "assignee": {"id": 9, "login": "b"}, "repository_id": 3}]"#,
        #"{"id": 2, "title": null, "label_ids": [1, 2, 3], "comments": [{"id": 1, "body": "c"}, {"id": 2}], "repository": {"id": 3, "full_name": "o/r", "topics": ["x"], "owner": {"id": 9}}}"#,
        #"[{"id": "3", "state": "unknown", "labels": null, "assignee_id": 11}, {"id": 1, "assignee": null}, {"id": 3}]"#,
    ]
    nonisolated private static let samples = [
        #"{"id": 1, "bool": true, "int": -1, "int8": 127, "uint64": 18446744073709551615, "double": 1e308, "float": 0.1, "int128": 170141183460469231731687303715884105727, "decimal": "12345678901234567890.123456789", "text": "a\u00e9\ud83d\ude00", "date": "2024-02-29T23:59:60.123456Z", "data": "aGVsbG8=", "link": "https://a.example/ü", "uuid": "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "mood": "calm", "level": 2}"#,
        #"{"id": 2, "plan": {"name": "a", "seats": 3}, "tags": ["a", "b"], "counts": {"a": 1}, "moods": ["calm"], "levels": [1, 2], "mood_by_name": {"a": "wild"}, "times": [0, "2024-01-01", "2024-01-01T00:00:00+14:00", 1700000000123]}"#,
        #"[{"id": 3, "date": 1e300}, {"id": 4, "date": "+275760-09-13T00:00:00Z"}, {"id": 5, "date": "-0001-01-01"}, {"id": 6, "date": "20240101T000000.5-0330"}]"#,
    ]
    nonisolated private static let words = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "null", "true", "1e999", "-0", "1.0", "\"id\":", "\"id\": 1",
        "\"labels\":",
        "{\"id\": 1}", "\\ud800", "\\u0000", "99999999999999999999", "0.1e-999", "\"\"", "T24:00:00", "-99:99",
        "\u{FEFF}",
    ]

    /// Each seed has one store, so that earlier imports are in it.
    private func fuzz<M: Model>(
        _ models: [any Model.Type], _ inputs: [String], seed: UInt64, reading read: (M) -> [Any?]
    ) async throws {
        let store = try Store(of: models)
        defer { store.close() }
        var mutator = Mutator(seed: seed, words: Self.words)
        for _ in 0..<100 {
            let body = mutator.next(inputs)
            do {
                for object in try await store.main.import(M.self, from: body).objects { _ = read(object) }
            } catch StoreError.json {
                continue
            }
        }
        #expect(try store.check() == [])
    }

    @Test(arguments: Fuzzing.seeds(4))
    func `A graph of any bytes is taken or refused`(_ seed: UInt64) async throws {
        try await fuzz(World.models, Self.issues, seed: seed) { (issue: Issue) in
            [
                issue.title, issue.number, issue.state, issue.labels.map(\.name), issue.assignee?.login,
                issue.comments.map(\.issue?.identifier), issue.repository?.topics.map(\.name),
            ]
        }
    }

    @Test(arguments: Fuzzing.seeds(4))
    func `Values of any bytes are taken or refused`(_ seed: UInt64) async throws {
        try await fuzz([Sample.self], Self.samples, seed: seed) { (sample: Sample) in
            [
                sample.bool, sample.int8, sample.uint64, sample.float, sample.int128, sample.decimal, sample.text,
                sample.date?.description, sample.data, sample.link, sample.uuid, sample.mood, sample.level, sample.plan,
                sample.tags, sample.counts, sample.moods, sample.levels, sample.moodByName, sample.times?.description,
            ]
        }
    }
}
