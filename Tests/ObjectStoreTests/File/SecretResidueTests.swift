import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// A password that was sent to the server is stored nowhere.
@MainActor
@Suite struct SecretResidueTests {
    @Model("/accounts") final class Account {
        var identifier: Int?
        var notes = ""
        @Attribute(access: .writeOnly) var password: String?
    }

    /// Answers each POST with an account of the next number.
    private struct Registrar: Transport {
        func send(_ request: APIRequest) async throws(TransportError) -> APIResponse {
            APIResponse(.init(status: .created), body: Array(#"{"id": 1}"#.utf8), to: request)
        }
    }

    private static let secret = "correct horse battery staple"

    private func open(_ file: TemporaryFile) throws -> Store {
        try Store(
            .file(file.path), models: [Account.self],
            api: API("https://api.example.com", transport: Registrar()))
    }

    /// The store's files that have some of the secret in them.
    private func residue(_ file: TemporaryFile) throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: file.folder, includingPropertiesForKeys: nil)
            .filter { try Data(contentsOf: $0).range(of: Data(Self.secret.utf8.prefix(8))) != nil }
            .map(\.lastPathComponent)
    }

    /// Commits again until the log is cut, or could have been: a context reads until its actor is free.
    private func settle(_ store: Store) async throws {
        for _ in 0..<20 {
            _ = try await store.file.write { writer in ((), ChangeSet(writer.schema)) }
            guard store.file.residue.isThere else { return }
            await Task.yield()
        }
    }

    /// With notes of many pages the password is on one that becomes free as a whole.
    @Test(arguments: [0, 100_000])
    func `A password that was saved and sent is removed from all files`(length: Int) async throws {
        let file = try TemporaryFile()
        let store = try open(file)
        defer { store.close() }
        let account = Account(in: store.main)
        account.notes = String(repeating: "n", count: length)
        account.password = Self.secret
        try await store.main.save()
        #expect(try residue(file) == ["store.sqlite-wal"])
        try await account.create()
        try await settle(store)
        #expect(account.identifier == 1 && account.password == nil)
        #expect(try residue(file) == [])
    }

    @Test(arguments: ["the object is deleted", "the password is taken back"])
    func `A discarded password is removed from all files`(why: String) async throws {
        let file = try TemporaryFile()
        let store = try open(file)
        defer { store.close() }
        let account = Account(in: store.main)
        account.password = Self.secret
        try await store.main.save()
        if why == "the object is deleted" { store.main.delete(account) } else { account.password = nil }
        try await store.main.save()
        try await settle(store)
        #expect(try residue(file) == [])
    }

    @Test func `When a reader holds the log, a later commit truncates it`() async throws {
        let file = try TemporaryFile()
        let store = try open(file)
        defer { store.close() }
        let account = Account(in: store.main)
        account.password = Self.secret
        try await store.main.save()
        let other = try Database(file.path)
        try other.execute("BEGIN; SELECT count(*) FROM account")
        try await account.create()
        try await settle(store)
        #expect(try residue(file) == ["store.sqlite-wal"])
        try other.execute("COMMIT")
        account.notes = "later"
        try await store.main.save()
        try await settle(store)
        #expect(try residue(file) == [])
    }
}
