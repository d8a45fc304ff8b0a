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

/// A download. The bytes go to a hidden file next to the destination, and are moved there when complete.
package struct DownloadFile: Sendable {
    package let transfer: Transfer
    private let place: URL
    private let part: URL
    private let isKept: Bool
    /// Identifies the request, since an entity tag is valid only for its own resource (RFC 9110 §8.8.3).
    private let resource: String
    /// The permissions of the file that is replaced.
    private let mode: mode_t?
    /// Locks the kept part.
    private let lock: OpenFile?

    /// - Parameters:
    ///   - place: The destination. A symbolic link stays, and its target is replaced.
    ///   - resource: A text that is equal only for equal requests, which may continue a part.
    ///   - isKept: Whether to keep the received part of a failed download for the next one to the same destination.
    ///   - progress: Called as bytes are received.
    /// - Throws: ``BodyFailure`` if the destination is something other than a regular file.
    package init(
        _ place: URL, of resource: String, keepingPart isKept: Bool, progress: (@Sendable (TransferProgress) -> Void)?
    ) throws {
        guard place.isFileURL else { throw BodyFailure(reason: "the URL of its place is not a file's") }
        let place = place.resolvingSymlinksInPath()
        (self.place, self.resource) = (place, resource)
        mode = try Self.mode(ofFileToReplace: place)
        let keptPart = Self.keptPart(of: place)
        lock = isKept ? try? OpenFile(locking: keptPart) : nil
        // Another download uses the kept part.
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
        // Without its version, the part of a killed process isn't resumed.
        remove(Self.version(of: part))
    }

    /// - Returns: The permissions; nil without a file.
    private static func mode(ofFileToReplace place: URL) throws -> mode_t? {
        var status = stat()
        guard unsafe stat(place.path, &status) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let kind = status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "no regular file"
            throw BodyFailure(reason: "\"\(place.lastPathComponent)\" is \(kind)")
        }
        // Without the set-user-ID and set-group-ID bits, because the content is the server's.
        return status.st_mode & 0o777
    }

    /// Gives the part the permissions of the file that it replaces, so that it has no more readers. The owner can also
    /// write it.
    private static func protect(_ part: URL, by mode: mode_t) {
        if !FileManager.default.fileExists(atPath: part.path) {
            _ = FileManager.default.createFile(atPath: part.path, contents: nil)
        }
        _ = unsafe chmod(part.path, mode | 0o600)
    }

    /// Moves the file to its destination.
    ///
    /// - Parameter body: From a transport that doesn't write files; nil if the file has it.
    /// - Throws: ``TransportError/Reason/unwritableFile(_:)``, and removes the part.
    package func finish(_ body: [UInt8]?, of request: APIRequest) throws(TransportError) {
        do {
            if let body {
                let file = try OpenFile(writing: part, keeping: 0)
                // Safe: the bytes stay in place while the closure runs.
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

    /// Ends a failed download. The part is kept if the caller asked for it and the server can send the rest.
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

    /// Removes the part of an earlier download to the same destination, unless another download uses it.
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

    private static func version(of part: URL) -> URL { part.appendingPathExtension("version") }

    /// Names can have 255 bytes, so a long name is replaced by a hash.
    private static func beside(_ file: URL, ending: String) -> URL {
        let name = file.lastPathComponent
        // FNV-1a, which is equal in each process.
        let number = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let stem = name.utf8.count <= 200 ? name : String(number, radix: 16)
        return file.deletingLastPathComponent().appendingPathComponent(".\(stem).\(ending)")
    }
}

/// The content of the file `….version` next to a part.
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
