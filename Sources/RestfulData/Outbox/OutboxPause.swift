import ObjectStore

/// A pause: the outbox sends nothing to an API until the user has signed in.
///
/// It begins with a 401 or a missing token. ``Outbox/wake()`` ends it. Entries stay, and you can queue further ones.
///
/// ```swift
/// if !context.outboxPauses.isEmpty { Button("Sign in to send your changes") { … } }
/// ```
public struct OutboxPause: Sendable, Hashable, Identifiable {
    /// The index of the API among those of the store.
    public let id: Int
    /// The API's name (``API/name``); nil for a store's main API without a name.
    public let api: String?
    /// The reason, for developers, with secrets replaced.
    public let reason: String
}

extension OutboxPause: CustomStringConvertible {
    /// The API and the reason.
    public var description: String { "\(api ?? "the main API"): \(reason)" }
}

extension StoreFile {
    var outboxPauses: [OutboxPause] {
        guard let clients = companion as? APIClients else { return [] }
        return clients.outbox.pauses.map { index, reason in
            OutboxPause(id: index.rawValue, api: clients[index].api.name, reason: reason)
        }
    }
}

/// The numbers of changes in a store's outbox.
public struct OutboxCounts: Sendable, Hashable {
    /// The number of changes that are sent as soon as possible, or that are in flight.
    public let waiting: Int
    /// The number of rejected changes, which wait for a decision.
    public let rejected: Int
}

extension ObjectContext {
    /// The number of changes in the outbox, including rejected ones. It can be observed.
    public var outboxCount: Int { (try? countsOfQueuedWrites().all) ?? 0 }

    /// The numbers of waiting and rejected changes in the outbox; 0 while reading the file fails. They can be observed.
    public var outboxCounts: OutboxCounts {
        let counts = try? countsOfQueuedWrites()
        let rejected = counts?.rejected ?? 0
        return OutboxCounts(waiting: (counts?.all ?? 0) - rejected, rejected: rejected)
    }

    /// The APIs to which the outbox sends nothing until the user has signed in. It can be observed.
    public var outboxPauses: [OutboxPause] {
        let pauses = file.outboxPauses
        noteRead(.outboxPauses, pauses) { $0.file.outboxPauses }
        return pauses
    }
}
