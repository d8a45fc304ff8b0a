import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// Error bodies of servers of every style, and the resulting field errors by Swift property name.
@MainActor @Suite struct ReplyShapeTests {
    nonisolated struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var status: Int
        let body: String
        var kind = ReplyError.Kind.validation
        var message: String?
        var code: String?
        var fields: [String: [String]] = [:]
        var objectErrors: [String] = []

        init(
            _ name: String, _ status: Int, _ body: String, kind: ReplyError.Kind = .validation,
            message: String? = nil, code: String? = nil, fields: [String: [String]] = [:], object: [String] = []
        ) {
            testDescription = name
            self.status = status
            self.body = body
            self.kind = kind
            self.message = message
            self.code = code
            self.fields = fields
            objectErrors = object
        }

        init(
            _ name: String, _ body: String, message: String? = nil, code: String? = nil,
            fields: [String: [String]] = [:], object: [String] = []
        ) {
            self.init(name, 422, body, message: message, code: code, fields: fields, object: object)
        }
    }

    private func error(_ status: Int, _ body: String) async throws -> ReplyError {
        let service = try Service(
            stub: StubTransport { _ in .init(status: status, headerFields: [:], body: Array(body.utf8)) })
        let post = Post(in: service.main)
        return try #require(await failure { try await post.create() }?.reply)
    }

    @Test(arguments: rails + django + gitHub + documents + others)
    func `An error reply's message, code and property errors are read`(
        _ shape: Shape
    ) async throws {
        let error = try await error(shape.status, shape.body)
        #expect(error.kind == shape.kind)
        #expect(error.status == shape.status)
        #expect(error.message == shape.message)
        #expect(error.code == shape.code)
        #expect(error.fields == shape.fields)
        #expect(error.objectErrors == shape.objectErrors)
        #expect(error.body == Array(shape.body.utf8))
    }

    nonisolated static let rails = [
        Shape(
            "Rails, bare",
            #"{"title": ["can't be blank", "is too short"], "author_id": ["must exist"], "base": ["Closed"]}"#,
            fields: ["title": ["can't be blank", "is too short"], "author": ["must exist"]], object: ["Closed"]),
        Shape(
            "Rails, below errors", #"{"errors": {"published_at": ["is in the past"], "tags": "too many"}}"#,
            fields: ["publishedAt": ["is in the past"], "tags": ["too many"]]),
        Shape(
            "Rails, full messages",
            #"{"errors": ["Title can't be blank", "Author must exist", "Published at is odd", "Nope", "Reader ids bad"]}"#,
            fields: ["title": ["can't be blank"], "author": ["must exist"], "publishedAt": ["is odd"]],
            object: ["Nope", "Reader ids bad"]),
        Shape(
            "Rails, full messages whose words are like those of a property",
            #"{"errors": ["IS PUBLIC must be set", "Meta.wordCount is odd", "Title", "Title ", "Titles are odd"]}"#,
            fields: ["isPublic": ["must be set"], "wordCount": ["is odd"]],
            object: ["Title", "Title ", "Titles are odd"]),
        Shape(
            "Rails, nested attributes",
            #"{"comments.text": ["is empty"], "comments[1].text": ["is long"], "cover_attributes": {"width": ["odd"]}}"#,
            fields: ["comments.text": ["is empty"], "comments[1].text": ["is long"], "cover.width": ["odd"]]),
        Shape(
            "Rails, details", #"{"errors": {"title": [{"error": "blank"}], "base": [{"error": "closed"}]}}"#,
            fields: ["title": ["blank"]], object: ["closed"]),
        Shape(
            "Rails, its own page", 404, #"{"status": 404, "error": "Not Found"}"#, kind: .notFound,
            message: "Not Found"),
        Shape("text for a field", #"{"title": "can't be blank"}"#, fields: ["title": ["can't be blank"]]),
        Shape(
            "Laravel", #"{"message": "The given data was invalid.", "errors": {"is_public": ["No."]}}"#,
            message: "The given data was invalid.", fields: ["isPublic": ["No."]]),
    ]

    nonisolated static let django = [
        Shape(
            "Django REST Framework", 400,
            #"{"title": ["Required."], "non_field_errors": ["Too late."], "reader_ids": ["No such pk."]}"#,
            fields: ["title": ["Required."], "readers": ["No such pk."]], object: ["Too late."]),
        Shape(
            "Django REST Framework, only the whole", 400, #"{"non_field_errors": ["Too late."]}"#,
            object: ["Too late."]),
        Shape(
            "Django REST Framework, nested", 400,
            #"{"meta": {"source": ["Too long."]}, "author": {"name": ["Required."], "non_field_errors": ["Bad."]}}"#,
            fields: ["source": ["Too long."], "author.name": ["Required."], "author": ["Bad."]]),
        Shape(
            "Django REST Framework, a list within", 400, #"{"comments": [{}, {"text": ["Required."]}]}"#,
            fields: ["comments[1].text": ["Required."]]),
        Shape(
            "Django REST Framework, a list", 400, #"[{}, {"title": ["Required."]}, {"is_public": ["Bad."]}]"#,
            fields: ["[1].title": ["Required."], "[2].isPublic": ["Bad."]]),
        Shape("Django REST Framework, texts", 400, #"["Too late."]"#, kind: .validation, object: ["Too late."]),
        Shape(
            "Django REST Framework, one text", 403, #"{"detail": "Not allowed."}"#, kind: .forbidden,
            message: "Not allowed."),
        Shape(
            "Django REST Framework, full details", 400, #"{"title": [{"message": "Required.", "code": "required"}]}"#,
            code: "required", fields: ["title": ["Required."]]),
        Shape(
            "Django REST Framework, camelCase", 400, #"{"isPublic": ["Bad."], "nonFieldErrors": ["Late."]}"#,
            fields: ["isPublic": ["Bad."]], object: ["Late."]),
        Shape(
            "FastAPI", #"{"detail": [{"loc": ["body", "comments", 1, "text"], "msg": "field required", "type": "x"}]}"#,
            code: "x", fields: ["comments[1].text": ["field required"]]),
    ]

    nonisolated static let gitHub = [
        Shape(
            "GitHub",
            """
            {"message": "Validation Failed", "errors": [{"resource": "Post", "field": "is_public", "code": "invalid"},
             {"resource": "Post", "field": "meta.source", "code": "custom", "message": "is too long"},
             {"resource": "Post", "code": "missing"}, "No more than five tags"]}
            """,
            message: "Validation Failed", fields: ["isPublic": ["invalid"], "source": ["is too long"]],
            object: ["missing", "No more than five tags"]),
        Shape(
            "GitHub, one error",
            #"{"message": "Validation Failed", "errors": [{"field": "title", "code": "missing_field"}]}"#,
            message: "Validation Failed", code: "missing_field", fields: ["title": ["missing_field"]]),
        Shape(
            "GitHub, no JSON", 400, #"{"message": "Problems parsing JSON", "documentation_url": "https://x"}"#,
            kind: .other, message: "Problems parsing JSON"),
        Shape(
            "GitLab", 400, #"{"message": {"title": ["has already been taken"]}}"#,
            fields: ["title": ["has already been taken"]]),
        Shape(
            "GitLab, texts", 400, #"{"message": ["Title is too long", "Late"]}"#,
            fields: ["title": ["is too long"]], object: ["Late"]),
        Shape(
            "OAuth", 401, #"{"error": "invalid_token", "error_description": "Token was revoked."}"#,
            kind: .unauthorized, message: "Token was revoked.", code: "invalid_token"),
        Shape(
            "Stripe", 400,
            #"{"error": {"type": "invalid_request_error", "message": "Bad title.", "param": "title", "code": "bad"}}"#,
            message: "Bad title.", code: "bad", fields: ["title": ["Bad title."]]),
        Shape(
            "Stripe, nested", 400, #"{"error": {"message": "No.", "param": "comments[0][text]", "type": "invalid"}}"#,
            message: "No.", code: "invalid", fields: ["comments[0].text": ["No."]]),
        Shape(
            "Stripe, a card", 402, #"{"error": {"message": "Declined.", "code": "card_declined"}}"#, kind: .other,
            message: "Declined.", code: "card_declined"),
        Shape(
            "Google", 400,
            #"""
            {"error": {"code": 400, "message": "Bad.", "status": "INVALID_ARGUMENT",
             "details": [{"fieldViolations": [{"field": "is_public", "description": "Must be set."}]}]}}
            """#,
            message: "Bad.", code: "400", fields: ["isPublic": ["Must be set."]]),
    ]

    nonisolated static let documents = [
        Shape(
            "JSON:API",
            #"""
            {"errors": [
             {"status": "422", "title": "Invalid", "detail": "is in the past",
              "source": {"pointer": "/data/attributes/published_at"}},
             {"title": "must exist", "source": {"pointer": "/data/relationships/author"}},
             {"title": "unknown", "source": {"pointer": "/data/relationships/readers/data/0/id"}},
             {"detail": "too long", "source": {"pointer": "/data/attributes/meta/source"}},
             {"detail": "is closed", "source": {"pointer": "/data"}}, {"code": "7", "title": "Sorry"}]}
            """#,
            fields: [
                "publishedAt": ["is in the past"], "author": ["must exist"], "readers": ["unknown"],
                "source": ["too long"],
            ], object: ["is closed", "Sorry"]),
        Shape(
            "JSON:API, one", 404, #"{"errors": [{"status": "404", "code": "gone", "title": "No such post"}]}"#,
            kind: .notFound, message: "No such post", code: "gone"),
        Shape(
            "JSON:API, a parameter", 400, #"{"errors": [{"detail": "unknown", "source": {"parameter": "filter[q]"}}]}"#,
            fields: ["filter.q": ["unknown"]]),
        Shape(
            "RFC 9457", 400,
            #"""
            {"type": "https://example.net/validation", "title": "Invalid", "status": 400, "detail": "Not so",
             "instance": "/posts/5", "errors": [{"pointer": "#/is_public", "detail": "no"}]}
            """#,
            message: "Not so", code: "https://example.net/validation", fields: ["isPublic": ["no"]]),
        Shape(
            "RFC 9457, invalid-params",
            #"{"type": "about:blank", "title": "Bad", "invalid-params": [{"name": "title", "reason": "is empty"}]}"#,
            message: "Bad", fields: ["title": ["is empty"]]),
        Shape(
            "RFC 9457, a forbidden request", 403, #"{"type": "about:blank", "title": "Forbidden", "status": 403}"#,
            kind: .forbidden, message: "Forbidden"),
        Shape(
            "ASP.NET", 400,
            #"{"type": "t", "title": "Errors occurred.", "status": 400, "errors": {"Title": ["Required."], "": ["Bad."]}}"#,
            message: "Errors occurred.", code: "t", fields: ["title": ["Required."]], object: ["Bad."]),
        Shape(
            "Symfony",
            #"{"title": "Failed", "detail": "2 errors", "violations": [{"propertyPath": "isPublic", "message": "No."}]}"#,
            message: "2 errors", fields: ["isPublic": ["No."]]),
    ]

    nonisolated static let others = [
        Shape(
            "Spring", 400,
            #"{"status": 400, "error": "Bad Request", "errors": [{"field": "title", "defaultMessage": "is blank"}]}"#,
            message: "Bad Request", fields: ["title": ["is blank"]]),
        Shape(
            "Mongoose", 400, #"{"message": "Invalid", "errors": {"title": {"message": "Path required", "kind": "r"}}}"#,
            message: "Invalid", fields: ["title": ["Path required"]]),
        Shape(
            "NestJS", 400, #"{"statusCode": 400, "message": ["title should not be empty"], "error": "Bad Request"}"#,
            message: "Bad Request", fields: ["title": ["should not be empty"]]),
        Shape(
            "JSON:API, about a resource", 404,
            #"{"errors": [{"status": "404", "detail": "No such post", "source": {"pointer": "/data"}}]}"#,
            kind: .notFound, message: "No such post"),
        Shape(
            "OData", 400,
            #"{"error": {"code": "0x8", "message": "Bad.", "details": [{"target": "is_public", "message": "Required."}]}}"#,
            message: "Bad.", code: "0x8", fields: ["isPublic": ["Required."]]),
        Shape("Phoenix", 404, #"{"errors": {"detail": "Not Found"}}"#, kind: .notFound, message: "Not Found"),
        Shape("an unknown name", #"{"errors": {"nme": ["is odd"]}}"#, fields: ["nme": ["is odd"]]),
        Shape(
            "values beside a message are none of errors", 400, #"{"message": "No", "nme": ["a"], "title": "x"}"#,
            kind: .other, message: "No"),
        Shape("a version of the object", 409, #"{"id": 99, "tags": ["a"], "text": "b"}"#, kind: .conflict),
        Shape("text", 500, "\"Out of order\"", kind: .server, message: "Out of order"),
    ]

    @Model("/notes") final class Note {
        var identifier: Int?
        var message = ""
        var detail: String?
        var details: [String] = []
    }

    /// A property may have the name of a key under which servers report the whole request.
    @Test(
        arguments: [
            (400, #"{"message": ["Required."]}"#, ["message": ["Required."]], []),
            (
                422, #"{"detail": ["can't be blank"], "details": ["is too long"]}"#,
                ["detail": ["can't be blank"], "details": ["is too long"]], []
            ),
            (422, #"{"errors": {"message": ["can't be blank"]}}"#, ["message": ["can't be blank"]], []),
            (
                400,
                #"{"statusCode": 400, "message": ["message should not be empty", "Late"], "error": "Bad Request"}"#,
                ["message": ["should not be empty"]], ["Late"]
            ),
            (
                400, #"{"statusCode": 400, "message": ["message should not be empty"]}"#,
                ["message": ["should not be empty"]], []
            ),
        ] as [(Int, String, [String: [String]], [String])])
    func `A validation error is assigned to the property it names`(
        _ status: Int, _ body: String, _ fields: [String: [String]], _ objectErrors: [String]
    ) async throws {
        let service = try Service(
            [Note.self],
            stub: StubTransport { _ in .init(status: status, headerFields: [:], body: Array(body.utf8)) })
        let error = try #require(await failure { try await Note(in: service.main).create() }?.reply)
        #expect(error.kind == .validation)
        #expect(error.fields == fields)
        #expect(error.objectErrors == objectErrors)
    }

    @Test func `A hostile error body is read with bounded cost`() async throws {
        let errors = (0..<5000).map { "\"f\($0)\": [\"\(String(repeating: "x", count: 300))\"]" }
        let error = try await error(422, "{\"errors\": {\(errors.joined(separator: ","))}}")
        #expect(error.fields.count == 200 && error.fields.values.allSatisfy { $0[0].count == 200 })
        #expect(error.body.count == 65_536)
    }
}
