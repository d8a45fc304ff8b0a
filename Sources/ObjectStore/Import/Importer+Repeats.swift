import JSONBytes

// The same object often stands in a body many times: the owner in each of its repositories. Where its very bytes were
// read before, they are passed by; unless something that they say was overwritten since, as the last value wins.

/// What an import counts to know whether bytes that it has read still say what the file says.
struct ReadingCounts {
    /// How often something that the body had said was overwritten by a later part of it.
    var overwrites = 0
    /// How many objects were read in others, or passed by.
    var nested = 0
    /// How often what was read depended on more than the bytes: on the object that they are in, or on how deep in it.
    var dependences = 0
}

extension ImportPlan {
    /// An object that was imported, and is not read again where its bytes occur again.
    struct Repeat: BitwiseCopyable {
        /// How many bytes of the beginning it is found by: few, or more where another one begins with these too, as
        /// with a URL that only ends in a number, or a word that isn't escaped.
        static var shortestBeginning: Int { 64 }
        static var longestBeginning: Int { 1024 }
        let fragment: JSONFragment
        let row: RowID
        /// ``ReadingCounts/overwrites`` once it was read.
        let overwrites: Int
        /// How many relationships away from the body's own objects it was: what is further away may have been left out.
        let depth: Int
        /// Whether no other object is in it, so that only its own table's rows matter.
        let isAlone: Bool
    }
}

extension Importer {
    /// Reads a nested object, or passes it when an object of the very same bytes was imported before.
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
            // Another one begins like this.
            length *= 4
        } while length <= ImportPlan.Repeat.longestBeginning
        let start = UInt32(truncatingIfNeeded: reader.offset)
        let before = counts
        guard let row = try readObject(&reader, of: plan, expecting: expected) else { return nil }
        guard counts.dependences == before.dependences else { return row }
        plan.repeats.set(
            ImportPlan.Repeat(
                fragment: reader.fragment(from: start), row: row, overwrites: counts.overwrites, depth: depth,
                isAlone: counts.nested == before.nested),
            for: fingerprint)
        return row
    }

    /// Whether nothing of what the bytes say was overwritten since they were read, and as much of them was read then as
    /// would be now.
    private func isCurrent(_ known: ImportPlan.Repeat, in plan: ImportPlan) -> Bool {
        guard known.depth <= depth || request.depth == .max else { return false }
        return known.overwrites >= (known.isAlone ? plan.lastOverwrite : counts.overwrites)
    }

    /// What the body has said of a row of the table is not so any more.
    mutating func noteOverwrite(in plan: ImportPlan) {
        counts.overwrites += 1
        plan.lastOverwrite = counts.overwrites
    }

    /// The same, if the body has said something of that relationship.
    mutating func noteOverwrite(of property: PropertyIndex?, in table: TableID) {
        guard let property, let plan = planInUse(table), plan.said[property.rawValue] else { return }
        noteOverwrite(in: plan)
    }

    /// Rows have become one.
    mutating func noteOverwriteOfAll() {
        counts.overwrites += 1
        for plan in plans { plan.lastOverwrite = counts.overwrites }
    }

    // MARK: Both sides of a link

    /// A row was written by whose links it may have come into lists that the body has said, or left them.
    mutating func noteOverwrittenLists(by object: ReadingObject, _ row: StoredRow) {
        for (column, target, list) in object.plan.listedLinks where object.frame.has(column) {
            guard let owners = planInUse(target), owners.said[list.rawValue],
                row.status == .updated || object.frame[column].row.map({ owners.rows[$0.rawValue] != nil }) == true
            else { continue }
            noteOverwrite(in: owners)
        }
    }

    /// A list was written.
    ///
    /// - Parameters:
    ///   - joined: the members that it did not have.
    ///   - isAgain: whether the body has said something of the owner before.
    mutating func noteOverwrites(
        by list: List, of owner: ListOwner, joined: [RowID], isAgain: Bool
    ) throws {
        if let plan = planInUse(owner.record.table), try isAgain || haveOtherOwner(joined, than: owner, in: list) {
            noteOverwrite(in: plan)
        }
        noteOverwrite(of: list.inverse, in: list.target)
    }

    /// Whether rows that are about to become members of a list are in another owner's.
    private func haveOtherOwner(_ rows: [RowID], than owner: ListOwner, in list: List) throws -> Bool {
        guard case .column(let property, _, _) = list.storage, let column = schema[list.target].column(of: property)
        else { return false }
        return try rows.contains { row in
            let other = try writer.statements[list.target].value(of: column, in: row).row
            return other != nil && other != owner.record.row
        }
    }
}
