import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// A write that fails leaves everything as it was: the object with its edits and links, the other contexts, every byte
/// of the file. It can be sent again.
@MainActor @Suite struct FailedWriteTests {
    /// The failures in place of a success.
    nonisolated enum Fault: Sendable, CustomTestStringConvertible {
        case status(Int)
        case body(String)
        case reason(TransportError.Reason)

        var testDescription: String {
            switch self {
            case .status(let status): "\(status)"
            case .body(let body): "200 with \(body.prefix(20).debugDescription)"
            case .reason(let reason): "\(reason)"
            }
        }

        static let all: [Fault] =
            [
                301, 400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 413, 415, 418, 422, 429, 451, 500, 501, 502, 503,
                504, 520,
            ]
            .map(Fault.status)
            + ["<html>Welcome</html>", "{", #"{"id": 5, "title": "#, "{\"id\": 5, \"title\": \"a\u{1}b\"}", "OK"].map(
                Fault.body)
            + [
                .connectionRefused, .connectionFailed("no such host"), .connectionLost, .timedOut(after: .seconds(1)),
                .cancelled, .tooLarge(limit: 10), .malformedResponse("no head"), .tls("expired"),
                .redirectLoop(to: "/"),
                .other("a middleware"),
            ].map(Fault.reason)

        /// Whether an error reports it.
        func isCause(of error: APIError?) -> Bool {
            switch (self, error) {
            case (.status(let status), let error?): error.reply?.status == status
            case (.body, .body?): true
            case (.reason(let reason), .transport(let error)?): error.reason == reason
            default: false
            }
        }

        /// Whether it means that the object is already gone.
        var isGone: Bool {
            switch self {
            case .status(404), .status(410): true
            default: false
            }
        }

        /// Whether a DELETE is done, as far as the reply shows.
        var isBody: Bool { if case .body = self { true } else { false } }
    }

    private let fault = Box<Fault?>(nil)
    private let service: Service

    init() throws {
        let fault = fault
        service = try Service(
            stub: StubTransport { request throws(TransportError) in
                switch fault.value {
                case .status(let status)?:
                    return .json(#"{"message": "No", "id": 99, "title": "Theirs"}"#, status: status)
                case .body(let body)?: return .json(body)
                case .reason(let reason)?: throw TransportError(reason, request)
                case nil where request.method == .delete: return .status(204)
                case nil:
                    let id = Int(request.url.lastPathComponent) ?? 5
                    return .json(#"{"id": \#(id), "title": "Theirs"}"#)
                }
            })
    }

    /// Some objects that know each other, with edits of every kind.
    private struct World {
        let ada, bob: Author
        let post, new: Post
        let remark: Remark

        /// All that one can see of them.
        var text: String {
            [ada, bob].map {
                "\($0.name) \($0.changedProperties) \($0.isDeleted) \($0.posts.map(\.title)) \($0.friends.map(\.name))"
            }
            .joined(separator: "\n")
                + [post, new].map {
                    """

                    \($0.identifier ?? 0) \($0.title) \($0.text ?? "nil") \($0.source ?? "nil") \($0.tags) \($0.author?.name ?? "nil") \
                    \($0.readers.map(\.name)) \($0.comments.map(\.text)) \($0.password ?? "nil") \($0.changedProperties) \
                    \($0.isInserted) \($0.isDeleted)
                    """
                }.joined() + "\n\(remark.text) \(remark.post?.title ?? "nil")"
        }
    }

    private func world() async throws -> World {
        let json = """
            [{"id": 7, "name": "Ada", "friends": [{"id": 8, "name": "Bob"}], "posts": [
                {"id": 6, "title": "Old", "text": "Words", "meta": {"source": "wire"}, "readers": [{"id": 8}],
                 "comments": [{"number": 1, "text": "First"}]}]}]
            """
        let ada = try await service.imported(Author.self, json)
        let bob = try #require(ada.friends.first)
        let post = try #require(ada.posts.first)
        post.title = "Edited"
        post.source = nil
        post.author = bob
        post.readers = [bob, ada]
        let new = Post(in: service.main)
        new.title = "New"
        new.password = "secret"
        new.author = ada
        new.readers = [ada]
        return World(ada: ada, bob: bob, post: post, new: new, remark: post.comments[0])
    }

    /// Does something that fails, sees that nothing changed, and does it again with success.
    private func failsAndSucceeds(
        _ fault: Fault, _ world: World, _ attempt: () async throws -> Void, then check: () -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let text = world.text
        let files = StoreFiles(service.store)
        self.fault.value = fault
        let error = await failure(attempt)
        #expect(fault.isCause(of: error), "\(error as Any)", sourceLocation: sourceLocation)
        #expect(world.text == text, sourceLocation: sourceLocation)
        #expect(StoreFiles(service.store) == files, sourceLocation: sourceLocation)
        // After a conflict the server's version is fetched.
        let first = service.stub.log.last { !$0.hasPrefix("GET") }
        self.fault.value = nil
        try await attempt()
        #expect(service.stub.log.last == first, "it is sent again as it was", sourceLocation: sourceLocation)
        #expect(check(), sourceLocation: sourceLocation)
    }

    @Test(arguments: Fault.all) func `A failed creation changes nothing and can be repeated`(_ fault: Fault)
        async throws
    {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.new.create()
        } then: {
            world.new.identifier == 5 && !world.new.hasChanges && world.new.author === world.ada
                && world.new.password == nil
        }
    }

    @Test(arguments: Fault.all) func `A failed save changes nothing and can be repeated`(_ fault: Fault) async throws {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.post.save()
        } then: {
            world.post.identifier == 6 && !world.post.hasChanges && world.post.author === world.bob
        }
    }

    @Test(arguments: Fault.all) func `A failed addition of a new member changes nothing and can be repeated`(
        _ fault: Fault
    ) async throws {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.bob.$posts.add(world.new)
        } then: {
            world.new.identifier == 5 && world.new.author === world.bob && world.bob.posts.contains { $0 === world.new }
        }
    }

    @Test(arguments: Fault.all) func `A failed PUT changes nothing and can be repeated`(_ fault: Fault) async throws {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.post.save(using: .put)
        } then: {
            world.post.title == "Theirs" && !world.post.hasChanges && world.post.author === world.bob
        }
    }

    @Test(arguments: Fault.all) func `A failed addition by the member's link changes nothing and can be repeated`(
        _ fault: Fault
    ) async throws {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.ada.$posts.add(world.post)
        } then: {
            world.post.author === world.ada && world.ada.posts.contains { $0 === world.post }
                && !world.bob.posts.contains { $0 === world.post } && world.post.changedProperties.contains("title")
        }
    }

    @Test(arguments: Fault.all) func `A failed addition by the list changes nothing and can be repeated`(_ fault: Fault)
        async throws
    {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.bob.$friends.add(world.ada)
        } then: {
            world.bob.friends.map(\.name) == ["Ada"] && world.ada.friends.map(\.name) == ["Bob"]
        }
    }

    @Test(arguments: Fault.all.filter { !$0.isGone && !$0.isBody })
    func `A failed deletion changes nothing and can be repeated`(_ fault: Fault) async throws {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.post.delete()
        } then: {
            world.post.isDeleted && world.ada.posts.map(\.title) == ["New"] && world.remark.post == nil
        }
    }

    @Test(arguments: Fault.all.filter { !$0.isGone && !$0.isBody })
    func `A failed removal of a member changes nothing and can be repeated`(_ fault: Fault) async throws {
        let world = try await world()
        try await failsAndSucceeds(fault, world) {
            try await world.ada.$friends.delete(world.bob)
        } then: {
            world.ada.friends.isEmpty && !world.bob.isDeleted
        }
    }

    @Test(arguments: Fault.all) func `A failed fetch of any kind changes nothing`(_ fault: Fault) async throws {
        let world = try await world()
        let text = world.text
        let files = StoreFiles(service.store)
        self.fault.value = fault
        for error in [
            await failure { try await world.post.fetch() },
            await failure { try await world.ada.$friends.fetch(pages: .all()) },
            await failure { try await world.ada.$posts.fetch() },
            await failure { _ = try await world.ada.$posts.fetch(1) },
            await failure { _ = try await world.ada.$favourite.fetch() },
            await failure { _ = try await Post.fetch("/posts/1", in: service.main) },
            await failure { _ = try await Post.fetchAll(in: service.main) },
            await failure { _ = try await Post.fetchAll(at: "data", in: service.main) },
            await failure { _ = try await Feed.fetch("/feed", in: service.main) },
            await failure { _ = try await Feed.send(.post, "/feed", body: ["a": 1], in: service.main) },
        ] {
            #expect(fault.isCause(of: error), "\(error as Any)")
        }
        #expect(world.text == text)
        #expect(StoreFiles(service.store) == files)
    }
}

@ResponseBody
struct Feed {
    var title = ""
    @Relationship(json: .root) var post: Post?
}
