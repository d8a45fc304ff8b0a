import TestSupport

@testable import ObjectStore

/// The users of the four contexts: they edit, undo, save, and roll back.
extension FactProgram {
    func rows(_ kind: ModelRow.Kind, _ context: ModelContext) -> [ModelRow] {
        log.rows.keys.filter { $0.kind == kind && log.isShown($0, context) }.sorted()
    }

    /// Returns all objects, or only the first ones, so that users edit the same objects.
    mutating func hot(_ kind: ModelRow.Kind, _ context: ModelContext) -> [ModelRow] {
        let all = rows(kind, context)
        return isHot && random.chance(70) ? Array(all.prefix(kind == .note || kind == .card ? 1 : 2)) : all
    }

    mutating func set(_ fact: ModelFact, _ value: ModelValue, _ context: ModelContext) {
        let before = log.view(fact, context) ?? log.absence(fact)
        guard let before, before != value else { return }
        trace("\(context) sets \(fact) to \(value)")
        undo[context, default: []].append((fact, before))
        oracle.set(fact, value, context)
        log.edit(fact, value, context)
    }

    mutating func assign(_ owner: ModelRow, _ new: [ModelRow], _ context: ModelContext) {
        let before = log.shown(owner, context)
        trace("\(context) assigns \(owner) \(before) -> \(new)")
        undo[context, default: []].append((.order(owner), .order(before)))
        for row in before where !new.contains(row) {
            oracle.set(.membership(of: row, in: owner), owner.kind == .board ? .link(nil) : .flag(false), context)
        }
        for row in new where !before.contains(row) {
            oracle.set(.membership(of: row, in: owner), log.inside(owner), context)
        }
        oracle.willAssign(owner, context, log)
        log.assign(owner, new, context)
        if log.shown(owner, context) != new {
            oracle.fail("\(owner): assigned \(new), shows \(log.shown(owner, context))")
        }
    }

    mutating func userEdits() {
        let context = random.pick([ModelContext.a, .a, .b, .c, .d, .d])!
        let notes = hot(.note, context)
        let tags = hot(.tag, context)
        let boards = hot(.board, context)
        let cards = hot(.card, context)
        var dice = Int.random(in: 0..<100, using: &random)
        switch theme {
        case .memberships where random.chance(90): dice = dice % 55
        case .links where random.chance(90): dice = dice < 50 ? 0 : 60
        case .lives where random.chance(50): dice = 91
        default: break
        }
        switch dice {
        case ..<30:
            let owners = theme == .memberships ? notes + tags : theme == .links ? boards : notes + notes + tags + boards
            guard let owner = random.pick(owners) else { return }
            let all = owner.kind == .note ? tags : owner.kind == .tag ? notes : cards
            var new =
                random.chance(30) ? log.shown(owner, context).shuffled(using: &random) : all.shuffled(using: &random)
            if random.chance(60) { new.removeLast(Int.random(in: 0...new.count, using: &random)) }
            assign(owner, new, context)
        case ..<55:
            guard let note = random.pick(notes), let tag = random.pick(tags) else { return }
            set(.pair(note: note, tag: tag), .flag(random.chance(50)), context)
        case ..<70:
            guard let card = random.pick(cards) else { return }
            set(.link(card), .link(random.chance(25) ? nil : random.pick(boards)), context)
        case ..<84:
            guard let row = random.pick(notes + tags + boards + cards) else { return }
            var value = Self.value(row.kind, &random)
            if case .number(let number) = value, row.kind == .card, random.chance(40) { value = .number(number + 1) }
            set(.value(row), value, context)
        case ..<91: if log.rows.count < 18 { create(random.pick([.tag, .card, .board, .note])!, context) }
        case ..<96:
            let deleted = log.rows.keys.filter {
                log.rows[$0]!.isGone == false && log.isKnownToServer($0) && !log.isAlive($0, context)
            }
            if random.chance(40), let row = random.pick(deleted.sorted()) {
                return set(.life(row), .flag(true), context)
            }
            guard let row = random.pick(tags + cards + boards) else { return }
            set(.life(row), .flag(false), context)
        default:
            guard let row = random.pick(tags + cards + boards), log.isKnownToServer(row) else { return }
            if case .identity? = log.base(.identity(row)).value {
                set(.identity(row), .identity(server.newName(row.kind).number), context)
            }
        }
    }

    mutating func create(_ kind: ModelRow.Kind, _ context: ModelContext) {
        let value = Self.value(kind, &random)
        let row = log.create(kind, value, context)
        trace("\(context) creates \(row)")
        oracle.set(.life(row), .flag(true), context)
        oracle.set(.value(row), value, context)
    }

    mutating func undoes() {
        let context = random.pick(ModelContext.allCases)!
        guard let last = undo[context]?.popLast() else { return }
        let isUsable = { [log] (row: ModelRow) in log.isShown(row, context) }
        if case .order(let owner) = last.fact {
            if isUsable(owner) { assign(owner, last.value.members.filter(isUsable), context) }
        } else if case .life(let row) = last.fact {
            if log.rows[row]?.isGone == false { set(last.fact, last.value, context) }
        } else if last.fact.rows.allSatisfy(isUsable), last.value.rows.allSatisfy(isUsable) {
            set(last.fact, last.value, context)
        }
        if undo[context]?.isEmpty == false { undo[context]!.removeLast() }
    }

    func shownLists(_ context: ModelContext) -> [ModelRow: [ModelRow]] {
        var result: [ModelRow: [ModelRow]] = [:]
        for (row, info) in log.rows.ordered where !info.isGone && row.kind != .card {
            result[row] = log.shown(row, context)
        }
        return result
    }

    mutating func save(_ context: ModelContext) {
        let shown = shownLists(context)
        for (fact, edit) in (log.edits[.context(context)] ?? [:]).ordered where oracle.own[context]?[fact] == nil {
            // A draft that has assigned a list as a whole has removed the members that came to be known.
            if case .pair = fact { oracle.own[context, default: [:]][fact] = edit.value }
        }
        let facts = log.save(context)
        trace("\(context) saves \(facts.text)")
        oracle.saved(context, facts, shown: shown, log)
        let after = shownLists(context)
        for (row, list) in shown.ordered where after[row] != nil && after[row] != list {
            oracle.fail("\(context) shows \(row) \(list) before the save and \(after[row]!) after it")
        }
        undo[context] = []
    }

    mutating func rollBack(_ context: ModelContext) {
        trace("\(context) rolls back")
        log.rollBack(context)
        oracle.own[context] = nil
        undo[context] = []
    }
}
