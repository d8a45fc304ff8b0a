import Foundation
import RestfulData
import RestfulDataTesting
import Testing

@testable import RestfulDataTestingTraits

/// Traits that give each test its server and store.
@MainActor @Suite struct TraitTests {
    @Test(.server(models: Notebook.models) { try $0.seed(Notebook.Note.self, json: #"{"id": 1, "title": "A"}"#) })
    func `A test with the trait has its own server and store`() async throws {
        let (server, store) = (try TestWorld.server(), try TestWorld.store())
        #expect(try await Notebook.Note.fetchAll(in: store.main).map(\.title) == ["A"])
        #expect(server.requests == ["GET /notes"])
    }

    @Test(.server(models: Notebook.models), arguments: 1...3)
    func `Each case of a parameterized test has its own server and store`(_ number: Int) async throws {
        let note = Notebook.Note(in: try TestWorld.store().main)
        note.title = "n"
        try await note.create()
        #expect(try TestWorld.server().objects(Notebook.Note.self).count == 1)
    }

    @Test func `A request without a route is an issue even if the test throws`() async throws {
        struct Stop: Error {}
        let test = try #require(Test.current)
        let trait = ServerTrait.server(models: Notebook.models)
        await withKnownIssue {
            await #expect(throws: Stop.self) {
                try await trait.provideScope(for: test, testCase: nil) {
                    _ = try? await API(try TestWorld.server()).send(.get, "/nots")
                    throw Stop()
                }
            }
        }
    }

    @Test func `A test without the trait gets an error that says so`() {
        #expect(throws: TestWorld.Missing.self) { try TestWorld.server() }
        #expect(throws: TestWorld.Missing.self) { try TestWorld.store() }
    }

    @Test(.replay("notes", models: Notebook.models, at: "https://api.example.com"))
    func `A test is answered from the recording in its folder`() async throws {
        let notes = try await Notebook.Note.fetchAll(in: try TestWorld.store().main)
        #expect(notes.map(\.title) == ["n1", "n2"])
        #expect(throws: TestWorld.Missing.self) { try TestWorld.server() }
    }

    @Test func `A test is recorded beside its file, and answered from that recording`() async throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "Traits-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let trait = ReplayTrait.replay(
            "new", models: Notebook.models, at: "https://api.example.com",
            besides: folder.appending(path: "NoteTests.swift").path(percentEncoded: false))
        let server = try Notebook.server(count: 2)
        let transports: [(any Transport)?] = [server, nil]
        for transport in transports {
            try await trait.perform({ try await Self.expectTwoNotes() }, recording: transport)
        }
        #expect(server.requests == ["GET /notes"])
        #expect(FileManager.default.fileExists(atPath: folder.appending(path: "Recordings/new.har").path()))
    }

    @Test func `The cases of a test are in one recording`() async throws {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "Traits-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let trait = ReplayTrait.replay(
            "cases", models: Notebook.models, at: "https://api.example.com",
            besides: folder.appending(path: "NoteTests.swift").path(percentEncoded: false))
        let server = try Notebook.server(count: 2)
        let transports: [(any Transport)?] = [server, nil]
        for transport in transports {
            for id in 1...2 { try await trait.perform({ try await Self.expectNote(id) }, recording: transport) }
        }
        #expect(server.requests == ["GET /notes/1", "GET /notes/2"])
    }

    private static func expectNote(_ id: Int) async throws {
        let note = try await Notebook.Note.fetch(key: id, in: try TestWorld.store().main)
        #expect(note.title == "n\(id)")
    }

    private static func expectTwoNotes() async throws {
        let notes = try await Notebook.Note.fetchAll(in: try TestWorld.store().main)
        #expect(notes.map(\.title) == ["n1", "n2"])
    }
}
