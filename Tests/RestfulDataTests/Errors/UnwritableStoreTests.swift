import Foundation
import RestfulData
import RestfulDataTesting
import Testing

/// The server has answered, and the file refuses the answer.
@MainActor @Suite(.timeLimit(.minutes(10))) struct UnwritableStoreTests {
    @Test func `A locked file makes a save throw and leaves everything unchanged`() async throws {
        let path = NSTemporaryDirectory() + "RestfulDataTests-\(UUID()).sqlite"
        defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) } }
        let service = try Service(
            location: .file(path), stub: StubTransport { _ in .json(#"{"id": 5, "title": "Theirs", "text": "Words"}"#) }
        )
        let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old"}"#)
        post.title = "Mine"
        let other = try Store(.file(path), models: Blog.models)
        let held = HeldBody(Array("[]".utf8))
        let locking = Task { try await other.main.importReporting(Post.self, from: held) }
        await held.wait()
        let files = StoreFiles(service.store)
        // It is waited for, for five seconds.
        guard case .unstored(.file(.busy, path), _) = await failure({ try await post.save() }) else {
            Testing.Issue.record("a locked file was written")
            return held.release()
        }
        #expect(StoreFiles(service.store) == files)
        #expect(post.title == "Mine" && post.text == nil && post.changedProperties == ["title"])
        held.release()
        _ = try await locking.value
        try await post.save()
        #expect(post.title == "Theirs" && post.text == "Words" && !post.hasChanges)
    }

    #if os(Linux)
        /// In a process of its own: the limit is the whole process's.
        @Test func `A file that can't grow makes a save throw and leaves everything unchanged`() async throws {
            await #expect(processExitsWith: .success) { try await UnwritableStoreTests.growBeyondTheLimit() }
        }

        private static func growBeyondTheLimit() async throws {
            let service = try Service(
                stub: StubTransport { _ in
                    .json("{\"id\": 5, \"title\": \"\(String(repeating: "x", count: 40 << 20))\"}")
                })
            let post = try await service.imported(Post.self, #"{"id": 5, "title": "Old", "readers": [{"id": 8}]}"#)
            post.text = "Mine"
            post.readers = []
            let contents = try await service.store.contents()
            try await withFileSizeLimit(32 << 20) {
                // The server has carried out the first request and only replied to the second.
                guard case .unstored(.file, _) = await failure({ try await post.save() }),
                    case .store(.file) = await failure({ try await post.fetch() })
                else {
                    Testing.Issue.record("a file over the limit was written")
                    return
                }
            }
            #expect(try await service.store.contents() == contents)
            #expect(post.title == "Old" && post.text == "Mine" && post.changedProperties == ["text", "readers"])
            try await post.save()
            #expect(post.title.utf8.count == 40 << 20 && !post.hasChanges)
        }

        private static func withFileSizeLimit(_ bytes: UInt, _ body: () async throws -> Void) async throws {
            // The signal's default is to end the process; ignored, it leaves the write to fail with EFBIG.
            _ = signal(SIGXFSZ, SIG_IGN)
            var before = rlimit()
            unsafe getrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &before)
            var limit = before
            limit.rlim_cur = rlim_t(bytes)
            unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
            defer { unsafe setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &before) }
            try await body()
        }
    #endif
}

/// JSON that provides its bytes when the test allows it: until then its reader keeps the file locked.
final class HeldBody: ContiguousBytes, Sendable {
    private let bytes: [UInt8]
    private let isRead = AsyncStream.makeStream(of: Void.self)
    private let isReleased = DispatchSemaphore(value: 0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        isRead.continuation.yield()
        isReleased.wait()
        return try unsafe bytes.withUnsafeBytes(body)
    }

    /// Waits until it is read.
    func wait() async { for await _ in isRead.stream { return } }

    func release() { isReleased.signal() }
}
