import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Notes about values that can't be rewritten as they came are removed with them.
@MainActor
@Suite struct WireTextMigrationTests {
    enum Written {
        @Model final class Note {
            var identifier: Int?
            var at: Date?
            var due: Date?
            var number: Int?
        }
    }

    enum Rewritten {
        @Model(renamedFrom: "Note") final class Remark {
            var identifier: Int?
            // One takes the name that another has had.
            @Attribute(renamedFrom: "at") var due: Date?
            @Attribute(renamedFrom: "due") var later: Date?
            var number: Int?
        }
    }

    enum Reduced {
        @Model final class Note {
            var identifier: Int?
            var at: Date?
            var number: Int?
        }
    }

    enum ByNumber {
        @Model(identity: "number") final class Note {
            var identifier: Int?
            var at: Date?
            var due: Date?
            var number: Int?
        }
    }

    private static func time(_ digit: Int) -> String { #""2024-05-01T10:00:00.12345678\#(digit)Z""# }

    private func filled() async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open([Written.Note.self]) { store in
            try await store.main.take(
                Written.Note.self,
                """
                [{"id": 1, "at": \(Self.time(1)), "due": \(Self.time(2)), "number": 5},
                 {"id": 2, "at": \(Self.time(3)), "number": 5}]
                """)
        }
        return file
    }

    private func texts(_ file: MigratedFile) throws -> [[String?]] {
        try Database(file.file.path).rows("SELECT model, row, property, text FROM _wire_text ORDER BY 1, 2, 3")
    }

    @Test func `The written form of a date follows renamed tables and properties`() async throws {
        let file = try await filled()
        try await file.open([Rewritten.Remark.self])
        #expect(
            try texts(file) == [
                ["remark", "1", "due", Self.time(1)], ["remark", "1", "later", Self.time(2)],
                ["remark", "2", "due", Self.time(3)],
            ])
    }

    @Test func `The kept text of a removed property is removed with it`() async throws {
        let file = try await filled()
        try await file.open([Reduced.Note.self])
        #expect(try texts(file) == [["note", "1", "at", Self.time(1)], ["note", "2", "at", Self.time(3)]])
    }

    @Test func `A unified row keeps the written forms of its duplicates' dates`() async throws {
        let file = try await filled()
        try await file.open([ByNumber.Note.self])
        #expect(try texts(file) == [["note", "2", "at", Self.time(3)], ["note", "2", "due", Self.time(2)]])
    }

    @Test func `Written forms of deleted rows and of later values are dropped`() async throws {
        let file = try await filled()
        try await file.open([Written.Note.self]) { store in
            let note = try #require(try store.main.find(Written.Note.self, 2))
            store.main.delete(note)
            try await store.main.save()
            try await store.main.take(Written.Note.self, #"{"id": 1, "at": "2024-05-01T10:00:00Z"}"#)
        }
        #expect(try texts(file) == [["note", "1", "due", Self.time(2)]])
    }

    @Test func `Dates that a Double represents exactly keep no written form`() async throws {
        let file = try MigratedFile()
        try await file.open([Written.Note.self]) { store in
            try await store.main.take(
                Written.Note.self,
                """
                [{"id": 1, "at": "2024-05-01T10:00:00Z", "due": "2024-05-01T10:00:00.123456+02:00"},
                 {"id": 2, "at": "2024-05-01T10:00:00.123Z", "due": 1714557600},
                 {"id": 3, "at": "2024-05-01T10:00:00.1234Z", "due": "2024-05-01"}]
                """)
        }
        #expect(try texts(file) == [["note", "3", "due", #""2024-05-01""#]])
    }
}
