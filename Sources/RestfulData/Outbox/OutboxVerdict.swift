import Foundation
import ObjectStore
import RESTTransport

enum OutboxVerdict: Sendable, Equatable {
    case done
    /// The server's version won a conflict, which dropped all edits.
    case takenBack
    /// Only this entry backs off.
    case later
    /// All requests to the API wait. Nil: a random time that grows.
    case hold(Duration?)
    /// All requests to the API wait for other credentials, for this reason.
    case pause(String)
    /// The entry waits until another object is created.
    case wait(String)
    case reject(Rejection)
    /// The store is closed, or the task was cancelled.
    case stop

    /// - Parameters:
    ///   - isCreation: whether the request may have created an object whose identity is unknown.
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
        case .store(.cancelled): self = .onCancellation
        case .store(.closedStore), .store(.endedContext), .store(.lostEdits): self = .stop
        case .store(.file), .store(.timedOut): self = .hold(nil)
        // The object's deletion may be queued by now.
        case .store(.deletedObject): self = .wait(error.description)
        case .notCreated, .accepted, .body, .noObject, .redirected, .unread, .otherObject:
            self = .reject(Rejection(isCreation ? .undecided : .refused, error.description))
        default: self = .reject(Rejection(.unsendable, error.description))
        }
    }

    var isTriedAgain: Bool {
        switch self {
        case .later, .hold, .pause: true
        case .done, .takenBack, .wait, .reject, .stop: false
        }
    }

    /// Middleware may cancel a request of its own accord. The run goes on then.
    private static var onCancellation: OutboxVerdict { Task.isCancelled ? .stop : .later }

    private static func verdict(on error: TransportError, now: Double) -> OutboxVerdict {
        switch error.reason {
        case .limited(let date, _), .circuitOpen(let date, _, _):
            .hold(.seconds(max(date.timeIntervalSince1970 - now, 0)))
        case .credentialUnavailable(let reason): .pause(reason)
        case .tokenRefused(let reason): .pause("\(reason)")
        case .cancelled: .onCancellation
        case .invalidURL, .unreadableBody, .insecureRedirect, .redirectedWrite, .invalidRedirect:
            .reject(Rejection(.unsendable, "\(error)"))
        // Such errors may depend on this one request, so others continue.
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
