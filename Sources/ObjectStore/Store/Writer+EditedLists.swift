extension Writer {
    /// What an edited list comes to, with what others have done to it since it was read: the members and their order are the
    /// user's, those that others added come last, and one that has another owner by now stays there.
    func merged(_ membership: WriteBatch.Membership) throws -> WriteBatch.Membership {
        let table = schema.tables[membership.table]
        guard let base = membership.base, let list = table.properties[membership.property].list else {
            return membership
        }
        let current = try members(of: list, owner: membership.owner)
        guard current != base else { return membership }
        let (known, present, wanted) = (Set(base), Set(current), Set(membership.members))
        var members: [Int64] = []
        for id in membership.members {
            let isGone = known.contains(id) && !present.contains(id)
            if try !isGone || !hasOtherOwner(id, list) { members.append(id) }
        }
        return WriteBatch.Membership(
            table: membership.table, property: membership.property, owner: membership.owner,
            members: members + current.filter { !known.contains($0) && !wanted.contains($0) })
    }

    private func hasOtherOwner(_ id: Int64, _ list: List) throws -> Bool {
        guard case .column(let property, _, _) = list.storage,
            let column = schema.tables[list.target].properties[property].column
        else { return false }
        return try !value(of: schema.tables[list.target].columns[column], schema.tables[list.target], id).isNull
    }
}
