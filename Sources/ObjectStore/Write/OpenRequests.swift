import Synchronization

/// The facts and objects of a request that requests about other objects may share. Requests about one object take
/// turns, so its attributes have no entries.
package struct RequestScope: Sendable {
    /// nil for a request about all objects of a model.
    let subject: RecordID?
    /// The model all of whose objects the request changes.
    var collection: TableID?
    /// Facts in the body, edited or not: the subject's row, the rows sent within it, and their relationships.
    var sent: Set<SentFact>
    /// Edited facts, in both directions: a membership is a fact of the list and one of the member.
    package var edited: Set<SentFact>
    /// Edited to-one links.
    var links: Set<SentFact>
    /// The objects in the URL or the body.
    package var named: Set<RecordID>
    /// Whether the request creates, deletes or renames the subject.
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

    /// Applies `FactRules.mustWait`.
    ///
    /// Two requests may edit one list at once, as each may create a member: they share no membership. They must not
    /// both edit one link.
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

/// Requests in flight that change something at the server. A request that shares an edited fact with one of them, or
/// names an object that one of them creates, deletes or renames, waits for it, because the network may swap them.
///
/// A request waits before it begins, so no two wait for each other.
package final class OpenRequests: Sendable {
    private struct Waiter {
        let number: ChangeStamp
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var scopes: [ChangeStamp: RequestScope] = [:]
        var waiting: [ChangeStamp: [Waiter]] = [:]

        func blocker(of scope: RequestScope) -> ChangeStamp? {
            scopes.lazy.filter { scope.mustWait(for: $0.value) }.map(\.key).min()
        }
    }

    private let state = Mutex(State())

    /// Begins a request. End it with ``OpenRequest/end()``.
    ///
    /// - Returns: nil if it must wait (``waitForOthers(of:)``). Checking and beginning are one step.
    package func begin(_ scope: RequestScope) -> OpenRequest? {
        state.withLock { state in
            guard state.blocker(of: scope) == nil else { return nil }
            let number = ChangeStamp.now()
            state.scopes[number] = scope
            return OpenRequest(number, self)
        }
    }

    /// Waits until one request has ended, or the task is cancelled.
    ///
    /// - Returns: whether there was one. The objects may have changed meanwhile.
    package nonisolated(nonsending) func waitForOthers(of scope: RequestScope) async -> Bool {
        guard let blocker = state.withLock({ $0.blocker(of: scope) }) else { return false }
        let number = ChangeStamp.now()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The cancellation handler takes the same lock: it has set `isCancelled`, or it finds the waiter.
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

    /// Lets waiting requests go on. The outcome may be unknown.
    package func end() { requests.end(number) }
}
