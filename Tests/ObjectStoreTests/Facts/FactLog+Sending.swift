@testable import ObjectStore

/// Requests: which facts they send, when they must wait, and how they end.
extension FactLog {
    /// Returns whether a request can name the object: the server has it, under one known name.
    func isAddressable(_ row: ModelRow) -> Bool {
        let life = base(.life(row))
        let identity = base(.identity(row))
        return life.value == .flag(true) && !life.isAtRisk && identity.value != nil && !identity.isAtRisk
    }

    func isKnownToServer(_ row: ModelRow) -> Bool { base(.life(row)).value == .flag(true) }

    /// Returns a request with the values that a context sees. Returns `nil` if the request is empty or must wait.
    func request(_ kind: ModelRequestKind, _ context: ModelContext, at stamp: ChangeStamp) -> ModelRequest? {
        var request = ModelRequest(kind: kind, sender: context, stamp: stamp)
        let isComplete =
            switch kind {
            case .list(let owner): fill(&request, list: owner)
            case .pair(let note, let tag): fill(&request, note: note, tag: tag)
            case .object(let row, let all): fill(&request, object: row, all: all)
            case .life(let row): fill(&request, life: row)
            case .rename(let row): fill(&request, rename: row)
            }
        guard isComplete, !request.body.sent.isEmpty else { return nil }
        for row in request.body.named.sorted() {
            if isAddressable(row) { continue }
            if on(.oneRequestPerObject) || base(.identity(row)).value == nil { return nil }
        }
        for other in open {
            var mine = request.body
            var theirs = other.body
            if !on(.oneRequestPerObject) { (mine.changed, theirs.changed) = (nil, nil) }
            if !on(.oneRequestPerFact) { (mine.carried, theirs.carried) = ([:], [:]) }
            if FactRules.mustWait(mine, for: theirs, areCompatible: Self.areCompatible) { return nil }
        }
        for row in request.body.named.union(request.body.sent.values.flatMap(\.rows)).union(
            request.body.sent.keys.flatMap(\.rows))
        {
            if case .identity(let number)? = base(.identity(row)).value {
                request.wire[row] = ModelRow(kind: row.kind, number: number)
            }
        }
        return request
    }

    /// Returns whether two requests in flight may send these values of one link.
    ///
    /// "Not on this board" agrees with a link to another board, and with an empty link.
    static func areCompatible(_ a: ModelValue, _ b: ModelValue) -> Bool {
        switch (a, b) {
        case (.notHere(let owner), .link(let other)), (.link(let other), .notHere(let owner)): owner != other
        case (.notHere, .notHere): true
        default: false
        }
    }

    func carry(_ fact: ModelFact, _ value: ModelValue, in request: inout ModelRequest) {
        request.body.sent[fact] = value
        let layers = edits(fact, layers(request.sender))
        let ids = on(.carryOverruled) ? FactRules.carried(layers) : Set(layers.compactMap { $0 }.prefix(1).map(\.id))
        if !ids.isEmpty { request.body.carried[fact] = ids }
        request.body.named.formUnion(value.rows)
    }

    func fill(_ request: inout ModelRequest, list owner: ModelRow) -> Bool {
        let context = request.sender
        let inside = inside(owner)
        guard isAlive(owner, context) else { return false }
        request.isWhole = isWholeEdited(owner, context)
        request.seenOrders = FactRules.carried(edits(.order(owner), layers(context)))
        if whole[owner] == nil && !request.isWhole && on(.wholeOnlyIfKnown) { return false }
        request.body.named.insert(owner)
        var hasUnsent = false
        for row in candidates(owner) {
            let fact = ModelFact.membership(of: row, in: owner)
            let base = base(fact)
            let value = view(fact, context)
            guard isKnownToServer(row) else {
                if value == inside && isAlive(row, context) { hasUnsent = true }
                // The request that creates the card may be open, and send the card's link.
                if owner.kind == .board && on(.linkListDecidesAll) { request.body.sent[fact] = .notHere(owner) }
                continue
            }
            if owner.kind == .tag && isWholeEdited(row, context) && on(.wholeBeforeParts) { return false }
            if value == nil && base.value == nil && owner.kind != .board && !request.isWhole && on(.wholeOnlyIfKnown) {
                // The membership became uncertain after the list was known.
                return false
            }
            var isIn = value == inside
            // A deletion leaves members in place until the server has accepted it.
            if !on(.deadMemberStays) && !isAlive(row, context) { isIn = false }
            if isIn && !rows[row]!.isHere && !on(.waitingMembersGo) { isIn = false }
            if owner.kind != .board {
                carry(fact, .flag(isIn), in: &request)
                if isIn { request.body.named.insert(row) }
            } else if isIn {
                carry(fact, inside, in: &request)
                request.body.named.insert(row)
            } else if on(.linkListDecidesAll) || base.value == inside {
                request.body.sent[fact] = .notHere(owner)
            }
        }
        let body = request.body
        let order = sequence(owner, layers(context)).filter { body.sent[.membership(of: $0, in: owner)] == inside }
        if hasUnsent && on(.orderWaitsForUnsent) {
            request.body.sent[.order(owner)] = .order(order)
        } else {
            carry(.order(owner), .order(order), in: &request)
        }
        return true
    }

    func fill(_ request: inout ModelRequest, note: ModelRow, tag: ModelRow) -> Bool {
        let fact = ModelFact.pair(note: note, tag: tag)
        let base = base(fact)
        let context = request.sender
        guard isAlive(note, context), isAlive(tag, context), case .flag(let isMember)? = view(fact, context) else {
            return false
        }
        guard isEdited(fact, layers(context)) else { return false }
        if !isMember && !FactRules.canSendRemoval(over: base) && on(.removalOnlyIfKnown) { return false }
        if isWholeEdited(note, context) && on(.wholeBeforeParts) { return false }
        request.body.named = [note, tag]
        carry(fact, .flag(isMember), in: &request)
        return true
    }

    func fill(_ request: inout ModelRequest, object row: ModelRow, all: Bool) -> Bool {
        guard isAlive(row, request.sender) else { return false }
        request.body.named.insert(row)
        fillProperties(&request, of: row, all: all)
        return !request.body.sent.isEmpty
    }

    func fillProperties(_ request: inout ModelRequest, of row: ModelRow, all: Bool) {
        let context = request.sender
        for fact in row.kind == .card ? [ModelFact.value(row), .link(row)] : [.value(row)] {
            guard all || isEdited(fact, layers(context)), let value = view(fact, context) else { continue }
            if case .link(let target?) = value, !isAlive(target, context) || !isAddressable(target) { continue }
            carry(fact, value, in: &request)
        }
    }

    func fill(_ request: inout ModelRequest, life row: ModelRow) -> Bool {
        let fact = ModelFact.life(row)
        let base = base(fact)
        let isWanted = view(fact, request.sender) == .flag(true)
        let exists = base.value == .flag(true)
        if isWanted == exists {
            // A deletion with an unknown outcome that is undone: a fetch shows whether the object exists.
            if !(base.isAtRisk && exists && isEdited(fact, layers(request.sender)) && !on(.deletionTakenBack)) {
                return false
            }
        }
        if exists && base.isAtRisk == false && !isAddressable(row) { return false }
        if !exists && !isWanted { return false }
        request.body.changed = row
        carry(fact, .flag(isWanted), in: &request)
        if !exists { fillProperties(&request, of: row, all: true) }
        return true
    }

    func fill(_ request: inout ModelRequest, rename row: ModelRow) -> Bool {
        let fact = ModelFact.identity(row)
        guard isAlive(row, request.sender), isAddressable(row), isEdited(fact, layers(request.sender)),
            let value = view(fact, request.sender)
        else { return false }
        request.body.changed = row
        carry(fact, value, in: &request)
        return true
    }

    mutating func send(_ request: ModelRequest) {
        open.append(request)
        if case .rename(let row) = request.kind, case .identity(let number)? = request.body.sent[.identity(row)],
            on(.bothNames)
        {
            names[ModelRow(kind: row.kind, number: number)] = row
        }
    }

    // MARK: Complete

    /// Ends a request. `reply` has the server's values of the facts sent, and `identity` the name of a new object.
    mutating func complete(
        _ stamp: ChangeStamp, _ outcome: FactOutcome, reply: [ModelFact: ModelValue] = [:], identity: ModelRow? = nil
    ) {
        guard let index = open.firstIndex(where: { $0.stamp == stamp }) else { return }
        let request = open.remove(at: index)
        let now = now()
        for (fact, sent) in request.body.sent.ordered where !fact.rows.contains(where: { rows[$0]?.isGone != false }) {
            var next = base(fact)
            let hasChangedMeanwhile = request.body.changedMeanwhile.contains(fact) && on(.changeWhileOpen)
            if case .notHere(let owner) = sent, outcome == .accepted {
                next = FactRules.leave(
                    on(.leaveSettlesNothing) ? next : ModelBase(value: next.value, stamp: next.stamp),
                    of: on(.leaveOnlyOwner) ? .link(owner) : next.value ?? .link(owner), cleared: .link(nil),
                    hasChangedMeanwhile: hasChangedMeanwhile && on(.leaveRemembersChange), at: now)
            } else {
                let value = withoutGone(on(.replyIsBase) ? reply[fact] ?? sent : sent)
                next = FactRules.complete(
                    next, with: outcome, value: value, hasChangedMeanwhile: hasChangedMeanwhile, at: now)
                if outcome == .accepted { noteChange(fact) }
                if case .pair(let note, let tag) = fact, outcome == .accepted, next.value == .flag(true),
                    base(fact).value == nil
                {
                    reveal(note, tag, except: request.seenOrders)
                }
                if outcome == .accepted { acknowledge(fact, request) }
            }
            if !on(.stampOfAccepted) && outcome == .accepted || !on(.stampOfUnknown) && outcome == .unknown {
                next.stamp = base(fact).stamp
            }
            if case .identity(let row) = fact, outcome == .accepted { otherNames[row] = nil }
            if case .identity(let row) = fact, outcome == .unknown, case .identity(let number) = sent {
                let possible = otherNames[row] ?? Set([nameOf(row)].compactMap { $0 })
                otherNames[row] = possible.union([ModelRow(kind: row.kind, number: number)])
            }
            if case .life(let row) = fact, outcome == .unknown, sent == .flag(true) {
                // The object may exist, and others may fill its lists.
                whole[row] = nil
                fetched.insert(row)
            }
            if !on(.rememberUnknown) { next.isAtRisk = false }
            bases[fact] = next
            stampProcess[fact] = request.sender.process
        }
        if outcome == .accepted { finish(request, now, identity) }
        if case .list(let owner) = request.kind, outcome == .unknown, whole[owner] != nil { whole[owner] = now }
        if case .rename(let row) = request.kind, outcome == .accepted, !on(.bothNames),
            case .identity(let number)? = request.body.sent[.identity(row)]
        {
            names[ModelRow(kind: row.kind, number: number)] = row
        }
        prune()
        forgetStamps()
    }

    /// Removes the edits that an accepted request carried, in the layers that its sender sees.
    mutating func acknowledge(_ fact: ModelFact, _ request: ModelRequest) {
        let carried = request.body.carried[fact] ?? []
        for layer in layers(request.sender) {
            guard let edit = edits[layer]?[fact] else { continue }
            if carried.contains(edit.id) || (!on(.carryByIdentity) && !carried.isEmpty) { edits[layer]![fact] = nil }
        }
    }

    mutating func finish(_ request: ModelRequest, _ now: ChangeStamp, _ identity: ModelRow?) {
        switch request.kind {
        case .list(let owner) where rows[owner]?.isGone == false:
            if request.isWhole || whole[owner] != nil {
                whole[owner] = now
                fetched.insert(owner)
                settleWhole(owner)
            }
        case .life(let row) where rows[row]?.isGone == false:
            if request.body.sent[.life(row)] == .flag(false) { forget(row, at: now) }
            if request.body.sent[.life(row)] == .flag(true), let identity {
                bases[.identity(row)] = ModelBase(value: .identity(identity.number), stamp: now)
                if let other = names[identity], other != row, rows[other]?.isGone == false {
                    remap(row, to: other)
                } else {
                    names[identity] = row
                }
            }
        default: break
        }
    }
}
