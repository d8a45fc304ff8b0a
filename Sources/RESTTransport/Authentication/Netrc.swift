import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Sends the user name and password that a `.netrc` file has for the API's host, as `Authorization: Basic …`.
///
/// ```text
/// machine api.example.com login me password "with \"quotes\" and spaces"
/// ```
///
/// The file is read as curl reads it:
///
/// - The keywords are `machine`, `default`, `login`, `password`, and the ignored `account`, on any lines.
/// - `macdef` is skipped up to the next empty line.
/// - A `#` at the beginning of a word starts a comment.
/// - Words in double quotes may contain `\"`, `\\`, `\n`, `\r` and `\t`.
/// - The first entry for the host counts; `default` is for every host. An entry without a login sends no credentials. A
///   missing password is empty.
///
/// Unlike curl, it throws an error for an unknown word. The file's permissions are ignored: keep it at 0600.
public struct Netrc: AuthenticationProvider {
    private let entries: [NetrcEntry]

    /// Reads the file named by the environment variable `NETRC`, or else `.netrc` in the home folder.
    ///
    /// It is read once. A missing `.netrc` counts as empty.
    ///
    /// - Throws: ``NetrcError`` if the file is unreadable or has an unknown word.
    public init() throws(NetrcError) {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].map { URL(filePath: $0) } ?? .homeDirectory
        let file = home.appending(path: ".netrc")
        if let named = environment["NETRC"], !named.isEmpty {
            try self.init(contentsOf: URL(filePath: named))
        } else if FileManager.default.fileExists(atPath: file.path) {
            try self.init(contentsOf: file)
        } else {
            try self.init("")
        }
    }

    /// Reads a file.
    ///
    /// - Throws: ``NetrcError`` if the file is unreadable or has an unknown word.
    public init(contentsOf file: URL) throws(NetrcError) {
        guard let bytes = try? Data(contentsOf: file) else { throw NetrcError(line: nil, "the file can't be read") }
        try self.init(String(decoding: bytes, as: UTF8.self))
    }

    /// Reads the text of a `.netrc` file.
    ///
    /// - Throws: ``NetrcError`` if the text has an unknown word.
    public init(_ text: String) throws(NetrcError) {
        var reader = NetrcReader(text)
        entries = try reader.entries()
    }

    /// The user name for a host, in any letter case; nil if there is none.
    public func user(for host: String) -> String? { login(for: host)?.user }

    private func login(for host: String) -> Login? {
        let entry = entries.first { $0.machine == nil || $0.machine == host.lowercased() }
        return entry?.user.map { Login(user: $0, password: entry?.password ?? "") }
    }

    /// Adds `Authorization` if the file has an entry for the host.
    ///
    /// - Throws: ``TransportError/Reason/credentialUnavailable(_:)`` if the user name contains a colon.
    public func authenticated(_ request: APIRequest) async throws(TransportError) -> APIRequest {
        guard let host = Origin(request.url)?.host, let login = login(for: host) else { return request }
        var request = request
        request.headerFields[.authorization] = try login.basic(for: request)
        return request
    }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "Netrc" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// The problem of a `.netrc` file, with its line but without its content.
public struct NetrcError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1; nil if the file is unreadable.
    public let line: Int?
    private let what: String

    fileprivate init(line: Int?, _ what: String) { (self.line, self.what) = (line, what) }

    /// The problem, and its line.
    public var description: String { line.map { "line \($0) of .netrc: \(what)" } ?? ".netrc: \(what)" }
}

/// An entry, for all machines if `machine` is nil.
private struct NetrcEntry: Sendable {
    var machine: String?
    var user: String?
    var password: String?
}

private struct NetrcReader {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func entries() throws(NetrcError) -> [NetrcEntry] {
        var entries: [NetrcEntry] = []
        while let keyword = try word() {
            let line = line
            switch keyword {
            case "machine": entries.append(NetrcEntry(machine: try value(of: keyword).lowercased()))
            case "default": entries.append(NetrcEntry())
            case "macdef":
                _ = try value(of: keyword)
                skipMacro()
            case "login", "password", "account":
                let value = try value(of: keyword)
                guard !entries.isEmpty else {
                    throw NetrcError(line: line, "\(keyword) stands before any machine")
                }
                if keyword == "login" { entries[entries.count - 1].user = value }
                if keyword == "password" { entries[entries.count - 1].password = value }
            default:
                // The word may be part of a password with a space, so it isn't shown.
                throw NetrcError(
                    line: line, "a word is neither machine, default, login, password, account nor macdef")
            }
        }
        return entries
    }

    private mutating func value(of keyword: String) throws(NetrcError) -> String {
        let line = line
        guard let value = try word() else { throw NetrcError(line: line, "\(keyword) has no value") }
        return value
    }

    /// The next word, unquoted; nil at the end.
    private mutating func word() throws(NetrcError) -> String? {
        skipBlanksAndComments()
        guard position < bytes.count else { return nil }
        if bytes[position] == UInt8(ascii: "\"") { return try quoted() }
        let start = position
        while position < bytes.count, !bytes[position].isBlank { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func quoted() throws(NetrcError) -> String {
        let start = line
        position += 1
        var value: [UInt8] = []
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                if let escaped = next() { value.append(escaped.unescaped) }
            default: value.append(byte)
            }
        }
        throw NetrcError(line: start, "a quoted word doesn't end")
    }

    private mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        if bytes[position] == .newline { line += 1 }
        return bytes[position]
    }

    private mutating func skipBlanksAndComments() {
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "#") {
                while position < bytes.count, bytes[position] != .newline { position += 1 }
            } else if bytes[position].isBlank {
                _ = next()
            } else {
                return
            }
        }
    }

    /// Skips to an empty line.
    private mutating func skipMacro() {
        var isEmpty = false
        while let byte = next() {
            guard byte == .newline else {
                if !byte.isBlank { isEmpty = false }
                continue
            }
            if isEmpty { return }
            isEmpty = true
        }
    }
}

extension UInt8 {
    fileprivate static let newline = UInt8(ascii: "\n")
    fileprivate var isBlank: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
    /// The byte's meaning after a backslash.
    fileprivate var unescaped: UInt8 {
        switch self {
        case UInt8(ascii: "n"): .newline
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: self
        }
    }
}
