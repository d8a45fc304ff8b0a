import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Tokens of OAuth 2, as a ``TokenStorage`` keeps them. A description shows none of them.
public struct OAuth2Tokens: Sendable, Hashable, Codable {
    /// What requests to the API carry.
    public var accessToken: String
    /// What gets the next tokens; nil if the server gave none.
    public var refreshToken: String?
    /// When the access token expires, by the local clock; nil if the server didn't say.
    public var expiresAt: Date?

    /// Makes tokens, for example those of an earlier sign-in.
    public init(accessToken: String, refreshToken: String? = nil, expiresAt: Date? = nil) {
        (self.accessToken, self.refreshToken, self.expiresAt) = (accessToken, refreshToken, expiresAt)
    }
}

extension OAuth2Tokens: CustomStringConvertible, CustomReflectable {
    /// The type's name alone.
    public var description: String { "OAuth2Tokens" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}

/// Keeps the tokens of one account, so that a restart of the program needs no other sign-in.
///
/// ``OAuth2`` calls it from one task at a time. What it throws becomes ``OAuth2Error/Reason/storage(_:)`` with the
/// description of a ``TokenFileError``, or the name of any other error's type.
public protocol TokenStorage: Sendable {
    /// The tokens that were saved last; nil if there are none.
    func load() async throws -> OAuth2Tokens?

    /// Saves tokens in place of those before; nil removes them.
    func save(_ tokens: OAuth2Tokens?) async throws
}

/// Keeps tokens until the process ends.
public final class TokenMemory: TokenStorage {
    private let tokens: Mutex<OAuth2Tokens?>

    /// Begins with these tokens.
    public init(_ tokens: OAuth2Tokens? = nil) { self.tokens = Mutex(tokens) }

    /// The tokens.
    public func load() -> OAuth2Tokens? { tokens.withLock { $0 } }

    /// Replaces the tokens.
    public func save(_ tokens: OAuth2Tokens?) { self.tokens.withLock { $0 = tokens } }
}

/// Keeps tokens in a file that only its owner can read.
///
/// The file is replaced as a whole, so that a crash leaves the old tokens or the new ones. Programs that share a file
/// find each other's tokens when theirs expire or are rejected.
public struct TokenFile: TokenStorage {
    private let file: URL

    /// Uses a file, which is made when tokens are saved. Its folder has to exist.
    public init(_ file: URL) { self.file = file }

    /// Reads the file.
    ///
    /// - Returns: The tokens; nil if there is no file.
    /// - Throws: ``TokenFileError`` if it can't be read.
    public func load() throws -> OAuth2Tokens? {
        guard exists else { return nil }
        guard let bytes = try? Data(contentsOf: file) else { throw TokenFileError(file, "can't be read") }
        guard let tokens = try? JSONDecoder().decode(OAuth2Tokens.self, from: bytes) else {
            throw TokenFileError(file, "has no tokens; remove it, and sign in again")
        }
        return tokens
    }

    /// Writes the file, with permissions 0600; nil removes it.
    ///
    /// - Throws: ``TokenFileError`` if it can't be written.
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

/// Why a ``TokenFile`` can't be read or written.
public struct TokenFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file's name, and what is wrong with it.
    public let description: String

    fileprivate init(_ file: URL, _ what: String) { description = "\"\(file.lastPathComponent)\" \(what)" }
}
