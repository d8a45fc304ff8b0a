import HTTPTypes
public import ObjectStore

extension Relationship {
    /// Creates an object as a member of this list: `POST` to its route with what was set, the reply imported into this same
    /// instance, and both linked.
    ///
    /// ```swift
    /// let issue = Issue(in: store.main)
    /// issue.title = "Found a bug"
    /// try await repository.$issues.add(issue)      // POST /repos/octocat/Hello-World/issues
    /// ```
    ///
    /// What is sent, what the reply says and the membership are written in one transaction. It waits for requests about the
    /// member that are on their way.
    ///
    /// - Throws: ``APIError``, as the member's `create()`; neither object has changed, and the member can be added again.
    public nonisolated(nonsending) func add<D: Model>(_ member: D) async throws(APIError) where Value == [D] {
        let context = try liveContext(with: member)
        let path = try route(try context.bridge(), context).url
        try await member.inTurn { (context, bridge) throws(APIError) in
            try await member.send(
                .post, path, bridge, in: context, joining: membership(isWhole: false),
                after: ownerBatch(in: context))
        }
        // A list with edits of its own is not what the file says.
        let list: [D] = members()
        if !list.contains(where: { $0._object.localID == member._object.localID }) { setMembers(list + [member]) }
    }

    func liveContext(with member: some Model) throws(APIError) -> Context {
        let context = try owner.liveContext()
        guard try member.liveContext() === context else {
            throw .store(.foreignObject(model: member._object.table.modelName))
        }
        return context
    }
}
