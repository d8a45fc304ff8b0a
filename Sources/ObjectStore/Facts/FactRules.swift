/// A local change of one fact that the server hasn't acknowledged.
///
/// Saving keeps the id. Ids don't order the edits of two contexts.
struct FactEdit<Value: Hashable & Sendable>: Hashable, Sendable {
    let id: ChangeStamp
    var value: Value
    /// When the edit was made or saved, whichever is later. It orders the members that one layer has added.
    var position: ChangeStamp

    init(id: ChangeStamp, value: Value) { (self.id, self.value, position) = (id, value, id) }
}

struct FactBase<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The server's value. Nil: unknown.
    var value: Value?
    /// When this value was requested, or when the last request that sent the fact completed, whichever is later.
    var stamp = ChangeStamp.earliest
    /// Whether a request with the fact has an unknown outcome, so that the server may have another value.
    var isAtRisk = false
}

struct FactRequest<Fact: Hashable & Sendable, Value: Hashable & Sendable, Object: Hashable & Sendable>: Sendable {
    /// The sent values, edited or not.
    var sent: [Fact: Value] = [:]
    /// The ids of all edits of an edited fact that the sender saw: its own, its parents', and the saved one.
    var carried: [Fact: Set<ChangeStamp>] = [:]
    /// The server has sent a value of these facts since the request.
    var changedMeanwhile: Set<Fact> = []
    /// The objects in the URL or the body.
    var named: Set<Object> = []
    /// The object that the request creates, deletes or renames.
    var changed: Object?
}

enum FactOutcome: Sendable { case accepted, rejected, unknown }

/// Combines server values with local changes, one fact at a time.
///
/// A fact is the smallest thing that can be edited: an attribute, a to-one link, the membership of one object in one
/// list, the order of a list, or the existence of an object. `layers` are a context's optional edits of one fact, from
/// the top: its own, its parents', the saved one.
enum FactRules {
    // MARK: View

    /// The value that a context shows: its topmost edit's, or else the server's.
    static func view<Value>(_ layers: [FactEdit<Value>?], over base: FactBase<Value>) -> Value? {
        for case let edit? in layers { return edit.value }
        return base.value
    }

    /// An unknown base equals `absence` (not a member).
    static func equals<Value>(_ edit: FactEdit<Value>, _ base: FactBase<Value>, absence: Value?) -> Bool {
        edit.value == base.value ?? absence
    }

    // MARK: Prune

    /// Whether an edit that equals the base can be dropped. It stays while it covers another edit (a parent's or the
    /// saved one), while a request with the fact is in flight, and while the fact is at risk.
    static func isRedundant(equalsBase: Bool, coversEdit: Bool, isInFlight: Bool, isAtRisk: Bool) -> Bool {
        equalsBase && !coversEdit && !isInFlight && !isAtRisk
    }

    /// Whether a saved edit can be dropped. It covers no other.
    ///
    /// - Parameter isAtRisk: whether a request with the fact is in flight, or has an unknown outcome. It is evaluated
    ///   only if the value equals the base.
    static func isRedundant<Value: Equatable>(
        _ value: Value, over base: Value?, isAtRisk: @autoclosure () throws -> Bool
    ) rethrows -> Bool {
        guard value == base else { return false }
        return isRedundant(equalsBase: true, coversEdit: false, isInFlight: try isAtRisk(), isAtRisk: false)
    }

    // MARK: Send

    /// All edits that the sender sees, as the topmost overrides the others.
    static func carried<Value>(_ layers: [FactEdit<Value>?]) -> Set<ChangeStamp> {
        Set(layers.compactMap { $0?.id })
    }

    /// Whether a request must wait for another one, because the network may swap two requests.
    ///
    /// So two requests never send the same fact at once if one of them sends an edit of it. A request that creates,
    /// deletes or renames an object is never in flight with one that names the object.
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

    /// Whether the server may have the member, by a reply or an earlier request.
    static func canSendRemoval<Value>(over base: FactBase<Value>) -> Bool {
        base.value != nil || base.isAtRisk
    }

    // MARK: Complete

    /// The base after a request that sent the fact has completed at `now`.
    ///
    /// `value` is the reply's, else the one sent. A rejected request changes nothing. Any other outcome raises the
    /// stamp, since the server may answer a fetch before or after it applies a request. The fact is at risk after an
    /// unknown outcome, or if the server sent another value during the request (`hasChangedMeanwhile`): the reply may
    /// be older.
    static func complete<Value>(
        _ base: FactBase<Value>, with outcome: FactOutcome, value: Value, hasChangedMeanwhile: Bool, at now: ChangeStamp
    ) -> FactBase<Value> {
        switch outcome {
        case .accepted: FactBase(value: value, stamp: now, isAtRisk: hasChangedMeanwhile && base.value != value)
        case .rejected: base
        case .unknown: FactBase(value: base.value, stamp: now, isAtRisk: true)
        }
    }

    /// The base of a link after the server has accepted a list of `owner` without the link's object.
    ///
    /// The server has cleared the link only if it led to this owner. A link at risk may lead elsewhere.
    static func leave<Value>(
        _ base: FactBase<Value>, of owner: Value, cleared: Value, hasChangedMeanwhile: Bool, at now: ChangeStamp
    ) -> FactBase<Value> {
        let wasHere = base.value == owner && !base.isAtRisk
        let isAtRisk = base.isAtRisk || (wasHere && hasChangedMeanwhile)
        return FactBase(value: wasHere ? cleared : base.value, stamp: now, isAtRisk: isAtRisk)
    }

    // MARK: Receive

    /// Whether a value that was requested at `requestTime` is newer than the base.
    ///
    /// A stamp older than all fetches in flight can be forgotten.
    static func isNewer<Value>(requestTime: ChangeStamp, over base: FactBase<Value>) -> Bool {
        requestTime > base.stamp
    }

    // MARK: Lists

    /// The members that an assignment removes from, and adds to, those that the user saw.
    static func difference<Member: Hashable>(
        from shown: [Member], to assigned: [Member]
    ) -> (removed: [Member], added: [Member]) {
        let before = Set(shown)
        let after = Set(assigned)
        return (shown.filter { !after.contains($0) }, assigned.filter { !before.contains($0) })
    }

    /// The members that an assignment removes once the server's are known. Members that the same layer has edited stay.
    ///
    /// Only a list that was never fetched is assigned as a whole.
    static func unnamed<Member: Hashable>(
        _ members: [Member], by assigned: [Member], isEdited: (Member) -> Bool
    ) -> [Member] {
        let named = Set(assigned)
        return members.filter { !named.contains($0) && !isEdited($0) }
    }

    /// The edited order, then other members in the order beneath.
    static func arrange<Member: Hashable>(_ order: [Member], over beneath: [Member]) -> [Member] {
        let named = Set(order)
        return order + beneath.filter { !named.contains($0) }
    }

    /// Appends added members, then applies an edit of the order.
    static func sequence<Member: Hashable>(
        _ beneath: [Member], adding added: [Member], order: [Member]?
    ) -> [Member] {
        let known = Set(beneath)
        let all = beneath + added.filter { !known.contains($0) }
        return order.map { arrange($0, over: all) } ?? all
    }
}
