/// A local change of one fact that the server hasn't acknowledged.
///
/// The id stays the same when a context saves the edit. It identifies the edit: of two contexts' edits, the one with
/// the greater id needn't be the newer one.
struct FactEdit<Value: Hashable & Sendable>: Hashable, Sendable {
    let id: ChangeStamp
    var value: Value
    /// When the edit was made or saved, whichever is later. It orders the members that one layer has added to a list.
    var position: ChangeStamp

    init(id: ChangeStamp, value: Value) { (self.id, self.value, position) = (id, value, id) }
}

/// The last known server value of one fact.
struct FactBase<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The server's value. Nil: unknown.
    var value: Value?
    /// When this value was requested, or when the last request that sent the fact completed, whichever is later.
    var stamp = ChangeStamp.earliest
    /// Whether a request that sent the fact has an unknown outcome. The server may have another value then.
    var isAtRisk = false
}

/// The facts in a request in flight.
struct FactRequest<Fact: Hashable & Sendable, Value: Hashable & Sendable, Object: Hashable & Sendable>: Sendable {
    /// The values in the request's body, edited or not.
    var sent: [Fact: Value] = [:]
    /// For each edited fact, the ids of all edits that the sender saw: its own, its parents', and the saved one.
    var carried: [Fact: Set<ChangeStamp>] = [:]
    /// The facts of which the server has sent a value while this request was in flight.
    var news: Set<Fact> = []
    /// The objects in the URL or the body, by their identities.
    var named: Set<Object> = []
    /// The object that the request creates, deletes, or gives another identity.
    var changed: Object?
}

enum FactOutcome: Sendable { case accepted, rejected, unknown }

/// The rules that combine server values with local changes, one fact at a time.
///
/// A fact is the smallest thing that can be edited: an attribute, a to-one link, the membership of one object in one
/// list, the order of a list, or the existence of an object. `layers` are the edits of one fact that one context sees,
/// from the top: its own edit, its parents' edits, and the saved edit. Each of them is optional.
enum FactRules {
    // MARK: View

    /// Returns the value that a context shows: that of its topmost edit, or else the server's.
    static func view<Value>(_ layers: [FactEdit<Value>?], over base: FactBase<Value>) -> Value? {
        for case let edit? in layers { return edit.value }
        return base.value
    }

    /// Returns whether an edit has the server's value. An edit to `absence` (not a member) equals an unknown
    /// membership.
    static func equals<Value>(_ edit: FactEdit<Value>, _ base: FactBase<Value>, absence: Value?) -> Bool {
        edit.value == base.value ?? absence
    }

    // MARK: Prune

    /// Returns whether an edit can be dropped.
    ///
    /// An edit that equals the base is redundant, whether the edit was set back or the server now has the same value.
    /// It stays while it covers another edit (a parent's or the saved one), while a request with the fact is in flight,
    /// and while the fact is at risk.
    static func isRedundant(equalsBase: Bool, coversEdit: Bool, isOpen: Bool, isAtRisk: Bool) -> Bool {
        equalsBase && !coversEdit && !isOpen && !isAtRisk
    }

    /// Returns whether a saved edit can be dropped. A saved edit covers no other edit.
    ///
    /// - Parameter isAtRisk: whether a request with the fact is in flight, or has an unknown outcome. It is evaluated
    ///   only if the value equals the base.
    static func isRedundant<Value: Equatable>(
        _ value: Value, over base: Value?, isAtRisk: @autoclosure () throws -> Bool
    ) rethrows -> Bool {
        guard value == base else { return false }
        return isRedundant(equalsBase: true, coversEdit: false, isOpen: try isAtRisk(), isAtRisk: false)
    }

    // MARK: Send

    /// Returns the edits that a request carries: all that its sender sees, since the topmost overrides the others.
    static func carried<Value>(_ layers: [FactEdit<Value>?]) -> Set<ChangeStamp> {
        Set(layers.compactMap { $0?.id })
    }

    /// Returns whether a request must wait until another one has completed.
    ///
    /// The network may swap two requests. So two requests never send the same fact at once if one of them sends an edit
    /// of it. A request that creates, deletes or renames an object is never in flight with one that names the object.
    static func mustWait<Fact, Value, Object>(
        _ request: FactRequest<Fact, Value, Object>, for open: FactRequest<Fact, Value, Object>,
        areCompatible: (Value, Value) -> Bool = { _, _ in false }
    ) -> Bool {
        if let object = request.changed, open.named.contains(object) || open.changed == object { return true }
        if let object = open.changed, request.named.contains(object) { return true }
        let (few, many) = request.sent.count < open.sent.count ? (request, open) : (open, request)
        return few.sent.contains { fact, value in
            guard let other = many.sent[fact] else { return false }
            return (request.carried[fact] != nil || open.carried[fact] != nil) && !areCompatible(value, other)
        }
    }

    /// Returns whether the removal of a member can be sent: the server has sent the member, or an earlier request may
    /// have added it.
    static func canSendRemoval<Value>(over base: FactBase<Value>) -> Bool {
        base.value != nil || base.isAtRisk
    }

    // MARK: Complete

    /// Returns the base after a request that sent the fact has completed at `now`.
    ///
    /// `value` is the value in the reply, or the one sent if the reply has none. A rejected request changes nothing.
    /// The stamp grows with each other outcome, since the server may answer a fetch before or after it applies a
    /// request. For the same reason, the fact is at risk if the server sent another value while the request was in
    /// flight (`hasNews`): the reply may be older than that value.
    static func complete<Value>(
        _ base: FactBase<Value>, with outcome: FactOutcome, value: Value, hasNews: Bool, at now: ChangeStamp
    ) -> FactBase<Value> {
        switch outcome {
        case .accepted: FactBase(value: value, stamp: now, isAtRisk: hasNews && base.value != value)
        case .rejected: base
        case .unknown: FactBase(value: base.value, stamp: now, isAtRisk: true)
        }
    }

    /// Returns the base of a link after an accepted list of its `owner` that doesn't name the link's object.
    ///
    /// The server has cleared the link only if it led to this owner. A link that is at risk may lead elsewhere.
    static func leave<Value>(
        _ base: FactBase<Value>, of owner: Value, cleared: Value, hasNews: Bool, at now: ChangeStamp
    ) -> FactBase<Value> {
        let wasHere = base.value == owner && !base.isAtRisk
        let isAtRisk = base.isAtRisk || (wasHere && hasNews)
        return FactBase(value: wasHere ? cleared : base.value, stamp: now, isAtRisk: isAtRisk)
    }

    // MARK: Receive

    /// Returns whether a value that was requested at `asked` is newer than the base.
    ///
    /// You can forget a stamp that is older than all fetches in flight.
    static func isNews<Value>(asked: ChangeStamp, over base: FactBase<Value>) -> Bool {
        asked > base.stamp
    }

    // MARK: Lists

    /// Returns the edits that assigning a list means, relative to the members that the user saw.
    static func difference<Member: Hashable>(
        from shown: [Member], to assigned: [Member]
    ) -> (removed: [Member], added: [Member]) {
        let before = Set(shown)
        let after = Set(assigned)
        return (shown.filter { !after.contains($0) }, assigned.filter { !before.contains($0) })
    }

    /// Returns the members that an assignment removes once the server's members of the list are known. Members that the
    /// same layer has edited stay as edited.
    ///
    /// Only a list that was never fetched is assigned as a whole.
    static func unnamed<Member: Hashable>(
        _ members: [Member], by assigned: [Member], isEdited: (Member) -> Bool
    ) -> [Member] {
        let named = Set(assigned)
        return members.filter { !named.contains($0) && !isEdited($0) }
    }

    /// Returns members in the order of an edit. Other members follow in the order beneath it.
    static func arrange<Member: Hashable>(_ order: [Member], over beneath: [Member]) -> [Member] {
        let named = Set(order)
        return order + beneath.filter { !named.contains($0) }
    }

    /// Returns a list's order in one layer: added members follow all others, then an edit of the order applies.
    static func sequence<Member: Hashable>(
        _ beneath: [Member], adding added: [Member], order: [Member]?
    ) -> [Member] {
        let known = Set(beneath)
        let all = beneath + added.filter { !known.contains($0) }
        return order.map { arrange($0, over: all) } ?? all
    }
}
