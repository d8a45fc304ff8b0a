import Foundation
import HTTPTypes
import RestfulData
import RestfulDataTesting
import Testing

/// A caller's own `Content-Type` must be one of the sent body.
@MainActor @Suite struct ContentTypeTests {
    private static let image = Data([0x89, 0x50, 0x4E, 0x47])

    private func send(_ type: String, _ conventions: APIConventions = .default) async throws -> (APIError?, Int) {
        let service = try Service(conventions: conventions, stub: StubTransport { _ in .status(204) })
        let error = await failure {
            try await API.withHeaders([.contentType: type]) {
                try await service.main.send(.put, "/me", body: ["a": "b"])
            }
        }
        return (error, service.stub.log.count)
    }

    @Test(arguments: [
        "application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\"", "text/json",
        "application/merge-patch+json", "application/vnd.api+json", "application/vnd.github.v3+json",
        "application/json; odata.metadata=minimal; version=1", "application/x-amz-json-1.1", "application/geo+json",
    ])
    func `A JSON body is sent under any JSON content type`(_ type: String) async throws {
        let (error, count) = try await send(type)
        #expect(error == nil && count == 1)
    }

    @Test(arguments: [
        "image/png", "application/octet-stream", "text/plain", "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x", "application/xml", "application/jso", "json", "application/json, image/png",
        "",
        "application/json; charset=iso-8859-1", "text/json;charset=utf-16", "/json", "application/",
    ])
    func `A JSON body under another content type is refused`(_ type: String) async throws {
        let (error, count) = try await send(type)
        guard case .wrongContentType(type, body: "JSON in UTF-8", _)? = error else {
            Testing.Issue.record("\(String(describing: error))")
            return
        }
        #expect(count == 0)
        #expect(
            error?.description.hasPrefix(
                "PUT https://api.example.com/me: the content type \"\(type)\" contradicts the body, which is JSON in UTF-8."
            )
                == true)
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded", true), ("Application/X-WWW-Form-URLEncoded; charset=utf-8", true),
        ("application/json", false), ("multipart/form-data", false), ("application/vnd.api+json", false),
    ])
    func `A form is sent only under the form's content type`(_ type: String, _ isTaken: Bool) async throws {
        var conventions = APIConventions.default
        conventions.bodies = .form
        let (error, count) = try await send(type, conventions)
        #expect((error == nil) == isTaken && count == (isTaken ? 1 : 0))
    }

    @Test func `A JSON body as an image is refused before anything is sent, and edits stay`() async throws {
        let service = try Service(stub: StubTransport { _ in .status(204) })
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "New"
        await #expect(throws: APIError.self) {
            try await API.withHeaders([.contentType: "image/png"]) {
                try await service.main.send(.put, "/posts/5/cover", body: Self.image)
            }
        }
        await #expect(throws: APIError.self) {
            try await API.withHeaders([.contentType: "image/png"]) { try await post.save() }
        }
        #expect(service.stub.log == [] && post.unsentProperties == ["title"])
        // The edit is still unsent, so restoring the former value removes it.
        post.title = "Old"
        try await post.save()
        #expect(service.stub.log == [] && post.unsentProperties == [])
    }

    @Test func `A request without a body may have any content type, as may the API's conventions`() async throws {
        var conventions = APIConventions.default
        conventions.mediaType = "application/vnd.acme.v2"
        let service = try Service(conventions: conventions, stub: StubTransport { _ in .status(204) })
        try await API.withHeaders([.contentType: "image/png"]) { try await service.main.send(.delete, "/cover") }
        try await service.main.send(.put, "/cover", body: [1])
        try await API.withHeaders([.contentType: "application/vnd.acme.v2"]) {
            try await service.main.send(.put, "/cover", body: [1])
        }
        #expect(service.stub.log == ["DELETE /cover", "PUT /cover [1]", "PUT /cover [1]"])
    }
}
