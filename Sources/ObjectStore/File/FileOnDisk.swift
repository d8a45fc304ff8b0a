import Foundation

/// A store's file apart from what SQLite does with it: who may read it, and whether its path still leads to it.
struct FileOnDisk: Sendable {
    /// Which file it is, whatever its name: device and inode.
    struct Identity: Hashable, Sendable {
        let device: UInt64
        let inode: UInt64

        /// `nil` when there is no file at the path.
        init?(ofFileAt path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            inode = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private let path: String
    /// `nil` where SQLite reads more into the path than the system does, as into a URL: then nothing is known of the
    /// file.
    private let identity: Identity?
    /// The same of its WAL, which is there as long as the file is open.
    private let logPath: String
    private let log: Identity?

    /// Remembers which file SQLite has just opened.
    init(openedAt path: String) {
        // A later change of the process's folder must not lead elsewhere.
        self.path = Self.absolute(path)
        identity = Identity(ofFileAt: self.path)
        logPath = Self.realPath(of: self.path) + "-wal"
        log = Identity(ofFileAt: logPath)
    }

    /// Two calls of the system, a microsecond or so each.
    ///
    /// A file that was deleted or replaced while it is open takes whatever is written, and forgets it when it is
    /// closed. So does its WAL: who opens the file then reads what it was before.
    ///
    /// - Throws: ``StoreError/FileProblem/gone`` when the path of either leads to another file by now, or to none.
    func checkPresence() throws(StoreError) {
        guard identity == nil || Identity(ofFileAt: path) == identity, log == nil || Identity(ofFileAt: logPath) == log
        else { throw .file(.gone, path: path) }
    }

    /// Makes an empty file that only its owner may read and write, where there is none. SQLite would make one that
    /// everybody may read; `-wal`, `-shm` and `-journal` get the mode of the database
    /// (https://sqlite.org/c3ref/open.html).
    ///
    /// A file that is there is not even opened: closing it would drop all locks that this process holds on it
    /// (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
    /// Whatever else is wrong with the path, SQLite says it better.
    static func createPrivately(at path: String) {
        let descriptor = unsafe open(target(of: path), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// What a symbolic link leads to where that is yet to be made.
    private static func target(of path: String) -> String {
        guard Identity(ofFileAt: path) == nil,
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
        else { return path }
        if target.hasPrefix("/") { return target }
        return URL(filePath: path).deletingLastPathComponent().appending(path: target).path(percentEncoded: false)
    }

    /// The path without symbolic links, as SQLite names what it keeps beside the file.
    static func realPath(of path: String) -> String {
        guard let real = unsafe realpath(path, nil) else { return absolute(path) }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    /// The path from the root on.
    static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
    }
}
