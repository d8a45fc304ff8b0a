public import Foundation

extension Store {
    /// Where the records are kept.
    ///
    /// | location | folder | goes with the store |
    /// |---|---|---|
    /// | `.file(path)`, `.file(url)` | must exist, so that a misspelt path makes none | no |
    /// | `.applicationSupport("Issues")` | is made, for its owner alone (mode 0700) | no |
    /// | `.appGroup("group.org.example", name: "Issues")`, on Apple's systems | is made, likewise | no |
    /// | `.temporary` | the system's for temporary files | yes |
    /// | `.inMemory` | one that is in memory, where there is one | yes |
    ///
    /// The file is made for its owner alone (mode 0600). SQLite keeps two more beside it, `-wal` and `-shm`.
    public enum Location: Sendable, Hashable {
        /// A file at this path, made if there is none; its folder must exist. A relative path begins at the process's
        /// folder of the moment when the store is opened.
        case file(String)
        /// `store.sqlite` in a folder of this name, which is made, where a user's programs keep their data: below
        /// `$XDG_DATA_HOME`, or else `~/.local/share`, on Linux, and below `Application Support` on Apple's systems.
        /// The name is the program's, or as good as unique: a user's programs share that place.
        case applicationSupport(String)
        #if canImport(Darwin)
            /// The same in the folder that the apps of a group share.
            case appGroup(String, name: String)
        #endif
        /// A file of its own in the temporary folder, removed when the store and its objects are let go of.
        case temporary
        /// The same in memory: on Linux in `/dev/shm`, if a gigabyte is free there, else as ``temporary``.
        ///
        /// It is a file all the same, as each context reads by a connection of its own at one state of it while others
        /// write, which SQLite's own databases in memory can't do. A process that is killed leaves it there until the
        /// machine restarts.
        case inMemory

        /// A file at this URL, likewise.
        public static func file(_ url: URL) -> Location {
            // What is no file is refused by its name when it is opened.
            .file(url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString)
        }
    }
}

extension Store.Location {
    /// A path, and whether the file is removed with the store.
    struct Place {
        let path: String
        var isTemporary = false
    }

    /// Makes the folder where that is promised. Another file at each call for those that are temporary.
    ///
    /// - Throws: ``StoreError/FileProblem/cannotOpen(_:)`` when there is no such folder and none can be made,
    ///   ``StoreError/FileProblem/unusablePath(_:)`` for a path that names no file.
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

    /// The path from the root on: each connection opens it anew, and the process's folder may have changed by then.
    ///
    /// What SQLite would read in a way of its own names a database that no other connection could see, or options that
    /// are the library's: https://sqlite.org/c3ref/open.html.
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
        // A name, not a path that leads elsewhere.
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else {
            throw .file(.cannotOpen("\"\(name)\" is no name of a folder"), path: name)
        }
        let folder = home.appending(path: name)
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .file(.cannotOpen("its folder can't be made"), path: folder.path(percentEncoded: false))
        }
        return Place(path: folder.appending(path: "store.sqlite").path(percentEncoded: false))
    }

    #if canImport(Darwin)
        private static var dataHome: URL? {
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        }

        private static var memoryFolder: URL? { nil }
    #else
        /// As the XDG Base Directory Specification has it, by which a relative path is none.
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
            // A container's may hold 64 MB alone, and a full one is worse than a slow one.
            return UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 1 << 30 ? URL(filePath: path) : nil
        }
    #endif
}

#if canImport(Darwin)
    extension Store {
        /// Leaves the file out of backups, or takes it in again: for what the server has anyway. Changes that are not
        /// sent yet are lost with it.
        ///
        /// - Throws: Foundation's error when the system refuses it.
        public func setExcludedFromBackup(_ isExcluded: Bool) throws {
            var values = URLResourceValues()
            values.isExcludedFromBackup = isExcluded
            for file in filesOnDisk {
                var url = URL(filePath: file)
                try url.setResourceValues(values)
            }
        }

        /// Has the system encrypt the file while the device is locked. With `.complete` the store can't be read or
        /// written then: `.completeUntilFirstUserAuthentication` is what apps that work in the background need.
        ///
        /// - Throws: Foundation's error when the system refuses it.
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
