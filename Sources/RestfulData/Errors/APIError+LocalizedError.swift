public import Foundation
import ObjectStore
import RESTTransport

extension APIError: LocalizedError {
    /// The error in English, for your app's users, without URLs, secrets and type names:
    /// `The server refused the change: Title is too long`.
    public var errorDescription: String? {
        switch self {
        case .noAPI, .route, .unencodable, .wrongContentType, .service: "The app can't make this request."
        case .notStored: "This isn't available offline."
        case .unknownTarget, .partialList: "Some of the data isn't loaded yet."
        case .repeatedMember(_, let property): "\(UserText.name(of: property)) can't be sent, as it has an item twice."
        case .unidentified, .notYetCreated: "The server doesn't have this yet."
        case .unsendable(_, let property, _), .unjoinable(_, let property, _):
            "\(UserText.name(of: property)) has a value that can't be sent."
        case .alreadyCreated: "The server has this already."
        case .transport(let error): error.errorDescription
        case .reply(let reply): reply.errorDescription
        case .conflict(let conflict): conflict.errorDescription
        case .accepted: "The server does this later."
        case .otherObject, .notCreated, .redirected, .body, .unread, .stream, .noObject, .leftOut:
            "The server's answer can't be understood."
        case .undecidedCreation: "The server's answer was lost, so the server may have this already."
        case .unstored: "The server has the change, but it can't be stored on this device."
        case .store(let error): error.errorDescription
        }
    }

    /// The user's next step in English; nil if there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .noAPI, .route, .unencodable, .wrongContentType, .service: UserText.contactSupport
        case .notStored: "Connect to the internet, and try again."
        case .unknownTarget, .partialList, .repeatedMember: "Refresh, and try again."
        case .unidentified, .notYetCreated: "Save this first, and try again."
        case .unsendable, .unjoinable: "Enter another value, and try again."
        case .alreadyCreated: nil
        case .transport(let error): error.recoverySuggestion
        case .reply(let reply): reply.recoverySuggestion
        case .conflict(let conflict): conflict.recoverySuggestion
        case .accepted: "Refresh after a while."
        case .otherObject, .notCreated, .redirected, .body, .unread, .stream, .noObject, .leftOut: UserText.tryLater
        case .undecidedCreation: "Refresh to see whether it is there. Then try again, or discard the change."
        case .unstored(let error, _): error.recoverySuggestion ?? UserText.tryAgain
        case .store(let error): error.recoverySuggestion
        }
    }
}

extension Conflict: LocalizedError {
    /// The conflict in English, for your app's users.
    public var errorDescription: String? { ReplyError.conflictText.what }

    /// Advises the user to make the change again, in English.
    public var recoverySuggestion: String? { ReplyError.conflictText.remedy }
}

extension ReplyError: LocalizedError {
    fileprivate static let conflictText = (
        what: "Somebody else has changed this.", remedy: "Refresh, and make your change again."
    )

    /// The failure in English, for your app's users. Messages about a refused change are the server's, in its language,
    /// except those with a URL.
    public var errorDescription: String? {
        switch kind {
        case .validation:
            UserText.list(UserText.sentences(fields, objectErrors: objectErrors), after: refusal) ?? quoted(refusal)
        case .unauthorized: "You have to sign in again."
        case .forbidden: quoted("You aren't allowed to do this")
        case .notFound: "The server doesn't have this."
        case .conflict: Self.conflictText.what
        case .rateLimited: "The server gets too many requests."
        case .server: "The server has a problem."
        case .other: quoted(refusal)
        }
    }

    /// The user's next step in English; nil if there is none.
    public var recoverySuggestion: String? {
        switch kind {
        case .validation: "Correct it, and try again."
        case .conflict: Self.conflictText.remedy
        case .notFound: "Refresh to see what is there."
        case .rateLimited, .server: retryAfter.map(Self.advice) ?? UserText.tryLater
        case .unauthorized, .forbidden, .other: nil
        }
    }

    private var refusal: String {
        ["GET", "HEAD"].contains(request.method) ? "The server refused the request" : "The server refused the change"
    }

    private func quoted(_ text: String) -> String {
        message.flatMap(UserText.shown).map { "\(text): \($0)" } ?? "\(text)."
    }

    private static func advice(toWait wait: Duration) -> String {
        let seconds = max(wait.components.seconds, 1)
        if seconds < 120 { return seconds == 1 ? "Try again in a second." : "Try again in \(seconds) seconds." }
        // Rounded up, since the server refuses earlier requests.
        return seconds < 7200 ? "Try again in \((seconds + 59) / 60) minutes." : UserText.tryLater
    }
}

extension TransportError: LocalizedError {
    /// The failure in English, for your app's users: `There is no connection to the server.`
    public var errorDescription: String? {
        switch reason {
        case .invalidURL: "The app can't make this request."
        case .credentialUnavailable: "You have to sign in again."
        case .tokenRefused(let error): error.needsSignIn ? "You have to sign in again." : "Signing in failed."
        case .unreadableBody: "The file can't be read."
        case .limited: "There were too many requests."
        case .circuitOpen: "The server has a problem."
        case .connectionRefused, .timedOut: "The server doesn't answer."
        case .connectionFailed: "There is no connection to the server."
        case .tls: "There is no secure connection to the server."
        case .connectionLost: "The connection to the server was lost."
        case .malformedResponse, .undecoded, .tooManyRedirects, .redirectLoop, .insecureRedirect, .invalidRedirect,
            .redirectedWrite:
            "The server's answer can't be understood."
        case .tooLarge: "The server's answer is too large."
        case .unwritableFile: "The file can't be stored on this device."
        case .cancelled: "This was cancelled."
        case .other: "The request failed."
        }
    }

    /// The user's next step in English; nil if there is none.
    public var recoverySuggestion: String? {
        switch reason {
        case .invalidURL: UserText.contactSupport
        case .connectionFailed: "Check your internet connection, and try again."
        case .tls: "Check your network, and the date of this device."
        case .unreadableBody: "Choose the file again."
        case .unwritableFile: "Free some space, and try again."
        case .connectionLost: UserText.tryAgain
        case .tokenRefused(let error): error.needsSignIn ? nil : UserText.tryLater
        case .limited, .circuitOpen, .connectionRefused, .timedOut, .malformedResponse, .undecoded, .tooManyRedirects,
            .redirectLoop, .insecureRedirect, .invalidRedirect, .redirectedWrite, .tooLarge, .other:
            UserText.tryLater
        case .credentialUnavailable, .cancelled: nil
        }
    }
}

extension Rejection: LocalizedError {
    /// The reason in English, for your app's users: `The server refused the change: Title is too long`.
    public var errorDescription: String? {
        switch kind {
        case .invalid: userTextOfFields ?? "The server refused the change."
        case .refused: "The server refused the change."
        case .gone: "The server doesn't have this any more."
        case .conflict: "Somebody else has changed this."
        case .unsendable: "The change can't be sent."
        case .undecided: "The server's answer was lost, so the server may have this already."
        }
    }

    /// The user's next step in English.
    public var recoverySuggestion: String? {
        switch kind {
        case .invalid: "Correct it and save it again, or discard the change."
        case .refused, .unsendable: "Change it and save it again, or discard the change."
        case .gone: "Discard the change."
        case .conflict: "Refresh, and compare. Then save your change again, or discard it."
        case .undecided: "Refresh to see whether it is there. Then try again, or discard the change."
        }
    }

    /// With no status, the object's own rules reject the change.
    private var userTextOfFields: String? {
        let sentences = UserText.sentences(fields)
        if status != nil { return UserText.list(sentences, after: "The server refused the change") }
        return sentences.isEmpty ? "Some values aren't accepted." : sentences.joined(separator: "\n")
    }
}

extension APIError: PropertyErrors {}
extension ReplyError: PropertyErrors {}
extension Rejection: PropertyErrors {}
