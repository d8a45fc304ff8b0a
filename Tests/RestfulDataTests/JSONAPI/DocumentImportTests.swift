import Foundation
import RestfulData
import RestfulDataTesting
import TestSupport
import Testing

/// Import of JSON:API 1.1 documents.
@MainActor @Suite struct DocumentImportTests {
    private typealias Article = Library.Article
    private typealias Comment = Library.Comment
    private typealias Person = Library.Person

    private let store: Store

    init() throws { store = try Store(.temporary, models: Library.models, conventions: .jsonAPI) }

    @discardableResult
    private func take(_ document: String) async throws -> Imported<Library.Article> {
        try await store.main.import(Library.Article.self, from: Array(document.utf8))
    }

    private static let frontPageContents = """
        Person 9
          identifier = 9
          firstName = "Dan"
          lastName = "Gebhardt"
          twitter = "dgeb"
        Article 1
          identifier = 1
          title = "JSON:API paints my bikeshed!"
          page = <http://example.com/articles/1>
          author → Person 9
          comments → Comment 5, Comment 12
        Comment 5
          identifier = 5
          body = "First!"
          article → Article 1
        Comment 12
          identifier = 12
          body = "I like XML better"
          author → Person 9
          article → Article 1

        """

    @Test func `The front page example of JSON:API is imported as a graph`() async throws {
        let imported = try await take(Library.frontPage)
        #expect(imported.objects.map(\.identifier) == [1])
        #expect(imported.report.description == "4 inserted, 0 updated, 0 unchanged, 1 links pending")
        #expect(try await store.contents() == Self.frontPageContents)

        let again = try await take(Library.frontPage)
        #expect(again.report.description == "0 inserted, 0 updated, 4 unchanged, 1 links pending")

        // The author of the first comment was not included.
        let comment = try #require(try store.main.find(Comment.self, 5))
        #expect(comment.author == nil)
        try await store.main.import(
            Person.self, from: Array(#"{"data": {"type": "people", "id": "2", "attributes": {"twitter": "x"}}}"#.utf8))
        #expect(comment.author?.twitter == "x")
    }

    /// https://jsonapi.org/format/#document-links-link-object
    @Test(
        arguments: [
            (#""http://example.com/1""#, "http://example.com/1"),
            (#"{"href": "http://example.com/1", "title": "One"}"#, "http://example.com/1"),
            (#"{"meta": {"href": "no"}, "href": "http://example.com/1"}"#, "http://example.com/1"),
            (#"{"href": null}"#, nil), ("null", nil),
        ])
    func `A JSON:API link is a URL or an object with one`(_ link: String, _ url: String?) async throws {
        func article(_ link: String) -> String {
            #"{"data": {"type": "articles", "id": "1", "links": {"self": \#(link), "about": {"href": "x"}}}}"#
        }
        try await take(article(#""http://example.com/0""#))
        let imported = try await take(article(link))
        #expect(imported.objects.map(\.page?.absoluteString) == [url])
        #expect(imported.report.mismatched.isEmpty)
    }

    @Test(arguments: ["{}", #"{"url": "http://example.com/1"}"#, #"{"href": 7}"#, "[]"])
    func `An invalid JSON:API link is reported`(_ link: String) async throws {
        let imported = try await take(
            #"{"data": {"type": "articles", "id": "1", "links": {"self": \#(link)}}}"#)
        #expect(imported.objects.map(\.page) == [nil])
        #expect(imported.report.mismatched.map(\.path) == ["data.links.self"])
    }

    /// Documents with the identities of their objects, and the resulting report.
    @Test(
        arguments: [
            (#"{"data": null}"#, [], "0 inserted, 0 updated, 0 unchanged"),
            (#"{"data": []}"#, [], "0 inserted, 0 updated, 0 unchanged"),
            (
                #"{"data": {"type": "articles", "id": "42"}, "jsonapi": {"version": "1.1"}}"#, [42],
                "1 inserted, 0 updated, 0 unchanged"
            ),
            (
                #"{"included": [], "data": [{"id": "2", "type": "articles"}, {"type": "articles", "id": 1}]}"#, [2, 1],
                "2 inserted, 0 updated, 0 unchanged"
            ),
            // Types are matched by the models' names in any case; a document may have a single resource object.
            (#"{"data": {"type": "Article", "id": "1"}}"#, [1], "1 inserted, 0 updated, 0 unchanged"),
            (#"{"type": "articles", "id": "1"}"#, [1], "1 inserted, 0 updated, 0 unchanged"),
            (#"[{"type": "articles", "id": "1"}]"#, [1], "1 inserted, 0 updated, 0 unchanged"),
            (#"{"data": {"id": "1", "attributes": {"title": "no type"}}}"#, [1], "1 inserted, 0 updated, 0 unchanged"),
            // An object that is included twice is one row.
            (
                #"{"data": {"type": "articles", "id": "1"}, "included": [{"type": "people", "id": "9"}, {"type": "people", "id": "9", "attributes": {"twitter": "t"}}, {"type": "articles", "id": "1", "attributes": {"title": "A"}}]}"#,
                [1], "2 inserted, 0 updated, 0 unchanged"
            ),
            // A service may include more than one has models for.
            (
                #"{"data": {"type": "articles", "id": "1"}, "included": [{"type": "tags", "id": "1", "attributes": {"title": "x"}}, {"id": "3"}, null, 7]}"#,
                [1], "1 inserted, 0 updated, 0 unchanged"
            ),
            (
                #"{"meta": {"count": 0}}"#, [],
                #"0 inserted, 0 updated, 0 unchanged, 1 rejected (the body: neither "data" nor anything of an Article)"#
            ),
            (
                #"{"data": {"type": "articles"}}"#, [],
                #"0 inserted, 0 updated, 0 unchanged, 1 rejected (data: an Article without an identity ("id"))"#
            ),
            (
                #"{"data": [{"type": "tags", "id": "7"}, {"type": "articles", "id": "1"}]}"#, [1],
                #"1 inserted, 0 updated, 0 unchanged, 1 rejected (data[0]: a resource of type "tags", which is not Article's; name it with @Model(resourceType:) if it is)"#
            ),
            (
                #"{"data": [{"type": "people", "id": "7"}, 3]}"#, [],
                #"1 inserted, 0 updated, 0 unchanged, 2 rejected (data[0]: a resource of type "people", which is not Article's; name it with @Model(resourceType:) if it is; data[1]: 3 where an Article was expected)"#
            ),
            (
                #"{"data": {"type": "articles", "id": "1", "attributes": {"title": {}, "wordCount": "many"}}}"#, [1],
                #"1 inserted, 0 updated, 0 unchanged, 2 mismatched (data.attributes.title: an object where a string was expected; data.attributes.wordCount: "many" where a whole number was expected)"#
            ),
        ] as [(String, [Int], String)])
    func `Each form of a JSON:API document is imported`(document: String, identities: [Int], report: String)
        async throws
    {
        let imported = try await take(document)
        #expect(imported.objects.map(\.identifier) == identities)
        #expect(imported.report.description == report)
    }

    @Test(
        arguments: [
            (#"{"data": [], "data": []}"#, .duplicateKey),
            (#"{"data": {"type": "articles", "id": "1", "attributes": {"title": "a", "title": "b"}}}"#, .duplicateKey),
            (
                #"{"data": {"type": "articles", "id": "1", "relationships": {"author": {"data": null, "data": {}}}}}"#,
                .duplicateKey
            ),
            (#"{"data": {"type": "articles", "id": "1"}, "meta": {"x"}}"#, .expectedColon),
            (#"{"data": [}"#, .expectedValue), (#"{"included": [{"type"}]}"#, .expectedColon),
        ] as [(String, JSONError.Reason)])
    func `A document with invalid JSON or duplicate keys is refused whole`(
        _ document: String, _ reason: JSONError.Reason
    ) async throws {
        await #expect {
            _ = try await take(document).report
        } throws: { error in
            if case .json(let json) = error as? StoreError { json.reason == reason } else { false }
        }
        #expect(try await store.contents() == "")
    }

    // MARK: Attributes

    @Test func `Properties that a sparse document leaves out stay unchanged`() async throws {
        try await take(Library.frontPage)
        let before = try await store.contents()
        for resource in [
            #"{"type": "articles", "id": "1"}"#, #"{"type": "articles", "id": "1", "attributes": {}}"#,
            #"{"type": "articles", "id": "1", "relationships": {"author": {"links": {"related": "/x"}}}}"#,
            #"{"type": "articles", "id": "1", "relationships": {"author": {"meta": {}}, "comments": {}, "reviewers": null}}"#,
            #"{"type": "articles", "id": "1", "attributes": null, "relationships": [], "links": null, "meta": 7}"#,
            // An attribute is only read from the attributes, and a relationship only from the relationships.
            #"{"type": "articles", "id": "1", "title": "x", "author": null, "attributes": {"author": null, "id": 4}}"#,
            #"{"type": "articles", "id": "1", "relationships": {"title": {"data": null}}}"#,
        ] {
            let report = try await take("{\"data\": \(resource)}").report
            #expect(report.unchanged == 1 && report.updated == 0 && report.mismatchedCount == 0, "\(resource)")
            #expect(try await store.contents() == before, "\(resource)")
        }
    }

    @Test func `Key paths lead into attributes, links and meta of a resource`() async throws {
        let article = try await take(
            """
            {"data": {"type": "articles", "id": "1", "meta": {"revision": 3}, "links": {"self": "/articles/1"},
              "attributes": {"layout": {"columns": 2, "rows": 1}, "word_count": 7}}}
            """
        ).objects[0]
        #expect(article.revision == 3 && article.page?.path() == "/articles/1" && article.columns == 2)
        #expect(article.wordCount == 7, "a name that differs in word breaks alone")
    }

    // MARK: Relationships

    @Test func `Linkage sets a pending link and inserts no row`() async throws {
        let article = try await take(
            """
            {"data": {"type": "articles", "id": "1", "relationships": {
              "author": {"data": {"type": "people", "id": "9", "meta": {"x": 1}}},
              "reviewers": {"data": [{"id": "3", "type": "people"}, {"type": "people", "id": "9"}]}}}}
            """
        ).objects[0]
        #expect(article.author == nil && article.reviewers.isEmpty)
        #expect(try store.main.query(Person.self).count() == 0)
        for id in [9, 3] {
            try await store.main.import(
                Person.self, from: Array(#"{"data": {"type": "people", "id": "\#(id)"}}"#.utf8))
        }
        #expect(article.author?.identifier == 9)
        #expect(Set(article.reviewers.map(\.identifier)) == [3, 9])
    }

    @Test func `Null linkage clears a link, and an empty one a list`() async throws {
        let article = try await take(Library.frontPage).objects[0]
        try await take(
            """
            {"data": {"type": "articles", "id": "1",
              "relationships": {"author": {"data": null}, "comments": {"data": []}}}}
            """)
        #expect(article.author == nil && article.comments.isEmpty)
        #expect(try store.main.query(Comment.self).count() == 2)
    }

    @Test(arguments: [
        (
            #"{"author": {"data": {"type": "comments", "id": "5"}}}"#,
            #""comments" where a resource identifier of type "people""#
        ),
        (#"{"author": {"data": {"type": "people"}}}"#, #"no "id" where an identity of Person was expected"#),
        (#"{"author": {"data": {"id": "9"}}}"#, #"an object where a resource identifier of type "people""#),
        (
            #"{"author": {"data": {"type": "people", "id": "nine"}}}"#,
            #""nine" where an identity of Person was expected"#
        ),
        (#"{"author": {"data": {"id": 9.5, "type": "people"}}}"#, "9.5 where an identity of Person was expected"),
        (
            #"{"comments": {"data": [{"type": "comments", "id": ""}]}}"#,
            #""" where an identity of Comment was expected"#
        ),
        (#"{"author": {"data": {}}}"#, "an object where a resource identifier"),
        (#"{"author": {"data": 9}}"#, "9 where a resource identifier or null"),
        (#"{"author": {"data": [{"type": "people", "id": "9"}]}}"#, "an array where a resource identifier or null"),
        (
            #"{"comments": {"data": {"type": "comments", "id": "5"}}}"#,
            "an object where an array of resource identifiers"
        ),
    ])
    func `Linkage of a wrong form is reported and changes nothing`(_ relationships: String, _ found: String)
        async throws
    {
        try await take(Library.frontPage)
        let before = try await store.contents()
        let report = try await take(
            "{\"data\": {\"type\": \"articles\", \"id\": \"1\", \"relationships\": \(relationships)}}"
        ).report
        #expect(report.mismatched.map(\.description).contains { $0.contains(found) }, "\(report)")
        #expect(try await store.contents() == before)
    }

    @Test func `An unreadable member of linkage is reported and unlinks no member`() async throws {
        try await take(Library.frontPage)
        let imported = try await take(
            """
            {"data": {"type": "articles", "id": "1", "relationships": {"comments": {"data": [
              {"type": "comments", "id": "12"}, {"type": "people", "id": "9"}, null, {"type": "comments", "id": "5"}]}}}}
            """)
        #expect(imported.objects[0].comments.map(\.identifier) == [5, 12])
        #expect(imported.report.mismatchedCount == 2 && imported.report.partialLists == 1)
    }

    @Test(arguments: [
        (#""attributes": 5"#, "data.attributes: 5 where an object was expected"),
        (#""relationships": {"author": "9"}"#, #"data.relationships.author: "9" where an object was expected"#),
    ])
    func `A JSON:API value of a wrong type is reported by its type`(_ member: String, _ told: String) async throws {
        let report = try await take(#"{"data": {"type": "articles", "id": "1", \#(member)}}"#).report
        #expect(report.mismatched.map(\.description) == [told])
    }

    @Test func `Resources that link to each other are imported in any order`() async throws {
        let people = (1...3).map { #"{"type": "people", "id": "\#($0)"}"# }
        let comments = (1...4).map {
            """
            {"type": "comments", "id": "\($0)", "relationships": {
              "author": {"data": \(people[$0 % 3])}, "article": {"data": {"type": "articles", "id": "1"}}}}
            """
        }
        let article = """
            {"type": "articles", "id": "1", "relationships": {
              "reviewers": {"data": [\(people[2]), \(people[0]), \(people[1])]},
              "comments": {"data": [\([3, 1, 4, 2].map { "{\"type\":\"comments\",\"id\":\"\($0)\"}" }.joined(separator: ","))]}}}
            """
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<20 {
            let store = try Store(.temporary, models: Library.models, conventions: .jsonAPI)
            let included = ([article] + people + comments).shuffled(using: &generator).joined(separator: ",")
            try await store.main.import(
                Person.self, from: Array("{\"data\": \(people[0]), \"included\": [\(included)]}".utf8))
            let imported = try #require(try store.main.find(Article.self, 1))
            #expect(imported.reviewers.map(\.identifier) == [3, 1, 2])
            #expect(imported.comments.map(\.identifier) == [3, 1, 4, 2])
            #expect(imported.comments.allSatisfy { $0.author?.identifier == (($0.identifier ?? 0) % 3) + 1 })
        }
    }

    @Test func `A renamed resource is matched by its former id`() async throws {
        let store = try Store(.temporary, models: Library.models, conventions: .jsonAPI)
        let article = try await store.main.import(Article.self, from: Array(Library.frontPage.utf8)).objects[0]
        let person = try #require(article.author)
        person.identifier = 90
        article.comments[0].identifier = 50
        try await store.main.save()
        try await store.main.import(Article.self, from: Array(Library.frontPage.utf8))
        #expect(article.author === person && person.identifier == 90)
        #expect(article.comments.map(\.identifier) == [50, 12])
        #expect(try store.main.query(Person.self).count() == 1)
        #expect(try store.main.query(Comment.self).count() == 2)
    }
}
