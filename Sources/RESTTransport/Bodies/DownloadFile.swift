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
    /// Keeps others from the part that is kept.
    private let lock: OpenFile?

    /// Begins a download.
    ///
    /// - Parameters:
    ///   - place: Where the file is to be.
    ///   - isKept: Whether a part that came is kept when the download fails, and used by the next one to the same place.
    ///   - progress: Called as bytes come.
    package init(_ place: URL, keepingPart isKept: Bool, progress: (@Sendable (TransferProgress) -> Void)?) {
        self.place = place
        let keptPart = Self.beside(place, named: ".\(place.lastPathComponent).part")
        lock = isKept ? try? OpenFile(locking: keptPart) : nil
        // Without the lock, another download to the same place uses that part.
        self.isKept = lock != nil
        part =
            lock != nil
            ? keptPart
            : Self.beside(place, named: ".\(place.lastPathComponent).\(UInt64.random(in: 0 ... .max)).part")
        guard let lock, let length = try? lock.length(), length > 0,
            let version = try? String(contentsOf: Self.version(of: part), encoding: .utf8), !version.isEmpty
        else {
            transfer = Transfer(to: part, progress: progress)
            return
        }
        transfer = Transfer(resuming: part, having: length, of: version, progress: progress)
        // Without its version, the part that a killed process leaves is not resumed.
        remove(Self.version(of: part))
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
            guard unsafe rename(part.path, place.path) == 0 else {
                throw BodyFailure(
                    reason:
                        "\"\(place.lastPathComponent)\" can't be written: \(unsafe String(cString: strerror(errno)))")
            }
            lock?.close()
        } catch {
            remove(part)
            lock?.close()
            throw TransportError(.unwritableFile((error as? BodyFailure)?.reason ?? "\(type(of: error))"), request)
        }
    }

    /// Ends a download that failed. The part that came is kept where that was asked for and the server can be asked for
    /// the rest; otherwise nothing is left behind.
    package func abandon() {
        if isKept, let came = transfer.part,
            (try? Data(came.validator.utf8).write(to: Self.version(of: part), options: .atomic)) != nil
        {
            lock?.close()
            return
        }
        remove(part)
        lock?.close()
    }

    private func remove(_ file: URL) { _ = unsafe unlink(file.path) }

    /// Where the name of a part's version is.
    private static func version(of part: URL) -> URL { beside(part, named: part.lastPathComponent + ".version") }

    private static func beside(_ file: URL, named name: String) -> URL {
        file.deletingLastPathComponent().appendingPathComponent(name)
    }
}
