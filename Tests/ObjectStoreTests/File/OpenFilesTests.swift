import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

#if os(Linux)
    /// A process that has as many files open as it may.
    @Suite struct OpenFilesTests {
        /// In a process of its own: the limit is the whole process's. Other threads of the runner may close a file
        /// meanwhile, so there is room for at most one of the three files that a database needs.
        @Test(arguments: 0...1)
        func `A store that can't be opened for lack of file descriptors says so`(_ room: Int) async {
            await #expect(processExitsWith: .success) { [room = room as Int] in
                try await OpenFilesTests.openStore(withRoomFor: room)
            }
        }

        @MainActor private static func openStore(withRoomFor room: Int) throws {
            let file = try TemporaryFile()
            let error = try withRoom(for: room) {
                #expect(throws: StoreError.self) { _ = try Store(.file(file.path), models: World.models) }
            }
            guard case .file(.tooManyOpenFiles, path: file.path)? = error else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.description.contains("as many files and connections open as it may") == true)
            #expect(error?.description.contains("folder") == false)
            // Nothing is left of it that would keep the next one from opening.
            _ = try Store(.file(file.path), models: World.models)
        }

        @MainActor private static func withRoom<Result>(for count: Int, _ body: () throws -> Result) throws -> Result {
            let lowest = unsafe open("/", O_RDONLY | O_CLOEXEC)
            close(lowest)
            let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
            var before = rlimit()
            unsafe getrlimit(kind, &before)
            var limit = before
            limit.rlim_cur = rlim_t(lowest) + rlim_t(count)
            unsafe setrlimit(kind, &limit)
            defer { unsafe setrlimit(kind, &before) }
            return try body()
        }
    }
#endif
