import RestfulData
import RestfulDataTesting
import Testing

/// The messages about a property, by its typed name.
@MainActor @Suite struct PropertyErrorTests {
    private func refused(_ errors: String) async throws -> APIError? {
        let service = try Service(stub: StubTransport { _ in .json(#"{"errors": \#(errors)}"#, status: 422) })
        let post = try await service.imported(Post.self, #"{"id": 1, "title": "old"}"#)
        post.title = "new"
        return await failure { try await post.save() }
    }

    @Test func `The server's messages are found by the property`() async throws {
        let error = try await refused(#"{"title": ["is taken", "is too long"]}"#)
        #expect(error?.messages(for: Post.properties.title) == ["is taken", "is too long"])
        #expect(error?.messages(for: Post.properties.text) == [])
        #expect(error?.reply?.messages(for: Post.properties.title) == ["is taken", "is too long"])
    }

    @Test func `A relationship has the messages about parts of its objects`() async throws {
        let error = try await refused(##"{"readers[1].name": ["is blank"], "readers": ["are too many"]}"##)
        #expect(error?.messages(for: Post.properties.readers) == ["are too many", "is blank"])
    }

    @Test func `A property has no messages of one whose name begins alike`() {
        let error = ValidationError(fields: ["titles": ["are wrong"], "title.de": ["is wrong"]])
        #expect(error.messages(for: Post.properties.title) == ["is wrong"])
    }

    @Test func `The error of a store combines the messages of its objects`() {
        let errors = [
            ValidationError(fields: ["title": ["is blank"]]), ValidationError(fields: ["title": ["is long"]]),
        ]
        let error = StoreError.several([.timedOut, .validation(errors)])
        #expect(error.fields == ["title": ["is blank", "is long"]])
        #expect(error.messages(for: Post.properties.title) == ["is blank", "is long"])
        #expect(APIError.store(error).messages(for: Post.properties.title) == ["is blank", "is long"])
        #expect(StoreError.timedOut.fields.isEmpty)
    }
}
