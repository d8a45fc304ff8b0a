public import Foundation
import ObjectStore

/// The reason why an outbox's entry waits for your decision.
///
/// It is stored with the entry. Correct the object and save it with ``WriteTiming/queued``, or call
/// ``Outbox/retry(_:)`` or ``Outbox/discard(_:)``.
public struct Rejection: Error, Sendable, Hashable, Codable {
    /// The kinds of rejections.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// The server refused it with another status from 400 to 499.
        case refused
        /// The server found errors in properties: 422, or 400 with field errors.
        case invalid
        /// The server doesn't have the object any more: 404 or 410.
        case gone
        /// The server has another version of the object: 409 or 412.
        case conflict
        /// Making the request failed, so nothing was sent.
        case unsendable
        /// The reply to a creation was lost, so the server may have created the object.
        ///
        /// ``Outbox/retry(_:)`` creates it again, which may make a second object. If you have deleted it since, `retry`
        /// deletes the server's object. ``Outbox/discard(_:)`` restores the object. See
        /// ``APIConventions/UnknownCreations``.
        case undecided
    }

    /// The kind of the rejection.
    public let kind: Kind
    /// The HTTP status of the reply, if any.
    public let status: Int?
    /// A description of the reason, with secrets replaced.
    public let message: String
    /// The errors by the properties' Swift names. Empty unless the kind is ``Kind/invalid``.
    public let fields: [String: [String]]
    /// The time of the rejection.
    public let date: Date

    init(
        _ kind: Kind, status: Int? = nil, _ message: String, fields: [String: [String]] = [:], date: Date = Date()
    ) {
        (self.kind, self.status, self.message, self.fields, self.date) = (kind, status, message, fields, date)
    }

    /// JSON for the file.
    var text: String {
        // Texts, numbers and dates can always be encoded.
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// - Parameter text: if it is malformed, the message says so.
    init(text: String) {
        self =
            (try? JSONDecoder().decode(Rejection.self, from: Data(text.utf8)))
            ?? Rejection(.refused, "the reason can't be read any more")
    }
}

extension Rejection: CustomStringConvertible {
    /// The kind and the message.
    public var description: String { "\(kind.rawValue): \(message)" }
}

extension Rejection {
    static func several(_ model: String) -> Rejection {
        Rejection(.undecided, "Several \(model) objects at the server have the values of this one's natural key.")
    }

    static func unclear(_ model: String) -> Rejection {
        Rejection(.undecided, "The server's list of \(model) isn't whole, so the object may be there.")
    }

    /// - Parameter canRepeat: whether the request of the creation is known.
    static func undecidedDeletion(of model: String, canRepeat: Bool) -> Rejection {
        let retry = canRepeat ? "retry this entry to create it again and delete that, or " : ""
        return Rejection(
            .undecided,
            "The reply to the creation of this \(model) was lost, so the server may have it. Delete the object of the "
                + "server's list if it is there; then \(retry)discard this entry to get the object back.")
    }
}

/// The progress of sending an object's changes.
public enum SyncState: Sendable, Hashable {
    /// The server has all changes.
    case synced
    /// There are unsent changes, and the outbox has no entry for them. Save the object to send them.
    case unsent
    /// The outbox has an entry since this time.
    case waiting(since: Date)
    /// A request about the object is in flight.
    case sending
    /// The outbox's entry waits for your decision.
    case rejected(Rejection)
}
