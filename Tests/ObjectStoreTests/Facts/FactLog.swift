@testable import ObjectStore

typealias ModelEdit = FactEdit<ModelValue>
typealias ModelBase = FactBase<ModelValue>

/// A request in flight: `FactRequest` and the model's bookkeeping.
struct ModelRequest: Sendable {
    let kind: ModelRequestKind, sender: ModelContext, stamp: ChangeStamp
    var body = FactRequest<ModelFact, ModelValue, ModelRow>()
    /// The file's rows as the body names them.
    var wire: [ModelRow: ModelRow] = [:]
    /// The list was assigned as a whole.
    var isWhole = false
    /// The edits of the list's order that the sender saw, including those that stay behind.
    var seenOrders: Set<ChangeStamp> = []
}

/// The store's state: the file, which all processes share, and the unsaved edits of each context.
struct FactLog {
    enum Layer: Hashable, Comparable {
        case saved
        case context(ModelContext)
    }
    struct RowInfo { var isHere: Bool, isGone = false }

    let without: ModelCondition?
    var clock: Int64 = 0
    var edits: [Layer: [ModelFact: ModelEdit]] = [:]
    var bases: [ModelFact: ModelBase] = [:]
    /// The process that set the stamp of a base.
    var stampProcess: [ModelFact: Int] = [:]
    /// The requests in flight.
    var open: [ModelRequest] = []
    /// The fetches in flight, by the time of asking, with their process.
    var questions: [ChangeStamp: Int] = [:]
    var rows: [ModelRow: RowInfo] = [:]
    /// The rows by their names at the server, including former names.
    var names: [ModelRow: ModelRow] = [:]
    /// The names that an object may have while the outcome of renaming it is unknown.
    var otherNames: [ModelRow: Set<ModelRow>] = [:]
    /// The names of deleted objects, with the time of deletion.
    var tombstones: [ModelRow: ChangeStamp] = [:]
    /// Lists of which all members are known, with the stamp of that, and lists of which something is known.
    var whole: [ModelRow: ChangeStamp] = [:], fetched: Set<ModelRow> = []
    /// For the oracle: members that were removed because they became known, and rows that became one.
    var converted: [ModelFact: ModelValue] = [:]
    var remapped: [(from: ModelRow, to: ModelRow)] = []

    init(without: ModelCondition?) { self.without = without }

    func on(_ condition: ModelCondition) -> Bool { without != condition }

    mutating func now() -> ChangeStamp {
        clock += 1
        return ChangeStamp(clock)
    }

    // MARK: View

    func layers(_ context: ModelContext) -> [Layer] { context.chain.map(Layer.context) + [.saved] }

    func layersBeneath(_ layer: Layer) -> [Layer] {
        switch layer {
        case .saved: []
        case .context(let context): Array(layers(context).dropFirst())
        }
    }

    func edits(_ fact: ModelFact, _ layers: [Layer]) -> [ModelEdit?] { layers.map { edits[$0]?[fact] } }

    func base(_ fact: ModelFact) -> ModelBase {
        if let base = bases[fact] { return base }
        guard case .pair(let note, let tag) = fact, let stamp = [whole[note], whole[tag]].compactMap({ $0 }).max()
        else {
            return ModelBase(value: nil)
        }
        return ModelBase(value: .flag(false), stamp: stamp)
    }

    func view(_ fact: ModelFact, _ context: ModelContext) -> ModelValue? {
        FactRules.view(edits(fact, layers(context)), over: base(fact))
    }

    func isEdited(_ fact: ModelFact, _ layers: [Layer]) -> Bool { layers.contains { edits[$0]?[fact] != nil } }

    func isAlive(_ row: ModelRow, _ context: ModelContext) -> Bool {
        rows[row].map { !$0.isGone } == true && view(.life(row), context) == .flag(true)
    }

    func isShown(_ row: ModelRow, _ context: ModelContext) -> Bool {
        rows[row]?.isHere == true && isAlive(row, context)
    }

    /// All objects that can be a member of a list.
    func candidates(_ owner: ModelRow) -> [ModelRow] {
        let kind: ModelRow.Kind = owner.kind == .note ? .tag : owner.kind == .tag ? .note : .card
        return rows.keys.filter { $0.kind == kind && !rows[$0]!.isGone }.sorted()
    }

    func inside(_ owner: ModelRow) -> ModelValue { owner.kind == .board ? .link(owner) : .flag(true) }

    /// The order of a list as seen from a layer, including non-members.
    func sequence(_ owner: ModelRow, _ layers: [Layer]) -> [ModelRow] {
        let facts = candidates(owner).map { ($0, ModelFact.membership(of: $0, in: owner)) }
        let inside = inside(owner)
        let order = base(.order(owner)).value?.members ?? []
        var result = FactRules.sequence(order, adding: facts.filter { base($0.1).value == inside }.map(\.0), order: nil)
        for layer in layers.reversed() {
            let added = facts.compactMap { row, fact in
                edits[layer]?[fact].flatMap { $0.value == inside ? (row, $0.position) : nil }
            }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
            result = FactRules.sequence(result, adding: added, order: edits[layer]?[.order(owner)]?.value.members)
        }
        return result
    }

    func members(_ owner: ModelRow, _ context: ModelContext) -> [ModelRow] {
        let inside = inside(owner)
        return sequence(owner, layers(context)).filter {
            rows[$0]?.isGone == false && view(.membership(of: $0, in: owner), context) == inside
        }
    }

    func shown(_ owner: ModelRow, _ context: ModelContext) -> [ModelRow] {
        members(owner, context).filter { isShown($0, context) }
    }

    // MARK: ModelEdit, save, roll back

    mutating func edit(_ fact: ModelFact, _ value: ModelValue, _ context: ModelContext) {
        let now = view(fact, context)
        if now == value || (now == nil && absence(fact) == value) { return }
        edits[.context(context), default: [:]][fact] = ModelEdit(id: self.now(), value: value)
        prune()
    }

    mutating func assign(_ owner: ModelRow, _ new: [ModelRow], _ context: ModelContext) {
        let (removed, added) = FactRules.difference(from: shown(owner, context), to: new)
        for row in removed {
            edit(.membership(of: row, in: owner), owner.kind == .board ? .link(nil) : .flag(false), context)
        }
        for row in added { edit(.membership(of: row, in: owner), inside(owner), context) }
        let isWhole =
            owner.kind == .note && whole[owner] == nil && (!fetched.contains(owner) || isWholeEdited(owner, context))
        for row in isWhole ? members(owner, context) : [] where !new.contains(row) && isAlive(row, context) {
            edit(.membership(of: row, in: owner), .flag(false), context)
        }
        if isWhole || shown(owner, context) != new {
            edit(.order(owner), .order(new, isWhole: isWhole), context)
        }
    }

    func isWholeEdited(_ owner: ModelRow, _ context: ModelContext) -> Bool {
        layers(context).contains { edits[$0]?[.order(owner)]?.value.isWhole == true }
    }

    /// Saves a context's edits into its parent, or else into the file, and returns the saved facts.
    mutating func save(_ context: ModelContext) -> [ModelFact: ModelValue] {
        let into: Layer = context.parent.map(Layer.context) ?? .saved
        var own = edits[.context(context)] ?? [:]
        for (fact, edit) in own.ordered {
            guard case .order(let owner) = fact, case .order(let order, let isWhole) = edit.value else { continue }
            let beneath = layersBeneath(.context(context))
            let below = edits[into]?[fact]
            let keepsWhole = isWhole || below?.value.isWhole == true
            let inside = inside(owner)
            let seen = sequence(owner, beneath).filter { view(.membership(of: $0, in: owner), context) == inside }
            let all = on(.orderSavedAsShown) && below != nil ? FactRules.arrange(order, over: seen) : order
            own[fact]!.value = .order(all, isWhole: keepsWhole)
        }
        for (fact, edit) in own.sorted(by: { ($0.value.position, $0.key) < ($1.value.position, $1.key) }) {
            let below = edits[into]?[fact]
            own[fact]!.position =
                below?.value == edit.value ? below!.position : on(.additionsInSavedOrder) ? now() : edit.id
        }
        edits[.context(context)] = nil
        edits[into, default: [:]].merge(own) { $1 }
        prune()
        return context.parent == nil ? own.mapValues(\.value) : [:]
    }

    mutating func rollBack(_ context: ModelContext) {
        edits[.context(context)] = nil
        prune()
    }

    // MARK: Prune

    func absence(_ fact: ModelFact) -> ModelValue? {
        if case .pair = fact { .flag(false) } else { nil }
    }

    func isInFlight(_ fact: ModelFact) -> Bool { open.contains { $0.body.sent[fact] != nil } }

    /// Returns whether a member of the list is edited in these layers, in flight, or at risk.
    func isMembershipPending(_ owner: ModelRow, _ layers: [Layer]) -> Bool {
        let inside = inside(owner)
        return candidates(owner).contains {
            let fact = ModelFact.membership(of: $0, in: owner)
            let base = base(fact)
            let concerns =
                owner.kind != .board || base.value == inside || base.isAtRisk
                || layers.contains { edits[$0]?[fact]?.value == inside }
            return concerns && (base.isAtRisk || isInFlight(fact) || isEdited(fact, layers))
        }
    }

    func equalsBase(_ fact: ModelFact, _ edit: ModelEdit, _ layer: Layer) -> Bool {
        let layers = [layer] + layersBeneath(layer)
        if case .pair(let note, _) = fact, on(.wholeKeepsPairs),
            layers.contains(where: { edits[$0]?[.order(note)]?.value.isWhole == true })
        {
            return false
        }
        if case .order(let owner) = fact {
            if edit.value.isWhole || (on(.orderWaitsForPairs) && isMembershipPending(owner, layers)) { return false }
            let inside = inside(owner)
            let members = sequence(owner, []).filter { base(.membership(of: $0, in: owner)).value == inside }
            return FactRules.arrange(edit.value.members, over: members).filter(members.contains) == members
        }
        return FactRules.equals(edit, base(fact), absence: absence(fact))
    }

    mutating func prune() {
        let all: [Layer] = [.saved] + [ModelContext.a, .b, .c, .d].map(Layer.context)
        for orders in [false, true] {
            for layer in all {
                for (fact, edit) in (edits[layer] ?? [:]).ordered {
                    if case .order = fact { if !orders { continue } } else if orders { continue }
                    if FactRules.isRedundant(
                        equalsBase: equalsBase(fact, edit, layer),
                        coversEdit: isEdited(fact, layersBeneath(layer)) && on(.pruneCoversEdit),
                        isInFlight: isInFlight(fact) && on(.pruneWhileOpen),
                        isAtRisk: base(fact).isAtRisk && on(.pruneAtRisk))
                    {
                        edits[layer]![fact] = nil
                    }
                }
            }
        }
        // An object exists only while a layer creates it.
        for (row, info) in rows.ordered
        where !info.isGone && base(.life(row)).value == .flag(false) && !isInFlight(.life(row)) {
            if !all.contains(where: { edits[$0]?[.life(row)]?.value == .flag(true) }) { forget(row) }
        }
    }

    // MARK: Stamps

    /// Forgets stamps that are older than every fetch in flight.
    mutating func forgetStamps() {
        let oldest = questions.keys.min()
        let isNeeded = { (stamp: ChangeStamp) in oldest.map { $0 <= stamp } ?? false }
        for (fact, base) in bases where base.stamp != .earliest && !isNeeded(base.stamp) {
            bases[fact]!.stamp = .earliest
        }
        for (row, stamp) in whole where stamp != .earliest && !isNeeded(stamp) { whole[row] = .earliest }
        tombstones = tombstones.filter { isNeeded($1) }
    }

    func isNewer(_ fact: ModelFact, requestTime: ChangeStamp, process: Int) -> Bool {
        var base = base(fact)
        let isEdited = edits.values.contains { $0[fact] != nil }
        if !on(.stampWithoutEdit) && !isEdited { return true }
        if !on(.stampShared) && edits[.saved]?[fact] == nil && stampProcess[fact] != process { base.stamp = .earliest }
        return FactRules.isNewer(requestTime: requestTime, over: base)
    }
}
