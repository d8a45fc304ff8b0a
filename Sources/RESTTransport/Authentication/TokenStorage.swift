import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tokens of OAuth 2, for a ``TokenStorage``. Their description omits them.
public struct OAuth2Tokens: Sendable, Hashable, Codable {
    /// The token sent with requests to the API.
    public var accessToken: String
    /// The token that obtains the next tokens; nil if the server sent none.
    public var refreshToken: String?
    /// When the access token expires, by the local clock; nil if unknown.
    public var expiresAt: Date?

    /// Creates tokens, for example those of an earlier sign-in.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil) {
        (self.accessToken, self.refreshToken, self.expiresAt) = (accessToken, refreshToken, expiresAt)
    }
}

extension OAuth2Tokens: CustomStringConvertible, CustomReflectable {
    /// The type's name.
    public var description: String { "OAuth2Tokens" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// Keeps the tokens of one account, so that a sign-in survives a restart of the program.
///
/// ``OAuth2`` calls it from one task at a time. An error that it throws becomes ``OAuth2Error/Reason/storage(_:)``,
/// with the description of a ``TokenFileError`` or the type name of any other error.
public protocol TokenStorage: Sendable {
    /// Returns the tokens that were saved last; nil if there are none.
    func load() async throws -> OAuth2Tokens?

    /// Saves tokens, replacing the previous ones; nil removes them.
    func save(_ tokens: OAuth2Tokens?) async throws
}

/// Keeps tokens until the process ends.
public final class TokenMemory: TokenStorage {
    private let tokens: Mutex<OAuth2Tokens?>

    /// Creates a storage with these tokens.
    public init(_ tokens: OAuth2Tokens? = nil) { self.tokens = Mutex(tokens) }

    /// Returns the tokens; nil if it is empty.
    public func load() -> OAuth2Tokens? { tokens.withLock { $0 } }

    /// Replaces the tokens; nil removes them.
    public func save(_ tokens: OAuth2Tokens?) { self.tokens.withLock { $0 = tokens } }
}

/// Keeps tokens in a file that only its owner can read.
///
/// The file is replaced atomically. Programs can share it: when a token expires or is rejected, they read the tokens
/// saved by others.
public struct TokenFile: TokenStorage {
    private let file: URL

    /// Uses a file, created when tokens are saved; its folder must exist.
    public init(_ file: URL) { self.file = file }

    /// Reads the file.
    ///
    /// - Returns: The tokens; nil if the file is missing.
    /// - Throws: ``TokenFileError`` if the file is unreadable or its content is invalid.
    public func load() throws -> OAuth2Tokens? {
        guard exists else { return nil }
        guard let bytes = try? Data(contentsOf: file) else { throw TokenFileError(file, "can't be read") }
        guard let tokens = try? JSONDecoder().decode(OAuth2Tokens.self, from: bytes) else {
            throw TokenFileError(file, "has no tokens; remove it, and sign in again")
        }
        return tokens
    }

    /// Writes the file with permissions 0600; nil removes it.
    ///
    /// - Throws: ``TokenFileError`` if writing or removing the file fails.
    public func save(_ tokens: OAuth2Tokens?) throws {
        guard let tokens else {
            guard (try? FileManager.default.removeItem(at: file)) != nil || !exists else {
                throw TokenFileError(file, "can't be removed")
            }
            return
        }
        guard let bytes = try? JSONEncoder().encode(tokens) else { throw TokenFileError(file, "can't be written") }
        do { try OpenFile.replace(file, with: Array(bytes)) } catch {
            throw TokenFileError(file, "can't be written: \((error as? BodyFailure)?.reason ?? "\(type(of: error))")")
        }
    }

    private var exists: Bool { FileManager.default.fileExists(atPath: file.path) }
}

/// A failure to read or write a ``TokenFile``.
public struct TokenFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file's name, and the problem.
    public let description: String

    fileprivate init(_ file: URL, _ what: String) { description = "\"\(file.lastPathComponent)\" \(what)" }
}
