// With `renames: .byServer`, the reply to a save may bring a new identity. The row gets it first, even if the reply is
// late: the server knows this one only.

extension Importer {
    func isNaming(_ target: RowID?, by object: ReadingObject) -> Bool {
        request.mayRename && target != nil && target == request.target && object.plan.model.table == request.table
            && object.plan.identity.allSatisfy { object.frame.hasValue($0) }
    }

    /// Renames the row, or unifies it with another one that has the identity.
    ///
    /// - Returns: the survivor.
    mutating func applyServerIdentity(of object: ReadingObject, for target: RowID?) throws -> RowID? {
        guard let target, isNaming(target, by: object) else { return target }
        let (table, name) = (object.plan.model.table, object.identity)
        let record = RecordID(table: table, row: target)
        guard let own = try writer.statements[table].values(of: object.plan.model.identityColumns, in: target),
            !own.contains(.null), own != name,
            case let known = try writer.nameBeforeEdit(of: target, in: table) ?? own, known != name
        else { return target }
        guard let other = try writer.row(knownBy: name, in: table), other != target else {
            try writer.rename(record, from: known, to: name, &progress)
            return target
        }
        writer.noteFormerIdentity(known, of: RecordID(table: table, row: other))
        try writer.unify(record, with: other, sent: request.sent, &progress)
        noteOverwriteOfAll()
        return other
    }
}
