import Foundation
import ObjectStore
import RESTTransport

/// What becomes of an entry after an attempt to send it.
enum OutboxVerdict: Sendable, Equatable {
    /// The server has done it.
    case done
    /// Nothing is left to send, as the server's version of the object was taken.
    case takenBack
    /// Other entries go on; this one is tried again after a while.
    case later
    /// Nothing goes: no connection, or a server that asks for time. Nil: a time by chance, which grows.
    case hold(Duration?)
    /// Nothing goes until there are other credentials; the text explains why.
    case pause(String)
    /// Another object has to be created first.
    case wait(String)
    /// The entry waits for a decision.
    case reject(Rejection)
    /// The store is closed, or the task was cancelled.
    case stop

    /// - Parameters:
    ///   - error: the error of the operation.
    ///   - isCreation: whether it may have made an object that nobody knows.
    ///   - now: seconds since 1970.
    init(_ error: APIError, isCreation: Bool, now: Double) {
        switch error {
        case .transport(let error): self = Self.verdict(on: error, now: now)
        case .reply(let reply): self = Self.verdict(on: reply)
        case .conflict(let conflict):
            self = .reject(Rejection(.conflict, status: conflict.reply.status, error.description))
        case .leftOut: self = .done
        case .unidentified, .notYetCreated: self = .wait(error.description)
        case .alreadyCreated: self = .later
        case .undecidedCreation: self = .reject(Rejection(.undecided, error.description))
        case .unstored(let failure, _): self = failure.isClosing ? .stop : .hold(nil)
        case .store(.validation): self = .reject(Rejection(.invalid, error.description, fields: error.fields))
        case .store(.cancelled), .store(.closedStore), .store(.endedContext), .store(.lostEdits): self = .stop
        case .store(.file), .store(.timedOut): self = .hold(nil)
        // Its deletion may be queued by now.
        case .store(.deletedObject): self = .wait(error.description)
        case .notCreated, .accepted, .body, .noObject, .redirected, .unread, .otherObject:
            self = .reject(Rejection(isCreation ? .undecided : .refused, error.description))
        default: self = .reject(Rejection(.unsendable, error.description))
        }
    }

    /// Whether the entry is sent again by itself.
    var isTriedAgain: Bool {
        switch self {
        case .later, .hold, .pause: true
        case .done, .takenBack, .wait, .reject, .stop: false
        }
    }

    private static func verdict(on error: TransportError, now: Double) -> OutboxVerdict {
        switch error.reason {
        case .limited(let date, _), .circuitOpen(let date, _, _):
            .hold(.seconds(max(date.timeIntervalSince1970 - now, 0)))
        case .credentialUnavailable(let reason): .pause(reason)
        case .tokenRefused(let reason): .pause("\(reason)")
        case .cancelled: .stop
        case .invalidURL, .unreadableBody, .insecureRedirect, .redirectedWrite, .invalidRedirect:
            .reject(Rejection(.unsendable, "\(error)"))
        // One that ends so each time holds back no others.
        case .malformedResponse, .undecoded, .tooLarge, .unwritableFile, .tooManyRedirects, .redirectLoop, .other,
            .connectionLost, .timedOut:
            .later
        case .connectionRefused, .connectionFailed, .tls: .hold(nil)
        }
    }

    private static func verdict(on reply: ReplyError) -> OutboxVerdict {
        switch reply.status {
        case 401: return .pause(reply.description)
        case 408, 425: return .later
        case 500...: return reply.retryAfter.map { .hold($0) } ?? .later
        default: break
        }
        let kind: Rejection.Kind =
            switch reply.kind {
            case .validation: .invalid
            case .notFound: .gone
            case .conflict: .conflict
            default: .refused
            }
        if reply.kind == .rateLimited { return .hold(reply.retryAfter) }
        return .reject(Rejection(kind, status: reply.status, reply.description, fields: reply.fields))
    }
}

extension StoreError {
    fileprivate var isClosing: Bool {
        switch self {
        case .closedStore, .endedContext, .cancelled: true
        default: false
        }
    }
}
