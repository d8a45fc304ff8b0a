@testable import ObjectStore

/// The server's answer to a fetch. All rows are names on the wire.
struct ModelAnswer: Sendable {
    struct Object: Sendable { let name: ModelRow, value: ModelValue, link: ModelRow? }
    struct List: Sendable { let owner: ModelRow, members: [ModelRow], isPart: Bool }
    var objects: [Object] = [], lists: [List] = [], missing: ModelRow?
}

/// Fetched values and restarts.
extension FactLog {
    mutating func ask(_ process: Int) -> ChangeStamp {
        let requestTime = now()
        questions[requestTime] = process
        return requestTime
    }

    mutating func receive(_ answer: ModelAnswer, requestTime: ChangeStamp) {
        guard let process = questions[requestTime] else { return }
        for object in answer.objects {
            guard let row = row(object.name, requestTime, process) else { continue }
            rows[row]!.isHere = true
            receive(.identity(row), .identity(object.name.number), requestTime, process)
            receive(.value(row), object.value, requestTime, process)
            if row.kind == .card {
                let target = object.link.map { self.row($0, requestTime, process) }
                if let target {
                    if let target { receive(.link(row), .link(target), requestTime, process) }
                } else {
                    receive(.link(row), .link(nil), requestTime, process)
                }
            }
        }
        for list in answer.lists {
            guard let owner = row(list.owner, requestTime, process) else { continue }
            receive(list, owner, requestTime, process)
        }
        if let name = answer.missing, let row = names[name], rows[row]?.isGone == false {
            let identity = base(.identity(row))
            if FactRules.isNewer(requestTime: requestTime, over: identity) && !isInFlight(.identity(row)) {
                let possible = otherNames[row] ?? Set([nameOf(row)].compactMap { $0 })
                otherNames[row] = possible.subtracting([name])
            }
            if otherNames[row]?.isEmpty == true || !on(.renameIsNoDeletion) {
                receive(.life(row), .flag(false), requestTime, process)
            }
            if !identity.isAtRisk { otherNames[row] = nil }
        }
        questions[requestTime] = nil
        prune()
        forgetStamps()
    }

    func nameOf(_ row: ModelRow) -> ModelRow? {
        guard case .identity(let number)? = base(.identity(row)).value else { return nil }
        return ModelRow(kind: row.kind, number: number)
    }

    mutating func receive(_ fact: ModelFact, _ value: ModelValue, _ requestTime: ChangeStamp, _ process: Int) {
        guard isNewer(fact, requestTime: requestTime, process: process) else { return }
        if case .pair(let note, let tag) = fact, value == .flag(true), base(fact).value == nil { reveal(note, tag) }
        if case .identity(let row) = fact { otherNames[row] = nil }
        noteChange(fact)
        bases[fact] = ModelBase(value: value, stamp: on(.stampOfFetch) ? requestTime : base(fact).stamp)
        stampProcess[fact] = process
        if case .life(let row) = fact, value == .flag(false) { forget(row) }
    }

    /// Records in the requests in flight that the server has reported a value of a fact that they send.
    mutating func noteChange(_ fact: ModelFact) {
        for index in open.indices where open[index].body.sent[fact] != nil {
            open[index].body.changedMeanwhile.insert(fact)
        }
    }

    mutating func receive(_ list: ModelAnswer.List, _ owner: ModelRow, _ requestTime: ChangeStamp, _ process: Int) {
        let members = list.members.compactMap { row($0, requestTime, process) }
        let inside = inside(owner)
        for row in members { receive(.membership(of: row, in: owner), inside, requestTime, process) }
        fetched.insert(owner)
        if !list.isPart {
            for row in candidates(owner) where !members.contains(row) {
                let fact = ModelFact.membership(of: row, in: owner)
                if owner.kind != .board {
                    if isKnownToServer(row) { receive(fact, .flag(false), requestTime, process) }
                } else if base(fact).value == inside, !base(fact).isAtRisk || !on(.leaveSettlesNothing) {
                    receive(fact, .link(nil), requestTime, process)
                }
            }
            receive(.order(owner), .order(members), requestTime, process)
            whole[owner] = max(whole[owner] ?? .earliest, requestTime)
        }
        if !list.isPart { settleWhole(owner) }
    }

    /// Removes a member that became known from the assigned lists that lack it.
    mutating func reveal(_ note: ModelRow, _ tag: ModelRow, except seen: Set<ChangeStamp> = []) {
        let fact = ModelFact.pair(note: note, tag: tag)
        for context in [nil] + ModelContext.allCases.map(Optional.some) {
            let layer = context.map(Layer.context) ?? .saved
            guard let edit = edits[layer]?[.order(note)], case .order(let named, true) = edit.value else { continue }
            if seen.contains(edit.id) || !on(.wholeTurnsIntoPairs) { continue }
            let isEdited = isEdited(fact, [layer] + layersBeneath(layer))
            if FactRules.unnamed([tag], by: named, isEdited: { _ in isEdited }).isEmpty { continue }
            edits[layer]![fact] = ModelEdit(id: now(), value: .flag(false))
            if layer == .saved { converted[fact] = .flag(false) }
        }
    }

    /// Ends the assignment of a list as a whole. From now on, the list is edited by additions and removals.
    mutating func settleWhole(_ owner: ModelRow) {
        for (layer, facts) in edits.ordered {
            if case .order(let named, true)? = facts[.order(owner)]?.value {
                edits[layer]![.order(owner)]!.value = .order(named)
            }
        }
    }

    /// Returns the object with a name. A new name creates an object that waits for its values.
    mutating func row(_ name: ModelRow, _ requestTime: ChangeStamp, _ process: Int) -> ModelRow? {
        if let row = names[name], rows[row]?.isGone == false {
            receive(.life(row), .flag(true), requestTime, process)
            return row
        }
        if let gone = tombstones[name], requestTime <= gone, on(.tombstones) { return nil }
        let row = ModelRow(kind: name.kind, number: 100 + rows.count)
        rows[row] = RowInfo(isHere: false)
        names[name] = row
        bases[.life(row)] = ModelBase(value: .flag(true), stamp: requestTime)
        bases[.identity(row)] = ModelBase(value: .identity(name.number), stamp: requestTime)
        return row
    }

    // MARK: Restart

    mutating func restart(_ process: Int) {
        for context in ModelContext.allCases where context.process == process { edits[.context(context)] = nil }
        for (requestTime, owner) in questions where owner == process { questions[requestTime] = nil }
        for request in open where request.sender.process == process || !on(.restartOwnProcess) {
            complete(request.stamp, .unknown)
        }
        prune()
        forgetStamps()
    }
}
