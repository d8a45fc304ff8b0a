@testable import ObjectStore

/// Objects that are created, are deleted, or become one with another.
extension FactLog {
    mutating func create(_ kind: ModelRow.Kind, _ value: ModelValue, _ context: ModelContext) -> ModelRow {
        let row = ModelRow(kind: kind, number: 100 + rows.count)
        rows[row] = RowInfo(isHere: true)
        bases[.life(row)] = ModelBase(value: .flag(false))
        if kind == .card { bases[.link(row)] = ModelBase(value: .link(nil)) }
        whole[row] = .earliest
        edit(.life(row), .flag(true), context)
        edit(.value(row), value, context)
        return row
    }

    /// Returns a value from which deleted objects are removed.
    func withoutGone(_ value: ModelValue) -> ModelValue {
        let isGone = { (row: ModelRow) in rows[row]?.isGone != false }
        return switch value {
        case .link(let row?) where isGone(row): .link(nil)
        case .order(let rows, let isWhole): .order(rows.filter { !isGone($0) }, isWhole: isWhole)
        default: value
        }
    }

    /// Removes an object with all edits of facts about it.
    mutating func forget(_ row: ModelRow, at stamp: ChangeStamp? = nil) {
        rows[row]!.isGone = true
        let stamp = stamp ?? now()
        for (name, other) in names.ordered where other == row {
            names[name] = nil
            tombstones[name] = stamp
        }
        if on(.editsGoWithObject) {
            for (layer, facts) in edits.ordered {
                for (fact, edit) in facts.ordered {
                    if fact.rows.contains(row) {
                        edits[layer]![fact] = nil
                    } else if edit.value == .link(row) {
                        edits[layer]![fact]!.value = .link(nil)
                    }
                }
            }
        }
        for (fact, base) in bases.ordered {
            if fact.rows.contains(row) {
                bases[fact] = nil
            } else if base.value == .link(row) {
                bases[fact]!.value = .link(nil)
            }
        }
        whole[row] = nil
    }

    /// Moves the facts of an object to another one, as the server has named both alike. Where both have an edit, the
    /// other's stays.
    mutating func remap(_ row: ModelRow, to other: ModelRow) {
        let map = { (r: ModelRow) in r == row ? other : r }
        for (layer, facts) in edits.ordered {
            for (fact, edit) in facts.ordered where fact.rows.contains(row) || edit.value.rows.contains(row) {
                edits[layer]![fact] = nil
                let target = fact.mapRows(map)
                if on(.remapEdits), target == fact || edits[layer]![target] == nil {
                    var edit = edit
                    edit.value = edit.value.mapRows(map)
                    edits[layer]![target] = edit
                }
            }
        }
        for (fact, base) in bases.ordered where fact.rows.contains(row) || base.value?.rows.contains(row) == true {
            bases[fact] = nil
            let target = fact.mapRows(map)
            let isNewer = bases[target].map { $0.stamp < base.stamp || $0.value == nil } ?? true
            let isAtRisk = base.isAtRisk || bases[target]?.isAtRisk == true
            if target == fact || (isNewer && base.value != nil) {
                bases[target] = ModelBase(value: base.value?.mapRows(map), stamp: base.stamp, isAtRisk: isAtRisk)
            } else if isAtRisk {
                bases[target, default: ModelBase(value: nil)].isAtRisk = true
            }
        }
        for index in open.indices {
            let body = open[index].body
            open[index].body.sent = [:]
            for (fact, value) in body.sent { open[index].body.sent[fact.mapRows(map)] = value.mapRows(map) }
            open[index].body.carried = [:]
            for (fact, ids) in body.carried { open[index].body.carried[fact.mapRows(map)] = ids }
            open[index].body.changedMeanwhile = Set(body.changedMeanwhile.map { $0.mapRows(map) })
            open[index].body.named = Set(body.named.map(map))
        }
        rows[row]!.isGone = true
        rows[other]!.isHere = true
        remapped.append((row, other))
    }
}
