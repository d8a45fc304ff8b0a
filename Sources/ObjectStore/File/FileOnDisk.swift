import Foundation

struct FileOnDisk: Sendable {
    /// The device and inode of a file, independent of its name.
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64

        init?(ofFileAt path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private let path: String
    /// Nil if SQLite interprets the path, for example as a URL.
    private let identity: Identity?
    /// The WAL, which exists as long as the file is open.
    private let logPath: String
    private let log: Identity?

    /// Call it after SQLite has opened the file.
    init(openedAt path: String) {
        // The working directory of the process may change later.
        self.path = Self.absolute(path)
        identity = Identity(ofFileAt: self.path)
        logPath = Self.realPath(of: self.path) + "-wal"
        log = Identity(ofFileAt: logPath)
    }

    /// Writes to a deleted or replaced file would be lost when it is closed. Takes two system calls, about a
    /// microsecond each.
    ///
    /// - Throws: ``StoreError/FileProblem/gone``.
    func checkPresence() throws(StoreError) {
        guard identity == nil || Identity(ofFileAt: path) == identity, log == nil || Identity(ofFileAt: logPath) == log
        else { throw .file(.gone, path: path) }
    }

    /// Creates a missing file with mode 0600. SQLite's would be readable by all. `-wal`, `-shm` and `-journal` get the
    /// same mode (https://sqlite.org/c3ref/open.html).
    ///
    /// An existing file isn't opened: closing it would drop all locks of this process on it
    /// (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    static func createPrivately(at path: String) {
        let descriptor = unsafe open(target(of: path), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Follows a symbolic link to a missing file.
    private static func target(of path: String) -> String {
        guard Identity(ofFileAt: path) == nil,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        else { return path }
        if target.hasPrefix("/") { return target }
        return URL(filePath: path).deletingLastPathComponent().appending(path: target).path(percentEncoded: false)
    }

    /// SQLite names `-wal` and `-shm` by this path.
    static func realPath(of path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return absolute(path) }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
