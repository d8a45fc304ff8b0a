import JSONBytes

// Objects often repeat in a body, such as the owner of each repository. Equal bytes are skipped, unless another part of
// the body has overwritten their values: the last value wins.

/// Counts that decide whether skipped bytes still agree with the file.
struct ReadingCounts {
    /// Values of the body that a later part has overwritten.
    var overwrites = 0
    /// Nested objects, including skipped ones.
    var nested = 0
    /// Results that depended on the containing object or the depth.
    var dependences = 0
}

extension ImportPlan {
    struct Repeat: BitwiseCopyable {
        /// Bytes hashed to find an object. More tell apart objects that begin with similar URLs.
        static var shortestBeginning: Int { 64 }
        static var longestBeginning: Int { 1024 }
        let fragment: JSONFragment
        let row: RowID
        /// ``ReadingCounts/overwrites`` after reading.
        let overwrites: Int
        /// The object's depth. Objects beyond the requested depth were left out.
        let depth: Int
        /// Without nested objects, only rows of its own table matter.
        let hasNoNested: Bool
    }
}

extension Importer {
    mutating func readNested(
        _ reader: inout JSONReader, of plan: ImportPlan, expecting expected: SubmodelIndex
    ) throws -> RowID? {
        counts.nested += 1
        guard plan.hasSimpleIdentity else { return try readObject(&reader, of: plan, expecting: expected) }
        var fingerprint: Int64
        var length = ImportPlan.Repeat.shortestBeginning
        repeat {
            fingerprint = Int64(bitPattern: reader.fingerprint(ofNext: length))
            guard let known = plan.repeats[fingerprint], isCurrent(known, in: plan) else { break }
            if reader.skipRepeat(of: known.fragment) { return known.row }
            length *= 4
        } while length <= ImportPlan.Repeat.longestBeginning
        let start = UInt32(truncatingIfNeeded: reader.offset)
        let before = counts
        guard let row = try readObject(&reader, of: plan, expecting: expected) else { return nil }
        guard counts.dependences == before.dependences else { return row }
        plan.repeats.set(
            ImportPlan.Repeat(
                fragment: reader.fragment(from: start), row: row, overwrites: counts.overwrites, depth: depth,
                hasNoNested: counts.nested == before.nested),
            for: fingerprint)
        return row
    }

    /// Whether reading here would give the same values, at the same depth or above.
    private func isCurrent(_ known: ImportPlan.Repeat, in plan: ImportPlan) -> Bool {
        guard known.depth <= depth || request.depth == .max else { return false }
        return known.overwrites >= (known.hasNoNested ? plan.lastOverwrite : counts.overwrites)
    }

    mutating func noteOverwrite(in plan: ImportPlan) {
        counts.overwrites += 1
        plan.lastOverwrite = counts.overwrites
    }

    /// Counts only if the body has had the relationship.
    mutating func noteOverwrite(of property: PropertyIndex?, in table: TableID) {
        guard let property, let plan = planInUse(table), plan.received[property.rawValue] else { return }
        noteOverwrite(in: plan)
    }

    /// After rows were unified.
    mutating func noteOverwriteOfAll() {
        counts.overwrites += 1
        for plan in plans { plan.lastOverwrite = counts.overwrites }
    }

    // MARK: Both sides of a link

    /// Notes lists that the row's links have changed.
    mutating func noteOverwrittenLists(by object: ReadingObject, _ row: StoredRow) {
        for (column, target, list) in object.plan.listedLinks where object.frame.has(column) {
            guard let owners = planInUse(target), owners.received[list.rawValue],
                row.status == .updated || object.frame[column].row.map({ owners.rows[$0.rawValue] != nil }) == true
            else { continue }
            noteOverwrite(in: owners)
        }
    }

    /// - Parameter isAgain: whether the body has had the owner before.
    mutating func noteOverwrites(
        by list: List, of owner: ListOwner, joined: [RowID], isAgain: Bool
    ) throws {
        if let plan = planInUse(owner.record.table), try isAgain || haveOtherOwner(joined, than: owner, in: list) {
            noteOverwrite(in: plan)
        }
        noteOverwrite(of: list.inverse, in: list.target)
    }

    private func haveOtherOwner(_ rows: [RowID], than owner: ListOwner, in list: List) throws -> Bool {
        guard case .column(let property, _, _) = list.storage, let column = schema[list.target].column(of: property)
        else { return false }
        return try rows.contains { row in
            let other = try writer.statements[list.target].value(of: column, in: row).row
            return other != nil && other != owner.record.row
        }
    }
}
