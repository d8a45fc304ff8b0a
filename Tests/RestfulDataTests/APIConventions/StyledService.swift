import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// A service of one house style: the requests of the program of ``HouseStyleTests``, and the replies.
struct StyledService: Sendable, CustomTestStringConvertible {
    let name: String
    let conventions: APIConventions
    /// The requests, each with its reply; 204 if that is missing.
    let exchanges: [(request: String, reply: String)]

    var testDescription: String { name }
    var log: [String] { exchanges.map(\.request) }

    func reply(to request: APIRequest) -> StubTransport.Reply {
        reply(to: request.line + (request.body?.bytes.map { " " + String(decoding: $0, as: UTF8.self) } ?? ""))
    }

    func reply(to line: String) -> StubTransport.Reply {
        guard let exchange = exchanges.first(where: { $0.request == line }) else { return .status(418) }
        guard !exchange.reply.isEmpty else { return .status(204) }
        // A reply may begin with a line of its own for the `Link` field.
        guard exchange.reply.hasPrefix("Link: "), let end = exchange.reply.firstIndex(of: "\n") else {
            return .json(exchange.reply)
        }
        let link = String(exchange.reply[..<end].dropFirst("Link: ".count))
        return .json(String(exchange.reply[end...]), headerFields: [HTTPField.Name("Link")!: link])
    }

    static let all = [rails, railsWithRoots, github, djangoREST, jsonAPI, camelCase]

    static let rails = StyledService(
        name: "Rails", conventions: .rails,
        exchanges: [
            (#"POST /authors {"full_name":"Ada Lovelace"}"#, #"{"id": 7, "full_name": "Ada Lovelace"}"#),
            (#"POST /articles {"title":"Notes","author_id":7,"reviewer_ids":[7]}"#, #"{"id": 1, "word_count": 20000}"#),
            (#"PATCH /articles/1 {"title":"Notes on the Engine","author_id":null}"#, ""),
            ("GET /articles/1", #"{"id": 1, "author": {"id": 7}, "reviewer_ids": [7]}"#),
            (#"POST /comments {"text":"First!","article_id":1}"#, #"{"id": 30, "article_id": 1}"#),
            (#"PATCH /comments/30 {"text":"Second."}"#, #"{"id": 30, "text": "Second."}"#),
            ("DELETE /comments/30", ""),
            (
                "GET /articles",
                """
                Link: </articles?page=2>; rel="next"
                [{"id": 1}, {"id": 2, "title": "Two", "word_count": 2}]
                """
            ),
            ("GET /articles?page=2", #"[{"id": 3, "title": "Three", "word_count": 3}]"#),
            ("GET /authors/7/articles", #"[{"id": 3}, {"id": 1}]"#),
            ("GET /articles/drafts", "[]"),
        ])

    /// As by `ActiveModel::Serializers` and `wrap_parameters`.
    static let railsWithRoots = StyledService(
        name: "Rails with root elements", conventions: APIConventions.rails.wrapped(.byName),
        exchanges: [
            (
                #"POST /authors {"author":{"full_name":"Ada Lovelace"}}"#,
                #"{"author": {"id": 7, "full_name": "Ada Lovelace"}}"#
            ),
            (
                #"POST /articles {"article":{"title":"Notes","author_id":7,"reviewer_ids":[7]}}"#,
                #"{"meta": {}, "article": {"id": 1, "word_count": 20000}}"#
            ),
            (#"PATCH /articles/1 {"article":{"title":"Notes on the Engine","author_id":null}}"#, ""),
            ("GET /articles/1", #"{"article": {"id": 1, "author": {"id": 7}, "reviewer_ids": [7]}}"#),
            (
                #"POST /comments {"comment":{"text":"First!","article_id":1}}"#,
                #"{"comment":{"id": 30, "article_id": 1}}"#
            ),
            // The parts of a service may differ.
            (#"PATCH /comments/30 {"comment":{"text":"Second."}}"#, #"{"id": 30, "text": "Second."}"#),
            ("DELETE /comments/30", #"{"comment": null}"#),
            (
                "GET /articles",
                """
                Link: </articles?page=2>; rel="next"
                {"articles": [{"id": 1}, {"id": 2, "title": "Two", "word_count": 2}], "meta": {"page": 1}}
                """
            ),
            ("GET /articles?page=2", #"{"articles": [{"id": 3, "title": "Three", "word_count": 3}]}"#),
            ("GET /authors/7/articles", #"{"articles": [{"id": 3}, {"id": 1}]}"#),
            ("GET /articles/drafts", #"{"articles": null}"#),
        ])

    static let github = StyledService(
        name: "GitHub", conventions: .github,
        exchanges: rails.exchanges.dropLast()
            + [("GET /articles/drafts", #"{"total_count": 0, "incomplete_results": false, "items": []}"#)])

    static let djangoREST = StyledService(
        name: "Django REST Framework", conventions: .djangoREST,
        exchanges: [
            (#"POST /authors/ {"full_name":"Ada Lovelace"}"#, #"{"id": 7, "full_name": "Ada Lovelace"}"#),
            (
                #"POST /articles/ {"title":"Notes","author":7,"reviewers":[7]}"#,
                #"{"id": 1, "title": "Notes", "word_count": 20000, "author": 7, "reviewers": [7], "comments": []}"#
            ),
            (#"PATCH /articles/1/ {"title":"Notes on the Engine","author":null}"#, ""),
            ("GET /articles/1/", #"{"id": 1, "author": 7, "reviewers": [7], "comments": []}"#),
            (#"POST /comments/ {"text":"First!","article":1}"#, #"{"id": 30, "text": "First!", "article": 1}"#),
            (#"PATCH /comments/30/ {"text":"Second."}"#, #"{"id": 30, "text": "Second.", "article": 1}"#),
            ("DELETE /comments/30/", ""),
            (
                "GET /articles/",
                """
                {"count": 3, "next": "https://api.example.com/articles/?page=2", "previous": null,
                 "results": [{"id": 1}, {"id": 2, "title": "Two", "word_count": 2}]}
                """
            ),
            (
                "GET /articles/?page=2",
                """
                {"count": 3, "next": null, "previous": "https://api.example.com/articles/",
                 "results": [{"id": 3, "title": "Three", "word_count": 3}]}
                """
            ),
            (
                "GET /authors/7/articles/",
                #"{"count": 2, "next": null, "previous": null, "results": [{"id": 3}, {"id": 1}]}"#
            ),
            // Without pagination a list is a list.
            ("GET /articles/drafts/", "[]"),
        ])

    static let jsonAPI = StyledService(
        name: "JSON:API", conventions: .jsonAPI,
        exchanges: [
            (
                #"POST /authors {"data":{"type":"authors","attributes":{"fullName":"Ada Lovelace"}}}"#,
                #"{"data": {"type": "authors", "id": "7", "attributes": {"fullName": "Ada Lovelace"}}}"#
            ),
            (
                #"POST /articles {"data":{"type":"articles","attributes":{"title":"Notes"},"relationships":"#
                    + #"{"author":{"data":{"type":"authors","id":"7"}},"#
                    + #""reviewers":{"data":[{"type":"authors","id":"7"}]}}}}"#,
                #"{"data": {"type": "articles", "id": "1", "attributes": {"wordCount": 20000}}}"#
            ),
            (
                #"PATCH /articles/1 {"data":{"type":"articles","id":"1","attributes":{"title":"Notes on the Engine"},"#
                    + #""relationships":{"author":{"data":null}}}}"#, ""
            ),
            (
                "GET /articles/1",
                """
                {"data": {"type": "articles", "id": "1", "relationships": {
                    "author": {"links": {"related": "/articles/1/author"}, "data": {"type": "authors", "id": "7"}},
                    "reviewers": {"data": [{"type": "authors", "id": "7"}]},
                    "comments": {"links": {"related": "/articles/1/comments"}}}},
                 "jsonapi": {"version": "1.1"}}
                """
            ),
            (
                #"POST /comments {"data":{"type":"comments","attributes":{"text":"First!"},"relationships":"#
                    + #"{"article":{"data":{"type":"articles","id":"1"}}}}}"#,
                #"{"data": {"type": "comments", "id": "30"}}"#
            ),
            (
                #"PATCH /comments/30 {"data":{"type":"comments","id":"30","attributes":{"text":"Second."}}}"#,
                #"{"meta": {"revision": 2}}"#
            ),
            ("DELETE /comments/30", ""),
            (
                "GET /articles",
                """
                {"links": {"self": "/articles", "next": "/articles?page[number]=2"},
                 "data": [{"type": "articles", "id": "1"},
                          {"type": "articles", "id": "2", "attributes": {"title": "Two", "wordCount": 2}}]}
                """
            ),
            (
                "GET /articles?page%5Bnumber%5D=2",
                """
                {"links": {"prev": {"href": "/articles"}, "next": null},
                 "data": [{"type": "articles", "id": "3", "attributes": {"title": "Three", "wordCount": 3}}]}
                """
            ),
            (
                "GET /authors/7/articles",
                #"{"data": [{"type": "articles", "id": "3"}, {"type": "articles", "id": "1"}]}"#
            ),
            ("GET /articles/drafts", #"{"data": []}"#),
        ])

    static let camelCase = StyledService(
        name: "camelCase", conventions: .camelCase,
        exchanges: rails.exchanges.map { request, reply in (request.inCamelCase, reply.inCamelCase) })
}

extension APIConventions {
    fileprivate func wrapped(_ envelopes: Envelopes) -> APIConventions {
        var copy = self
        copy.envelopes = envelopes
        return copy
    }
}

extension String {
    fileprivate var inCamelCase: String {
        replacing(/_(\w)/) { $0.output.1.uppercased() }
    }
}
