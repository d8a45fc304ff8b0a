import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// The store's own tables follow the models that they name.
@MainActor
@Suite struct NoteMigrationTests {
    enum Former {
        @Model final class Note {
            var identifier: Int?
            var title: String?
            var state: String?
            @Relationship(inverse: nil) var links: [Note]
        }
    }

    enum Renamed {
        @Model(renamedFrom: "Note") final class Remark {
            var identifier: Int?
            @Attribute(renamedFrom: "title") var heading: String?
            @Relationship(inverse: nil) var links: [Remark]
        }
    }

    enum ByTitle {
        @Model(identity: "title") final class Note {
            var identifier: Int?
            var title: String?
            var state: String?
            @Relationship(inverse: nil) var links: [Note]
        }
    }

    enum Retyped {
        @Model final class Note {
            var identifier: String?
            @Attribute(renamedFrom: "title") var heading = "none"
            var state: String?
            @Relationship(inverse: nil) var links: [Note]
        }
    }

    private func rows(_ sql: String, in file: MigratedFile) throws -> [String] {
        try Database(file.file.path).rows(sql).map { row in row.map { $0 ?? "NULL" }.joined(separator: " ") }
    }

    @Test func `The server's spelling of a key follows a renamed property and goes with a removed one`() async throws {
        let file = try MigratedFile()
        try await file.open([Former.Note.self])
        try Database(file.file.path).execute(
            "INSERT INTO _wire_name VALUES ('note', 'title', 'Title'), ('note', 'state', 'STATE')")
        try await file.open([Renamed.Remark.self])
        let names = try rows("SELECT model, property, name FROM _wire_name", in: file)
        #expect(names == ["remark heading Title"])
    }

    @Test func `A deleted object's row number isn't reused after its table was renamed`() async throws {
        let file = try MigratedFile()
        let last = try await file.open([Former.Note.self]) { store in
            let notes = try await store.main.take(Former.Note.self, #"[{"id": 1}, {"id": 2}]"#).objects
            let row = notes[1]._object.localID
            store.main.delete(notes[1])
            try await store.main.save()
            return row
        }
        let row = try await file.open([Renamed.Remark.self]) { store in
            try await store.main.take(Renamed.Remark.self, #"{"id": 3}"#).objects[0]._object.localID
        }
        #expect(row > last)
        #expect(try rows("SELECT model FROM _last_row", in: file) == ["remark"])
    }

    @Test func `The rows of a queued deletion follow renamed and converted columns`() async throws {
        let file = try MigratedFile()
        try await file.open([Former.Note.self])
        let object = """
            {"links": [], "members": [], "rows": [
                {"table": "note",
                 "cells": {"_id": {"integer": 7}, "identifier": {"integer": 1}, "title": {"text": "a"}}},
                {"table": "note", "cells": {"_id": {"integer": 8}, "identifier": {"integer": 2}}}]}
            """
        try Database(file.file.path).execute(
            """
            INSERT INTO _outbox (source, source_id, relationship, member, number, action, account, since, object)
            VALUES ('note', 7, '', 0, 1, 1, '', 0, '\(object)')
            """)
        try await file.open([Retyped.Note.self])
        let text = try #require(try rows("SELECT object FROM _outbox", in: file).first)
        let deleted = try #require(DeletedRows(text: text))
        let cells = deleted.rows.map { $0.cells.mapValues(\.value) }
        let expected: [[String: StoredValue]] = [
            ["_id": .integer(7), "identifier": .text("1"), "heading": .text("a")],
            ["_id": .integer(8), "identifier": .text("2"), "heading": .text("none")],
        ]
        #expect(cells == expected)
    }

    @Test func `Queued writes of a duplicate name the row that survives`() async throws {
        let file = try MigratedFile()
        let ids = try await file.open([Former.Note.self]) { store in
            let notes = try await store.main.take(
                Former.Note.self, #"[{"id": 1, "title": "a"}, {"id": 2, "title": "a"}, {"id": 3, "title": "b"}]"#
            ).objects
            return notes.map { $0._object.localID.rawValue }
        }
        let columns = "(source, source_id, relationship, member, number, action, account, since)"
        try Database(file.file.path).execute(
            """
            INSERT INTO _outbox \(columns) VALUES ('note', \(ids[0]), '', 0, 1, 0, '', 0),
                ('note', \(ids[2]), 'links', \(ids[0]), 2, 2, '', 0), ('note', \(ids[2]), '', 0, 3, 0, '', 0)
            """)
        try await file.open([ByTitle.Note.self])
        #expect(
            try rows("SELECT source_id, relationship, member FROM _outbox ORDER BY number", in: file) == [
                "\(ids[1])  0", "\(ids[2]) links \(ids[1])", "\(ids[2])  0",
            ])
    }
}
