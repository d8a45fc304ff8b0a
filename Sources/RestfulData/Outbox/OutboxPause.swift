import ObjectStore

/// A pause of the outbox: it sends nothing to an API until the user has signed in.
///
/// The pause begins with a 401, or when the token is missing. ``Outbox/wake()`` ends it. Entries stay, and you can
/// queue further changes.
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
    /// The number of changes in the store's outbox, including rejected ones. It can be observed, for example for a
    /// badge. ``outboxCounts`` separates the rejected ones.
    public var outboxCount: Int { (try? countsOfQueuedWrites().all) ?? 0 }

    /// The numbers of waiting and of rejected changes in the store's outbox. They can be observed, for example for a
    /// badge. Both are 0 while reading the file fails.
    public var outboxCounts: OutboxCounts {
        let counts = try? countsOfQueuedWrites()
        let rejected = counts?.rejected ?? 0
        return OutboxCounts(waiting: (counts?.all ?? 0) - rejected, rejected: rejected)
    }

    /// The APIs to which the store's outbox sends nothing until the user has signed in; usually empty. It can be
    /// observed.
    public var outboxPauses: [OutboxPause] {
        let pauses = file.outboxPauses
        noteRead(.outboxPauses, pauses) { $0.file.outboxPauses }
        return pauses
    }
}
