import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file. System calls report the reason of a failure.
final class OpenFile: Sendable {
    private let descriptor: Mutex<Int32?>
    private let name: String

    /// - Throws: ``BodyFailure`` unless it is a readable regular file. A pipe would wait for its writer.
    init(reading url: URL) throws {
        name = url.lastPathComponent
        descriptor = Mutex(nil)
        guard url.isFileURL else { throw BodyFailure(reason: "its URL is not a file's") }
        var status = stat()
        if unsafe stat(url.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no regular file"
            throw BodyFailure(reason: "\"\(name)\" is \(kind)")
        }
        try open(url.path, O_RDONLY | O_CLOEXEC)
    }

    /// Opens or creates a file, and locks it until it is closed or the process ends.
    ///
    /// - Throws: ``BodyFailure`` if it is locked, in any process.
    init(locking url: URL) throws {
        name = url.lastPathComponent
        descriptor = Mutex(nil)
        try open(url.path, O_RDWR | O_CREAT | O_CLOEXEC)
        var (own, other) = (stat(), stat())
        // The previous owner of the lock may have moved the file.
        guard try withDescriptor({ flock($0, LOCK_EX | LOCK_NB) }) == 0,
            try withDescriptor({ unsafe fstat($0, &own) }) == 0, unsafe stat(url.path, &other) == 0,
            own.st_ino == other.st_ino, own.st_dev == other.st_dev
        else {
            close()
            throw BodyFailure(reason: "\"\(name)\" is in use")
        }
    }

    /// Opens a file to write at its end, and creates it if necessary.
    ///
    /// - Parameter length: The number of bytes to keep.
    /// - Throws: ``BodyFailure``.
    init(writing url: URL, keeping length: Int) throws {
        name = url.lastPathComponent
        descriptor = Mutex(nil)
        guard url.isFileURL else { throw BodyFailure(reason: "its URL is not a file's") }
        try open(url.path, O_WRONLY | O_CREAT | O_CLOEXEC)
        do {
            if try self.length() != length {
                guard try withDescriptor({ ftruncate($0, off_t(length)) }) == 0 else { throw failure("be written") }
            }
            guard try withDescriptor({ lseek($0, 0, SEEK_END) }) >= 0 else { throw failure("be written") }
        } catch {
            close()
            throw error
        }
    }

    /// Creates a file with access for its owner only.
    private init(private url: URL) throws {
        name = url.lastPathComponent
        descriptor = Mutex(nil)
        guard url.isFileURL else { throw BodyFailure(reason: "its URL is not a file's") }
        try open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode: 0o600)
    }

    /// Replaces a file atomically, with access for its owner only.
    ///
    /// - Throws: ``BodyFailure``. The old file then stays.
    static func replace(_ url: URL, with bytes: [UInt8]) throws {
        let draft = url.deletingLastPathComponent()
            .appendingPathComponent(".\(url.lastPathComponent).\(UInt64.random(in: 0 ... .max))")
        do {
            let file = try OpenFile(private: draft)
            // Safe: the bytes stay in place while the closure runs.
            try unsafe bytes.withUnsafeBytes { try unsafe file.write($0) }
            // Otherwise, a crash of the system may leave an empty file.
            guard try file.withDescriptor({ fsync($0) }) == 0, unsafe rename(draft.path, url.path) == 0 else {
                throw file.failure("be written")
            }
        } catch {
            _ = unsafe unlink(draft.path)
            throw error
        }
    }

    deinit { close() }

    func close() {
        descriptor.withLock { descriptor in
            if let open = descriptor { systemClose(open) }
            descriptor = nil
        }
    }

    func length() throws -> Int {
        var status = stat()
        guard try withDescriptor({ unsafe fstat($0, &status) }) == 0 else { throw failure("be read") }
        return Int(status.st_size)
    }

    /// - Returns: Empty at the end.
    func read(upTo size: Int) throws -> [UInt8] {
        let descriptor = try withDescriptor { $0 }
        var failure: Int32 = 0
        // Safe: the system writes at most `size` bytes into the array.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            repeat {
                count = unsafe max(systemRead(descriptor, into: buffer.baseAddress, count: size), -1)
                failure = count < 0 ? errno : 0
            } while failure == EINTR
            count = max(count, 0)
        }
        guard failure == 0 else { throw self.failure("be read", failure) }
        return bytes
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        let descriptor = try withDescriptor { $0 }
        var rest = unsafe bytes[...]
        while unsafe !rest.isEmpty {
            let part = unsafe UnsafeRawBufferPointer(rebasing: rest)
            let count = unsafe systemWrite(descriptor, part.baseAddress, count: part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("be written") }
            unsafe rest = rest.dropFirst(count)
        }
    }

    private func open(_ path: String, _ flags: Int32, mode: mode_t = 0o666) throws {
        let opened = systemOpen(path, flags, mode: mode)
        guard opened >= 0 else { throw failure(flags & O_WRONLY == 0 ? "be opened" : "be written") }
        descriptor.withLock { $0 = opened }
    }

    private func withDescriptor<Result>(_ body: (Int32) -> Result) throws -> Result {
        guard let open = descriptor.withLock({ $0 }) else { throw BodyFailure(reason: "\"\(name)\" is closed") }
        return body(open)
    }

    /// - Parameter code: `errno`.
    private func failure(_ what: String, _ code: Int32 = errno) -> BodyFailure {
        BodyFailure(reason: "\"\(name)\" can't \(what): \(unsafe String(cString: strerror(code)))")
    }
}

// The class has methods with the names of these system calls.
private func systemOpen(_ path: String, _ flags: Int32, mode: mode_t) -> Int32 { unsafe open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }
private func systemRead(_ descriptor: Int32, into bytes: UnsafeMutableRawPointer?, count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
