import Synchronization

/// The facts that a request sends and the objects that it names, as far as requests about other objects may share them.
///
/// Requests about the same object take turns, so its attributes need no entries here.
package struct RequestScope: Sendable {
    /// nil for a request about all objects of a model.
    let subject: RecordID?
    /// The model all of whose objects the request changes.
    var collection: TableID?
    /// The facts in the body, edited or not: the row of the subject and those that are sent within it, and their
    /// relationships.
    var sent: Set<SentFact>
    /// The facts of which the request sends an edit, in both directions: an edited membership is a fact of the list and
    /// one of the member.
    package var edited: Set<SentFact>
    /// The edited to-one links among them.
    var links: Set<SentFact>
    /// The objects in the URL or the body, by their identities.
    package var named: Set<RecordID>
    /// Whether the request creates, deletes or renames the subject, or deletes the collection.
    package var changesSubject: Bool

    /// The scope of a request that changes all objects of a model.
    package init(ofAll table: TableID, deletes: Bool) {
        (subject, collection, changesSubject) = (nil, table, deletes)
        (sent, edited, links, named) = ([], [], [], [])
    }

    package init(
        _ subject: RecordID, sending sent: Set<SentFact> = [], editing edited: Set<SentFact> = [],
        links: Set<SentFact> = [], naming named: Set<RecordID> = [], changesSubject: Bool = false
    ) {
        (self.subject, self.sent, self.edited, self.links) = (subject, sent, edited, links)
        (self.named, self.changesSubject) = (named, changesSubject)
    }

    /// Whether the request must wait until another one has completed (`FactRules.mustWait`).
    ///
    /// Two requests may edit the same list at once, as they do if each creates a member: they share no membership. They
    /// must not both edit one link.
    func mustWait(for open: RequestScope) -> Bool {
        if changesObjects(of: open) || open.changesObjects(of: self) { return true }
        return !sent.isDisjoint(with: open.edited) || !edited.isDisjoint(with: open.sent)
            || !links.isDisjoint(with: open.links)
    }

    /// Whether this request creates, deletes or renames an object that the other is about or names, or is about a whole
    /// model and the other is about one of its objects.
    private func changesObjects(of other: RequestScope) -> Bool {
        if let collection, other.subject?.table == collection || other.collection == collection { return true }
        guard changesSubject else { return false }
        if let subject { return other.subject == subject || other.named.contains(subject) }
        return other.named.contains { $0.table == collection }
    }
}

/// The requests in flight that change something at the server. A request that shares an edited fact with one of them,
/// or names an object that one of them creates, deletes or renames, waits for it: the network may swap two requests.
///
/// A request waits before it begins, and those in flight wait for the server alone, so no two wait for each other.
package final class OpenRequests: Sendable {
    private struct Waiter {
        let number: ChangeStamp
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var scopes: [ChangeStamp: RequestScope] = [:]
        /// The tasks that wait for the end of a request.
        var waiting: [ChangeStamp: [Waiter]] = [:]

        /// The oldest request that `scope` must wait for.
        func blocker(of scope: RequestScope) -> ChangeStamp? {
            scopes.lazy.filter { scope.mustWait(for: $0.value) }.map(\.key).min()
        }
    }

    private let state = Mutex(State())

    /// Begins a request. End it with ``OpenRequest/end()``.
    ///
    /// - Returns: nil if it must wait (``waitForOthers(of:)``). The check and the beginning are one step.
    package func begin(_ scope: RequestScope) -> OpenRequest? {
        state.withLock { state in
            guard state.blocker(of: scope) == nil else { return nil }
            let number = ChangeStamp.now()
            state.scopes[number] = scope
            return OpenRequest(number, self)
        }
    }

    /// Waits until one request in flight that `scope` must wait for has ended, or the task is cancelled.
    ///
    /// - Returns: whether there was one. The objects may have changed meanwhile.
    package nonisolated(nonsending) func waitForOthers(of scope: RequestScope) async -> Bool {
        guard let blocker = state.withLock({ $0.blocker(of: scope) }) else { return false }
        let number = ChangeStamp.now()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The cancellation handler takes the same lock: either it ran before, and `isCancelled` is true, or it
                // finds the waiter.
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.scopes[blocker] == nil { return true }
                    state.waiting[blocker, default: []].append(Waiter(number: number, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            leave(blocker, number)?.resume()
        }
        return true
    }

    private func leave(_ blocker: ChangeStamp, _ number: ChangeStamp) -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            guard let index = state.waiting[blocker]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting[blocker]?.remove(at: index).continuation
        }
    }

    fileprivate func end(_ number: ChangeStamp) {
        let waiting = state.withLock { state in
            state.scopes[number] = nil
            return state.waiting.removeValue(forKey: number) ?? []
        }
        for waiter in waiting { waiter.continuation.resume() }
    }
}

/// A request in flight. It ends with this object at the latest.
package final class OpenRequest: Sendable {
    private let number: ChangeStamp
    private let requests: OpenRequests

    fileprivate init(_ number: ChangeStamp, _ requests: OpenRequests) {
        (self.number, self.requests) = (number, requests)
    }

    deinit { end() }

    /// Ends the request, whose outcome may be unknown. Requests that wait for it go on.
    package func end() { requests.end(number) }
}
