import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

/// Relationships with changed names, kinds and storage.
@MainActor
@Suite struct RelationshipMigrationTests {
    /// A book has an author, a list of tags, a link that waits for its target, and unsent changes.
    enum First {
        @Model final class Book {
            var identifier: Int?
            var author: Author?
            @Relationship(inverse: nil) var tags: [Tag]
        }
        @Model final class Author {
            var identifier: Int?
            var books: [Book]
        }
        @Model final class Tag { var identifier: Int? }
        static let models: [any Model.Type] = [Book.self, Author.self, Tag.self]
    }

    enum Renamed {
        @Model(renamedFrom: "Book") final class Volume {
            var identifier: Int?
            @Relationship(renamedFrom: "author") var writer: Writer?
            @Relationship(inverse: nil, renamedFrom: "tags") var topics: [Tag]
        }
        @Model(renamedFrom: "Author") final class Writer {
            var identifier: Int?
            @Relationship(renamedFrom: "books") var volumes: [Volume]
        }
        @Model final class Tag { var identifier: Int? }
        static let models: [any Model.Type] = [Volume.self, Writer.self, Tag.self]
    }

    /// Books are left out while authors get another name.
    enum WithoutBooks {
        @Model(renamedFrom: "Author") final class Writer { var identifier: Int? }
        @Model final class Tag { var identifier: Int? }
        static let models: [any Model.Type] = [Writer.self, Tag.self]
    }

    enum WithBooksAgain {
        @Model final class Book {
            var identifier: Int?
            var author: Writer?
            @Relationship(inverse: nil) var tags: [Tag]
            @Relationship(inverse: nil) var readers: [Writer]
        }
        @Model(renamedFrom: "Author") final class Writer {
            var identifier: Int?
            var books: [Book]
        }
        @Model final class Tag { var identifier: Int? }
        static let models: [any Model.Type] = [Book.self, Writer.self, Tag.self]
    }

    enum ManyAuthors {
        @Model final class Book {
            var identifier: Int?
            @Relationship(renamedFrom: "author") var authors: [Author]
            var tags: [Tag]
        }
        @Model final class Author {
            var identifier: Int?
            var books: [Book]
        }
        @Model final class Tag {
            var identifier: Int?
            var books: [Book]
        }
        static let models: [any Model.Type] = [Book.self, Author.self, Tag.self]
    }

    enum OneTag {
        @Model final class Book {
            var identifier: Int?
            var author: Author?
            @Relationship(inverse: nil, renamedFrom: "tags") var tag: Tag?
        }
        @Model final class Author {
            var identifier: Int?
            @Relationship(inverse: "author") var books: [Book]
        }
        @Model final class Tag { var identifier: Int? }
        static let models: [any Model.Type] = [Book.self, Author.self, Tag.self]
    }

    enum TagsOfOneBook {
        @Model final class Book {
            var identifier: Int?
            var author: Author?
            var tags: [Tag]
        }
        @Model final class Author {
            var identifier: Int?
            var books: [Book]
        }
        @Model final class Tag {
            var identifier: Int?
            var book: Book?
        }
        static let models: [any Model.Type] = [Book.self, Author.self, Tag.self]
    }

    enum NoAuthor {
        @Model final class Book {
            var identifier: Int?
            @Relationship(inverse: nil) var tags: [Tag]
        }
        @Model final class Author { var identifier: Int? }
        @Model final class Tag { var identifier: Int? }
        static let models: [any Model.Type] = [Book.self, Author.self, Tag.self]
    }

    private func first(_ tags: String = #"[{"id": 6}, {"id": 5}]"#) async throws -> MigratedFile {
        let file = try MigratedFile()
        try await file.open(First.models) { store in
            try await store.main.take(
                First.Author.self, #"[{"id": 1, "books": [{"id": 11}, {"id": 10}]}, {"id": 2}]"#)
            try await store.main.take(
                First.Book.self,
                #"[{"id": 10, "tags": \#(tags)}, {"id": 12, "author": 77, "tag_ids": [5, 88]}]"#)
        }
        return file
    }

    @Test func `A model that comes back links to models that were renamed meanwhile`() async throws {
        let file = try MigratedFile()
        try await file.open(First.models) { store in
            try await store.main.take(
                First.Book.self,
                #"[{"id": 1, "author": {"id": 5}, "tags": [{"id": 3}]}, {"id": 2, "author": {"id": 5}}]"#)
        }
        try await file.open(WithoutBooks.models)
        try await file.open(WithBooksAgain.models) { store in
            let books = try store.main.query(WithBooksAgain.Book.self).fetch()
            #expect(books.map { $0.author?.identifier } == [5, 5])
            #expect(books.map { $0.tags.map(\.identifier) } == [[3], []])
            #expect(try store.main.find(WithBooksAgain.Writer.self, 5)?.books.count == 2)
        }
    }

    @Test func `Reopening with the same models keeps relationships and pending links`() async throws {
        try await first().expect(
            """
            book
              10 author_id=(1) _author_position=1
              11 author_id=(1) _author_position=0
              12
            author
              1
              2
            tag
              5
              6
            book_tags
              (10) - (5) 1
              (10) - (6) 0
              (12) - (5) 0
            _pending_link
              book(12).author -> author(77)
              book(12).tags -> tag(88) at 1
            """, of: First.models)
    }

    @Test func `Renamed relationships keep members, order, pending edits and pending links`() async throws {
        let file = try await first()
        try await file.open(First.models) { store in
            try #require(try store.main.find(First.Book.self, 11)).author = try store.main.find(First.Author.self, 2)
            try await store.main.save()
        }
        try await file.expect(
            """
            volume
              10 writer_id=(1) _writer_position=1
              11 writer_id=(2) unsent: writer
              12
            writer
              1
              2
            tag
              5
              6
            volume_topics
              (10) - (5) 1
              (10) - (6) 0
              (12) - (5) 0
            _pending_link
              volume(12).topics -> tag(88) at 1
              volume(12).writer -> writer(77)
            """, of: Renamed.models)
        try await file.open(Renamed.models) { store in
            try await store.main.take(Renamed.Writer.self, #"{"id": 77}"#)
            #expect(try store.main.find(Renamed.Volume.self, 12)?.writer?.identifier == 77)
        }
    }

    enum Written {
        @Model final class Note {
            var identifier: Int?
            var at: Date?
            var size = 0
            var other: Topic?
        }
        @Model final class Topic {
            var identifier: Int?
            var notes: [Note]
        }
    }

    enum Rewritten {
        @Model(renamedFrom: "Note") final class Remark {
            var identifier: Int?
            @Attribute(renamedFrom: "at") var madeAt: Date?
            @Relationship(renamedFrom: "other") var topic: Topic?
        }
        @Model final class Topic {
            var identifier: Int?
            @Relationship(renamedFrom: "notes") var remarks: [Remark]
        }
    }

    @Test func `The wire shape of a value follows a renamed property`() async throws {
        let file = try MigratedFile()
        try await file.open([Written.Note.self, Written.Topic.self]) { store in
            try await store.main.take(
                Written.Note.self, #"{"id": 1, "at": 1500000000000, "size": "3", "other_id": "7"}"#)
        }
        let before = try Database(file.file.path).rows("SELECT property, shape FROM _wire_shape ORDER BY 1")
        try await file.open([Rewritten.Remark.self, Rewritten.Topic.self]) { store in
            let remark = store.schema.roots[0]
            let date = try #require(remark.property(named: "madeAt"))
            let text = try date.wireText(of: .real(1_500_000_001), store.file.shapes[remark.table, date.index])
            #expect(text == .raw("1500000001000"))
        }
        let after = try Database(file.file.path).rows("SELECT model, property, shape FROM _wire_shape ORDER BY 2")
        let names = ["identifier": "identifier", "at": "madeAt", "other": "topic"]
        let expected = before.compactMap { row in names[row[0] ?? ""].map { ["remark", $0, row[1]] } }
        #expect(after == expected.sorted { ($0[1] ?? "") < ($1[1] ?? "") })
        #expect(before.count == after.count + 1)
    }

    enum ByNumber {
        @Model final class Play {
            var identifier: Int?
            var ownerID: Int?
        }
        @Model final class Person {
            var identifier: Int?
        }
    }

    enum ByLink {
        @Model final class Play {
            var identifier: Int?
            @Relationship(inverse: nil) var owner: Person?
        }
        @Model final class Person {
            var identifier: Int?
        }
    }

    enum ByBoth {
        @Model final class Play {
            var identifier: Int?
            var ownerID: Int?
            @Relationship(inverse: nil) var owner: Person?
        }
        @Model final class Person {
            var identifier: Int?
        }
    }

    @Test func `A foreign key attribute and a link added later under its name keep both values`() async throws {
        let file = try MigratedFile()
        try await file.open([ByNumber.Play.self, ByNumber.Person.self]) { store in
            try await store.main.take(ByNumber.Play.self, #"{"id": 1, "owner_id": 7}"#)
        }
        try await file.open([ByBoth.Play.self, ByBoth.Person.self]) { store in
            let play = try #require(try store.main.find(ByBoth.Play.self, 1))
            #expect(play.ownerID == 7 && play.owner == nil)
            try await store.main.take(ByBoth.Play.self, #"{"id": 1, "owner_id": 8, "owner": {"id": 8}}"#)
            #expect(play.ownerID == 8 && play.owner?.identifier == 8)
        }
        try await file.open([ByNumber.Play.self, ByNumber.Person.self]) { store in
            let play = try #require(try store.main.find(ByNumber.Play.self, 1))
            #expect(play.ownerID == 8)
        }
    }

    @Test func `A link and an attribute added later under its name keep both values`() async throws {
        let file = try MigratedFile()
        try await file.open([ByLink.Play.self, ByLink.Person.self]) { store in
            try await store.main.take(ByLink.Play.self, #"{"id": 1, "owner": {"id": 7}}"#)
        }
        try await file.open([ByBoth.Play.self, ByBoth.Person.self]) { store in
            let play = try #require(try store.main.find(ByBoth.Play.self, 1))
            #expect(play.ownerID == nil && play.owner?.identifier == 7)
        }
        try await file.open([ByLink.Play.self, ByLink.Person.self]) { store in
            let play = try #require(try store.main.find(ByLink.Play.self, 1))
            #expect(play.owner?.identifier == 7)
        }
    }

    enum Partial {
        @Model final class Shelf {
            var identifier: Int?
            @Relationship(inverse: nil, merges: true) var books: [Book]
            @Relationship(inverse: nil, merges: true) var loans: [Book]
        }
        @Model final class Book {
            var identifier: Int?
        }
    }

    enum Moved {
        @Model(renamedFrom: "Shelf") final class Rack {
            var identifier: Int?
            @Relationship(inverse: nil, merges: true, renamedFrom: "books") var volumes: [Book]
        }
        @Model final class Book {
            var identifier: Int?
        }
    }

    @Test func `A partial list stays partial when its model and the list are renamed`() async throws {
        let file = try MigratedFile()
        try await file.open([Partial.Shelf.self, Partial.Book.self]) { store in
            try await store.main.take(
                Partial.Shelf.self, #"{"id": 1, "books": [{"id": 5}], "loans": [{"id": 5}]}"#)
        }
        let read = "SELECT source, relationship, is_whole FROM _paged_list ORDER BY 1, 2"
        #expect(try Database(file.file.path).rows(read) == [["shelf", "books", "0"], ["shelf", "loans", "0"]])
        try await file.open([Moved.Rack.self, Moved.Book.self]) { store in
            let rack = try #require(try store.main.find(Moved.Rack.self, 1))
            #expect(rack.$volumes.isPartial)
            store.main.delete(rack)
            try await store.main.save()
        }
        #expect(try Database(file.file.path).rows(read) == [])
    }

    @Test func `A renamed list that was imported stays whole, and a new list is partial`() async throws {
        let file = try await first()
        try await file.open(Renamed.models) { store in
            let volumes = try [10, 11].map { try #require(try store.main.find(Renamed.Volume.self, $0)) }
            #expect(volumes.map(\.$topics.isPartial) == [false, true])
            let writers = try [1, 2].map { try #require(try store.main.find(Renamed.Writer.self, $0)) }
            #expect(writers.map(\.$volumes.isPartial) == [false, true])
        }
        try await first().open(ManyAuthors.models) { store in
            let book = try #require(try store.main.find(ManyAuthors.Book.self, 10))
            #expect(!book.$tags.isPartial && book.$authors.isPartial)
            #expect(book.tags.map(\.$books.isPartial) == [true, true])
        }
    }

    @Test func `A migration turns a link into a list and a one-sided list into a two-sided one`() async throws {
        try await first().expect(
            """
            book
              10
              11
              12
            author
              1
              2
            tag
              5
              6
            book_authors
              (10) - (1) 0 1
              (11) - (1) 0 0
            book_tags
              (10) - (5) 1 -
              (10) - (6) 0 -
              (12) - (5) 0 -
            _pending_link
              book(12).authors -> author(77)
              book(12).tags -> tag(88) at 1
            """, of: ManyAuthors.models)
    }

    @Test func `A two-sided list survives a migration to one-sided and back`() async throws {
        let file = try await first()
        let before = try await file.open(First.models) { try $0.dump() }
        try await file.open(ManyAuthors.models)
        let back = try await file.open(First.models) { try $0.dump() }
        // `authors` becomes `author` only by a declaration; books are found again by the other side's list.
        #expect(back == before.replacing("  book(12).author -> author(77)\n", with: ""))
    }

    @Test func `A list with one member becomes a link`() async throws {
        let file = try await first(#"[{"id": 6}]"#)
        try await file.open(First.models) { try await $0.main.take(First.Book.self, #"{"id": 12, "tag_ids": [6]}"#) }
        try await file.expect(
            """
            book
              10 author_id=(1) tag_id=(6) _author_position=1
              11 author_id=(1) _author_position=0
              12 tag_id=(6)
            author
              1
              2
            tag
              6
            _pending_link
              book(12).author -> author(77)
            """, of: OneTag.models)
    }

    @Test func `A list with several members can't become a link`() async throws {
        let file = try await first()
        let reasons = try await file.refusal(OneTag.models)
        #expect(reasons.count == 1)
        #expect(reasons.first?.hasPrefix("Book.tag has room for one member now, and 1 object has more") ?? false)
    }

    @Test func `A many-to-many list becomes a list of one owner and back`() async throws {
        let file = try await first(#"[{"id": 6}, {"id": 5}]"#)
        // Tag 5 is in two lists.
        let reasons = try await file.refusal(TagsOfOneBook.models)
        #expect(reasons.first?.hasPrefix("Book.tags has room for one owner now, and 1 object has more") ?? false)
        try await file.open(First.models) { try await $0.main.take(First.Book.self, #"{"id": 12, "tags": []}"#) }
        try await file.expect(
            """
            book
              10 author_id=(1) _author_position=1
              11 author_id=(1) _author_position=0
              12
            author
              1
              2
            tag
              5 book_id=(10) _book_position=1
              6 book_id=(10) _book_position=0
            _pending_link
              book(12).author -> author(77)
            """, of: TagsOfOneBook.models)
        // And back.
        try await file.open(First.models) { store in
            let book = try store.main.find(First.Book.self, 10)
            #expect(book?.tags.map(\.identifier) == [6, 5])
        }
    }

    @Test func `Pending memberships refuse a migration from many-to-many to one-to-many`() async throws {
        let file = try await first()
        try await file.open(First.models) { store in
            try await store.main.take(First.Book.self, #"{"id": 12, "tags": []}"#)
            let book = try #require(try store.main.find(First.Book.self, 10))
            book.tags = book.tags.filter { $0.identifier == 6 }
            try await store.main.save()
        }
        #expect(
            try await file.refusal(TagsOfOneBook.models) == [
                "Book.tags has room for one owner now, and 1 membership has a change that the server has not confirmed: "
                    + "send them first, with the models as they were, or let go of them with "
                    + "`Migration.discarding(\"Book.tags\")`"
            ])
        try await file.open(TagsOfOneBook.models, [Migration("let go").discarding("Book.tags")]) { store in
            let book = try #require(try store.main.find(TagsOfOneBook.Book.self, 10))
            #expect(book.tags.map(\.identifier) == [6] && book.unsentProperties.isEmpty)
        }
    }

    @Test func `A removed model is discarded while another removed model that links to it stays`() async throws {
        let file = try await first()
        try await file.open([Label.self])
        try await file.open([Label.self], [Migration("no authors").discarding("Author", "Tag")])
        try await file.open(First.models) { store in
            let books = try store.main.query(First.Book.self).fetch()
            #expect(books.compactMap(\.identifier).sorted() == [10, 11, 12])
            #expect(books.allSatisfy { $0.author == nil && $0.tags.isEmpty })
            #expect(try store.main.query(First.Author.self).count() == 0)
            #expect(try store.main.query(First.Tag.self).count() == 0)
        }
    }

    @Test func `Removed relationships drop their columns and pending links`() async throws {
        try await first().expect(
            """
            book
              10
              11
              12
            author
              1
              2
            tag
              5
              6
            book_tags
              (10) - (5) 1
              (10) - (6) 0
              (12) - (5) 0
            _pending_link
              book(12).tags -> tag(88) at 1
            """, of: NoAuthor.models)
    }
}
