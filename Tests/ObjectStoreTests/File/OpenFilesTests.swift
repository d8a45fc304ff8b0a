import Foundation
import RestfulData
import TestSupport
import Testing

@testable import ObjectStore

#if os(Linux)
    /// A process that has as many files open as it may.
    @Suite struct OpenFilesTests {
        /// In a process of its own: the limit is the whole process's.
        @Test(arguments: 0...2)
        func `A store that can't be opened for lack of file descriptors says so`(_ room: Int) async {
            await #expect(processExitsWith: .success) { [room = room as Int] in
                try await OpenFilesTests.openStore(withRoomFor: room)
            }
        }

        @MainActor private static func openStore(withRoomFor room: Int) throws {
            let file = try TemporaryFile()
            var error: StoreError?
            // Another thread of the runner may close a file meanwhile, which leaves room for one more.
            while error == nil {
                error = withRoom(for: room) { openingError(of: file.path) }
            }
            guard case .file(.tooManyOpenFiles, path: file.path)? = error else {
                Testing.Issue.record("\(String(describing: error))")
                return
            }
            #expect(error?.description.contains("as many files and connections open as it may") == true)
            #expect(error?.description.contains("folder") == false)
            // It leaves the file free for the next store.
            _ = try Store(.file(file.path), models: World.models)
        }

        @MainActor private static func openingError(of path: String) -> StoreError? {
            do throws(StoreError) { _ = try Store(.file(path), models: World.models) } catch { return error }
            return nil
        }

        @MainActor private static func withRoom<Result>(for count: Int, _ body: () -> Result) -> Result {
            let lowest = unsafe open("/", O_RDONLY | O_CLOEXEC)
            close(lowest)
            let kind = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
            var before = rlimit()
            unsafe getrlimit(kind, &before)
            var limit = before
            limit.rlim_cur = rlim_t(lowest) + rlim_t(count)
            unsafe setrlimit(kind, &limit)
            defer { unsafe setrlimit(kind, &before) }
            return body()
        }
    }
#endif
