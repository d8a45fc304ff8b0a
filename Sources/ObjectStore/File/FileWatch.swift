import Foundation
import Synchronization

/// Reports when any process has written to a file.
final class FileWatch: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter body: is called on a system queue, once for all writes within ten milliseconds.
    /// - Returns: nil if the system lacks such reports.
    init?(_ path: String, _ body: @escaping @Sendable () -> Void) {
        guard let end = Self.watch(path, body) else { return nil }
        self.end = end
    }

    deinit { end() }

    private static let pause = DispatchTimeInterval.milliseconds(10)
}

#if canImport(Glibc)
    import Glibc

    extension FileWatch {
        fileprivate static func watch(_ path: String, _ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
        {
            Notifications.shared?.add(path, body)
        }

        /// Shared: a user has only 128 instances (inotify(7)).
        private final class Notifications: Sendable {
            private struct State {
                var watchers: [Int32: [Int: @Sendable () -> Void]] = [:]
                var next = 0
            }

            static let shared = Notifications()
            private let descriptor: Int32
            private let queue = DispatchQueue(label: "RestfulData.files", qos: .userInitiated)
            /// Safe: it is set once, and all threads may use it.
            nonisolated(unsafe) private let source: any DispatchSourceRead
            private let state = Mutex(State())

            private init?() {
                descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
                guard descriptor >= 0 else { return nil }
                unsafe source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
                // `unowned` is safe: the only instance lives as long as the process.
                unsafe source.setEventHandler { [unowned self] in notify() }
                unsafe source.resume()
            }

            func add(_ path: String, _ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
                // A file has one watch descriptor, which goes with its last watcher.
                state.withLock { state in
                    let file = unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
                    guard file >= 0 else { return nil }
                    state.next += 1
                    let number = state.next
                    state.watchers[file, default: [:]][number] = body
                    return { [self] in remove(number, of: file) }
                }
            }

            private func remove(_ number: Int, of file: Int32) {
                state.withLock { state in
                    state.watchers[file]?[number] = nil
                    guard state.watchers[file]?.isEmpty == true else { return }
                    state.watchers[file] = nil
                    inotify_rm_watch(descriptor, file)
                }
            }

            private func notify() {
                let files = changedFiles()
                let watchers = state.withLock { state in files.flatMap { state.watchers[$0, default: [:]].values } }
                for watcher in watchers { watcher() }
                unsafe source.suspend()
                queue.asyncAfter(deadline: .now() + FileWatch.pause) { [self] in unsafe source.resume() }
            }

            private func changedFiles() -> Set<Int32> {
                var files: Set<Int32> = []
                // The kernel writes whole events: a header, and `len` bytes. So each load is in bounds.
                unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: MemoryLayout<inotify_event>.alignment)
                { buffer in
                    while case let count = unsafe read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
                        var place = 0
                        while place + MemoryLayout<inotify_event>.size <= count {
                            let event = unsafe buffer.load(fromByteOffset: place, as: inotify_event.self)
                            files.insert(event.wd)
                            place += MemoryLayout<inotify_event>.size + Int(event.len)
                        }
                    }
                }
                return files
            }
        }
    }
#elseif canImport(Darwin)
    extension FileWatch {
        private static let queue = DispatchQueue(label: "RestfulData.files", qos: .userInitiated)

        fileprivate static func watch(_ path: String, _ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
        {
            // Closing a file drops this process's locks on it. SQLite never locks the WAL, so this is safe.
            let descriptor = unsafe open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend], queue: queue)
            source.setEventHandler {
                body()
                source.suspend()
                queue.asyncAfter(deadline: .now() + pause) { source.resume() }
            }
            source.setCancelHandler { close(descriptor) }
            source.resume()
            return { source.cancel() }
        }
    }
#else
    extension FileWatch {
        fileprivate static func watch(_ path: String, _ body: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)?
        {
            nil
        }
    }
#endif
