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
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A file that is downloaded. Its bytes are written to a hidden file beside its place, which is moved there once it is
/// whole.
package struct DownloadFile: Sendable {
    package let transfer: Transfer
    private let place: URL
    private let part: URL
    private let isKept: Bool
    /// Tells the server's resources apart: an entity tag is one's own (RFC 9110 §8.8.3).
    private let resource: String
    /// The permissions of the file that is replaced.
    private let mode: mode_t?
    /// Keeps others from the part that is kept.
    private let lock: OpenFile?

    /// Begins a download.
    ///
    /// - Parameters:
    ///   - place: Where the file is to be. A symbolic link there stays, and the file that it leads to is replaced.
    ///   - resource: A text that is the same for equal requests alone: a part of one is not continued with another.
    ///   - isKept: Whether a part that came is kept when the download fails, and used by the next one to the same place.
    ///   - progress: Called as bytes come.
    /// - Throws: ``BodyFailure`` for a place that is neither free nor a regular file's.
    package init(
        _ place: URL, of resource: String, keepingPart isKept: Bool, progress: (@Sendable (TransferProgress) -> Void)?
    ) throws {
        guard place.isFileURL else { throw BodyFailure(reason: "the URL of its place is not a file's") }
        let place = place.resolvingSymlinksInPath()
        (self.place, self.resource) = (place, resource)
        mode = try Self.mode(ofFileToReplace: place)
        let keptPart = Self.keptPart(of: place)
        lock = isKept ? try? OpenFile(locking: keptPart) : nil
        // Without the lock, another download to the same place uses that part.
        self.isKept = lock != nil
        part = lock != nil ? keptPart : Self.beside(place, ending: "\(UInt64.random(in: 0 ... .max)).part")
        if let mode { Self.protect(part, by: mode) }
        guard let lock, let length = try? lock.length(), length > 0,
            let version = try? PartVersion(Self.version(of: part)), version.resource == resource
        else {
            transfer = Transfer(to: part, progress: progress)
            return
        }
        transfer = Transfer(resuming: part, having: length, of: version.validator, progress: progress)
        // Without its version, the part that a killed process leaves is not resumed.
        remove(Self.version(of: part))
    }

    /// - Returns: the permissions of a file that is there; nil for a place that is free.
    private static func mode(ofFileToReplace place: URL) throws -> mode_t? {
        var status = stat()
        guard unsafe stat(place.path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no regular file"
            throw BodyFailure(reason: "\"\(place.lastPathComponent)\" is \(kind)")
        }
        // Not the bits by which a program runs as another user: the new content is the server's.
        return status.st_mode & 0o777
    }

    /// Sees to it that nobody can read a part who can't read the file that it replaces. The owner can write it.
    private static func protect(_ part: URL, by mode: mode_t) {
        if !FileManager.default.fileExists(atPath: part.path) {
            _ = FileManager.default.createFile(atPath: part.path, contents: nil)
        }
        _ = unsafe chmod(part.path, mode | 0o600)
    }

    /// Moves the file to its place, which it takes from a file that is there.
    ///
    /// - Parameter body: The body of a transport that doesn't write files; nil where the file has it.
    /// - Throws: ``TransportError/Reason/unwritableFile(_:)``; nothing is left behind then.
    package func finish(_ body: [UInt8]?, of request: APIRequest) throws(TransportError) {
        do {
            if let body {
                let file = try OpenFile(writing: part, keeping: 0)
                // The array's bytes stay for as long as the closure runs.
                try unsafe body.withUnsafeBytes { try unsafe file.write($0) }
                transfer.noteReceived(body.count)
            }
            if let mode { _ = unsafe chmod(part.path, mode) }
            guard unsafe rename(part.path, place.path) == 0 else {
                throw BodyFailure(
                    reason:
                        "\"\(place.lastPathComponent)\" can't be written: \(unsafe String(cString: strerror(errno)))")
            }
            lock?.close()
            if !isKept { removeKeptPart() }
        } catch {
            remove(part)
            lock?.close()
            throw TransportError(unwritable: error, request)
        }
    }

    /// Ends a download that failed. The part that came is kept where that was asked for and the server can be asked for
    /// the rest; otherwise nothing is left behind.
    package func abandon() {
        if isKept, let came = transfer.part,
            (try? PartVersion(validator: came.validator, resource: resource).write(to: Self.version(of: part))) != nil
        {
            lock?.close()
            return
        }
        remove(part)
        lock?.close()
    }

    private func remove(_ file: URL) { _ = unsafe unlink(file.path) }

    /// Removes the part that an earlier download to the same place has left, unless another one uses it.
    private func removeKeptPart() {
        let keptPart = Self.keptPart(of: place)
        guard FileManager.default.fileExists(atPath: keptPart.path), let lock = try? OpenFile(locking: keptPart) else {
            return
        }
        remove(keptPart)
        remove(Self.version(of: keptPart))
        lock.close()
    }

    // MARK: Names

    private static func keptPart(of place: URL) -> URL { beside(place, ending: "part") }

    /// Where the version of a part is.
    private static func version(of part: URL) -> URL { part.appendingPathExtension("version") }

    /// A hidden file beside another one. A name may have 255 bytes; of a long one a number stands for it.
    private static func beside(_ file: URL, ending: String) -> URL {
        let name = file.lastPathComponent
        // The hash function FNV-1a, which is the same in each process.
        let number = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let stem = name.utf8.count <= 200 ? name : String(number, radix: 16)
        return file.deletingLastPathComponent().appendingPathComponent(".\(stem).\(ending)")
    }
}

/// Which version of which resource a part is of, as the file beside it has it.
private struct PartVersion {
    let validator: String
    let resource: String

    init(validator: String, resource: String) { (self.validator, self.resource) = (validator, resource) }

    init(_ file: URL) throws {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        guard lines.count == 2 else { throw BodyFailure(reason: "it names no version") }
        self.init(validator: lines[0], resource: lines[1])
    }

    func write(to file: URL) throws {
        try Data("\(validator)\n\(resource)".utf8).write(to: file, options: .atomic)
    }
}
