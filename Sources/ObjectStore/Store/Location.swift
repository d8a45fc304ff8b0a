public import Foundation

extension Store {
    /// The place of a store's file.
    ///
    /// | location | folder | removed with the store |
    /// |---|---|---|
    /// | `.file(path)`, `.file(url)` | must exist, so that a misspelled path is an error | no |
    /// | `.applicationSupport("Issues")` | is created, with mode 0700 | no |
    /// | `.appGroup("group.org.example", name: "Issues")`, on Apple's systems | is created, with mode 0700 | no |
    /// | `.temporary` | the system's for temporary files | yes |
    /// | `.inMemory` | one in memory, if the system has one | yes |
    ///
    /// The file is created for its owner alone (mode 0600). SQLite keeps two more files beside it, `-wal` and `-shm`.
    public enum Location: Sendable, Hashable {
        /// A file at this path, in an existing folder, created if necessary. A relative path begins at the working
        /// directory when the store is opened.
        case file(String)
        /// `store.sqlite` in a folder of this name, created below `$XDG_DATA_HOME`, or else `~/.local/share`, on Linux,
        /// and below `Application Support` on Apple's systems. All programs of a user share these, so use a unique
        /// name, such as your program's.
        case applicationSupport(String)
        #if canImport(Darwin)
            /// `store.sqlite` in a folder of this name, created below the app group's folder.
            case appGroup(String, name: String)
        #endif
        /// A new file in the temporary folder, removed when you release the store and its objects.
        case temporary
        /// A new file in memory: on Linux in `/dev/shm` if a gigabyte is free there, otherwise as ``temporary``. It is
        /// removed when you release the store and its objects, or, if the process is killed, when the machine restarts.
        case inMemory

        /// A file at this URL, in an existing folder, created if necessary.
        public static func file(_ url: URL) -> Location {
            // Opening the store refuses other URLs than a file's, with the URL in the error.
            .file(url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString)
        }
    }
}

extension Store.Location {
    struct Place {
        let path: String
        var isTemporary = false
    }

    /// Creates the folder of the locations that promise it. Temporary locations have another file at each call.
    ///
    /// - Throws: ``StoreError/FileProblem/cannotOpen(_:)`` if the folder can't be created,
    ///   ``StoreError/FileProblem/unusablePath(_:)`` for a path that isn't a file's.
    func place() throws(StoreError) -> Place {
        switch self {
        case .file(let path): return Place(path: try Self.absolute(path))
        case .temporary: return Self.temporary(in: FileManager.default.temporaryDirectory)
        case .inMemory: return Self.temporary(in: Self.memoryFolder ?? FileManager.default.temporaryDirectory)
        case .applicationSupport(let name): return try Self.place(named: name, below: Self.dataHome)
        #if canImport(Darwin)
            case .appGroup(let group, let name):
                let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group)
                guard let folder else {
                    throw .file(.cannotOpen("the app is not in the group \"\(group)\""), path: name)
                }
                return try Self.place(named: name, below: folder)
        #endif
        }
    }

    /// Absolute, because the working directory may have changed when a connection opens it again.
    ///
    /// Refuses paths that SQLite interprets (https://sqlite.org/c3ref/open.html): they name a private database or set
    /// options.
    private static func absolute(_ path: String) throws(StoreError) -> String {
        if path.isEmpty { throw .file(.unusablePath("it is empty; give .temporary for no file to keep"), path: path) }
        if path.utf8.contains(0) {
            throw .file(.unusablePath("a NUL would end it before its end; leave that out"), path: path)
        }
        if path == ":memory:" {
            let why =
                "it is SQLite's word for memory; give .inMemory or .temporary, or \"./:memory:\" for a file of that name"
            throw .file(.unusablePath(why), path: path)
        }
        if path.hasPrefix("file:") {
            let why =
                "SQLite's URLs are not read; give a path or .file(URL), or begin with \"./\" for a file of that name"
            throw .file(.unusablePath(why), path: path)
        }
        return FileOnDisk.absolute(path)
    }

    private static func temporary(in folder: URL) -> Place {
        let file = folder.appending(path: "RestfulData-\(UUID()).sqlite")
        return Place(path: file.path(percentEncoded: false), isTemporary: true)
    }

    private static func place(named name: String, below home: URL?) throws(StoreError) -> Place {
        guard let home else { throw .file(.cannotOpen("there is no folder for a user's data"), path: name) }
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
            throw .file(.cannotOpen("\"\(name)\" is no name of a folder"), path: name)
        }
        let folder = home.appending(path: name)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            let reason = "its folder can't be made: \(error.localizedDescription)"
            throw .file(.cannotOpen(reason), path: folder.path(percentEncoded: false))
        }
        return Place(path: folder.appending(path: "store.sqlite").path(percentEncoded: false))
    }

    #if canImport(Darwin)
        private static var dataHome: URL? {
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        }

        private static var memoryFolder: URL? { nil }
    #else
        /// The XDG Base Directory Specification says to ignore relative paths.
        private static var dataHome: URL? { dataHome(ProcessInfo.processInfo.environment) }

        static func dataHome(_ environment: [String: String]) -> URL? {
            if let home = environment["XDG_DATA_HOME"], home.hasPrefix("/") { return URL(filePath: home) }
            guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
            return URL(filePath: home).appending(path: ".local/share")
        }

        private static var memoryFolder: URL? {
            let path = "/dev/shm"
            var status = statvfs()
            guard unsafe statvfs(path, &status) == 0, unsafe access(path, W_OK) == 0 else { return nil }
            // A container may have only 64 MB there, and a full folder is worse than a slow one.
            return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 1 << 30 ? URL(filePath: path) : nil
        }
    #endif
}

#if canImport(Darwin)
    extension Store {
        /// Excludes the file from backups, or includes it again. Backups then lack unsent changes, which the server
        /// doesn't have.
        ///
        /// - Throws: Foundation's error.
        public func setExcludedFromBackup(_ isExcluded: Bool) throws {
            var values = URLResourceValues()
            values.isExcludedFromBackup = isExcluded
            for file in filesOnDisk {
                var url = URL(filePath: file)
                try url.setResourceValues(values)
            }
        }

        /// Makes the system encrypt the file while the device is locked. With `.complete`, reads and writes fail
        /// meanwhile; for work in the background, use `.completeUntilFirstUserAuthentication`.
        ///
        /// - Throws: Foundation's error.
        public func setProtection(_ protection: FileProtectionType) throws {
            for file in filesOnDisk {
                try FileManager.default.setAttributes([.protectionKey: protection], ofItemAtPath: file)
            }
        }

        private var filesOnDisk: [String] {
            ["", "-wal", "-shm"].map { path + $0 }.filter { FileManager.default.fileExists(atPath: $0) }
        }
    }
#endif
