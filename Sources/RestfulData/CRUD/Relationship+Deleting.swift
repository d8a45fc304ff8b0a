import Conventions
import HTTPTypes
public import ObjectStore

extension Relationship {
    /// Removes a member at the server: `DELETE` of the list's route, `/` and the member's key.
    ///
    /// Where the route is derived from the members' own base URL, this is the member's own URL, and the member is deleted
    /// here too. Where it was registered for the relationship, the member only leaves the list. A reply of 404 or 410 says
    /// that it is gone already, and has the same effect.
    ///
    /// - Throws: ``APIError``; nothing has changed here.
    public nonisolated(nonsending) func delete<D: Model>(_ member: D) async throws(APIError) where Value == [D] {
        let context = try liveContext(with: member)
        let (path, isDerived) = try route(try context.bridge(), context)
        let address = try url(of: member._object, below: path)
        try await member.inTurn { (context, bridge) throws(APIError) in
            if isDerived {
                try await member.delete(at: address, bridge, in: context)
            } else {
                try await Exchange(bridge: bridge, method: .delete, url: address, table: member._object.table)
                    .sendDeletion()
            }
        }
        if !isDerived { try await leave(member) }
    }

    /// Takes the member out of the list, in the owner's turn: two members that leave at a time would each bring the other
    /// back.
    private nonisolated(nonsending) func leave<D: Model>(_ member: D) async throws(APIError) where Value == [D] {
        let id = member._object.localID
        try await owner.inTurn { (context, bridge) throws(APIError) in
            guard !owner._object.hasEdited(compiled) else {
                let list: [D] = members()
                return setMembers(list.filter { $0._object.localID != id })
            }
            var batch = WriteBatch()
            batch.isConfirmed = true
            batch.memberships = [
                WriteBatch.Membership(
                    table: owner._object.table.index, property: compiled.index, owner: owner._object.localID,
                    members: owner._object.memberIDs(compiled).filter { $0 != id })
            ]
            do throws(StoreError) { try await context.openFile().writeConfirmed(batch) } catch { throw .store(error) }
        }
    }

    private func url(of member: ObjectState, below path: String) throws(APIError) -> String {
        guard let key = member.table.key.map({ member.table.properties[$0] }),
            case .attribute = key.kind
        else { throw .route(.noRoute(of: member.table.modelName, needs: "its key, as in @Model(key: \"number\")")) }
        do {
            return try RestfulData.url(path, member: KeyPathResolver.routeValue(of: key, member))
        } catch {
            throw .route(.template(error))
        }
    }
}
