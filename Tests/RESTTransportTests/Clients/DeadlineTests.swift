import Foundation
import HTTPTypes
import RESTTransport
import TestSupport
import Testing

/// The cost of the time limit around each request.
@Suite struct DeadlineTests {
    private static let isSanitized = ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains {
        ProcessInfo.processInfo.environment[$0] != nil
    }

    #if os(Linux)
        /// In a process of its own, as all tests of a process share its memory.
        @Test(.disabled(if: Self.isSanitized, "a sanitizer's own memory would be counted"))
        func `Finished requests leave no memory until their timeout`() async {
            await #expect(processExitsWith: .success) {
                func send(_ count: Int) async throws {
                    for _ in 0..<count {
                        let request = try APIRequest(.get, "https://api.example/", timeout: .seconds(60))
                        _ = try await withDeadline(of: request) {
                            APIResponse(HTTPResponse(status: .noContent), to: request)
                        }
                    }
                }
                /// Of 4 KiB each, at the least (https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html).
                func residentPages() throws -> Int {
                    let counts = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                    return try #require(Int(counts[1]))
                }
                try await send(1_000)
                let before = try residentPages()
                try await send(10_000)
                let grown = try residentPages() - before
                #expect(grown < 500, "10,000 requests left \(grown) pages")
            }
        }
    #endif

    @Test func `A timeout ends the operation`() async throws {
        let request = try APIRequest(.get, "https://api.example/", timeout: .milliseconds(1))
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await withDeadline(of: request) { () async throws(TransportError) -> APIResponse in
                let never = AsyncStream<Never> { _ in }
                for await _ in never {}
                throw TransportError(.cancelled, request)
            }
        }
        #expect(error?.reason == .timedOut(after: .milliseconds(1)))
    }

    @Test func `A late reply is returned, and a late error is reported as a timeout`() async throws {
        let request = try APIRequest(.post, "https://api.example/", timeout: .milliseconds(1))
        let reply = try await withDeadline(of: request) {
            await untilCancelled()
            return APIResponse(HTTPResponse(status: .created), to: request)
        }
        #expect(reply.status == .created)
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await withDeadline(of: request) { () async throws(TransportError) -> APIResponse in
                await untilCancelled()
                throw TransportError(.connectionLost, request)
            }
        }
        #expect(error?.reason == .timedOut(after: .milliseconds(1)))
    }

    @Test func `An inner deadline that is earlier than the outer one is kept`() async throws {
        let outer = try APIRequest(.get, "https://api.example/")
        let inner = try APIRequest(.get, "https://api.example/", timeout: .milliseconds(1))
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await withDeadline(of: outer) { () async throws(TransportError) -> APIResponse in
                try await withDeadline(of: inner) { () async throws(TransportError) -> APIResponse in
                    await untilCancelled()
                    throw TransportError(.cancelled, inner)
                }
            }
        }
        #expect(error?.reason == .timedOut(after: .milliseconds(1)))
    }

    @Test func `An inner deadline that is later than the outer one ends with the outer one`() async throws {
        let outer = try APIRequest(.get, "https://api.example/", timeout: .milliseconds(1))
        let inner = try APIRequest(.get, "https://api.example/")
        let error = await failure { () async throws(TransportError) -> APIResponse in
            try await withDeadline(of: outer) { () async throws(TransportError) -> APIResponse in
                try await withDeadline(of: inner) { () async throws(TransportError) -> APIResponse in
                    await untilCancelled()
                    throw TransportError(.cancelled, inner)
                }
            }
        }
        #expect(error?.reason == .timedOut(after: .milliseconds(1)))
    }

    @Test func `A task that outlives a deadline has its own deadline`() async throws {
        let request = try APIRequest(.get, "https://api.example/", timeout: .milliseconds(1))
        let (tasks, started) = AsyncStream.makeStream(of: Task<TransportError?, Never>.self)
        _ = try await withDeadline(of: request) {
            started.yield(
                Task {
                    await failure { () async throws(TransportError) -> APIResponse in
                        try await withDeadline(of: request) { () async throws(TransportError) -> APIResponse in
                            await untilCancelled()
                            throw TransportError(.cancelled, request)
                        }
                    }
                })
            return APIResponse(HTTPResponse(status: .ok), to: request)
        }
        for await task in tasks {
            #expect(await task.value?.reason == .timedOut(after: .milliseconds(1)))
            break
        }
    }

    @Test func `The longest timeout doesn't trap`() async throws {
        let request = try APIRequest(.get, "https://api.example/", timeout: .seconds(Int64.max))
        let reply = try await withDeadline(of: request) { APIResponse(HTTPResponse(status: .ok), to: request) }
        #expect(reply.status == .ok)
    }
}
