public import Foundation
import ObjectStore

/// Why an entry of the outbox waits for a decision: the server refused it, it can't be sent as it is, or nobody knows
/// whether the server has done it.
///
/// It is stored with the entry. Correct the object and save it again with ``WriteTiming/queued``, or call
/// ``Outbox/retry(_:)`` or ``Outbox/discard(_:)``.
public struct Rejection: Error, Sendable, Hashable, Codable {
    /// The kinds of rejections.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// The server refused it with another status of 400 to 499.
        case refused
        /// The server found errors in properties: 422, or 400 with field errors.
        case invalid
        /// The object is not at the server any more: 404 or 410.
        case gone
        /// The server has another version of the object: 409 or 412.
        case conflict
        /// Nothing was sent, as the request can't be made of the object.
        case unsendable
        /// The reply to a creation was lost, so the server may have made the object. ``Outbox/retry(_:)`` creates it
        /// again, and may make a second one. If the object was deleted here meanwhile, `retry` repeats the creation and
        /// deletes what that makes, or looks the object up again by its natural key; ``Outbox/discard(_:)`` brings the
        /// object back. See ``APIConventions/UnknownCreations``.
        case undecided
    }

    /// What kind of rejection it is.
    public let kind: Kind
    /// The HTTP status; nil without a reply.
    public let status: Int?
    /// What happened, without secrets.
    public let message: String
    /// The errors by the Swift names of the properties; empty for other kinds than ``Kind/invalid``.
    public let fields: [String: [String]]
    /// When it was rejected.
    public let date: Date

    init(
        _ kind: Kind, status: Int? = nil, _ message: String, fields: [String: [String]] = [:], date: Date = Date()
    ) {
        (self.kind, self.status, self.message, self.fields, self.date) = (kind, status, message, fields, date)
    }

    /// The text that the file keeps.
    var text: String {
        // Texts, numbers and dates can always be written.
        (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// - Parameter text: an unreadable text is a rejection that says so.
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
    /// Several objects at the server may be the one that was created.
    static func several(_ model: String) -> Rejection {
        Rejection(.undecided, "Several \(model) objects at the server have the values of this one's natural key.")
    }

    /// The server's list is not whole.
    static func unclear(_ model: String) -> Rejection {
        Rejection(.undecided, "The server's list of \(model) isn't whole, so the object may be there.")
    }

    /// Nothing can tell whether the server has an object that was deleted here.
    ///
    /// - Parameter canRepeat: whether the request of its creation is known.
    static func undecidedDeletion(of model: String, canRepeat: Bool) -> Rejection {
        let retry = canRepeat ? "retry this entry to create it again and delete that, or " : ""
        return Rejection(
            .undecided,
            "The reply to the creation of this \(model) was lost, so the server may have it. Delete the object of the "
                + "server's list if it is there; then \(retry)discard this entry to get the object back.")
    }
}

/// Whether the server has an object as it is.
public enum SyncState: Sendable, Hashable {
    /// It has: nothing is edited.
    case synced
    /// It hasn't, and nothing is queued: save the object.
    case unsent
    /// A write is in the outbox since this moment.
    case waiting(since: Date)
    /// A request about the object is on its way.
    case sending
    /// The outbox's entry waits for a decision.
    case rejected(Rejection)
}
