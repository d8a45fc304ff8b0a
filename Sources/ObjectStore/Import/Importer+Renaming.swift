// If a model declares `renames: .byServer`, the reply to an object's own save has the object's identity, which may be a
// new one. The row gets it before the other values, even if the reply is late: the server knows the object by no other
// name.

extension Importer {
    /// Whether the body gives its identity to the row that was sent.
    func isNaming(_ target: RowID?, by object: ReadingObject) -> Bool {
        request.takesName && target != nil && target == request.target && object.plan.model.table == request.table
            && object.plan.identity.allSatisfy { object.frame.hasValue($0) }
    }

    /// Gives the row that was sent the identity that the body has. If another row has that identity, the two are
    /// unified.
    ///
    /// - Returns: the object's row: the target, or the row that it was unified with.
    mutating func takeServersName(of object: ReadingObject, for target: RowID?) throws -> RowID? {
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
