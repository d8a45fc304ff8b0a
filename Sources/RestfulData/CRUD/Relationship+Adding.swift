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
    /// A member that the server knows already is not created again but linked:
    ///
    /// - where the list is the other direction of a to-one link, by that link, `PATCH /posts/5 {"author_id":7}` (a PUT of the
    ///   whole where the member's model says so);
    /// - else, and where the link is part of the member's URL or is never sent, by a `POST` to the list's route with the member
    ///   in the way that the relationship is sent: `{"label_ids":[1]}`, or `{"labels":["bug"]}` for `sentAs: .key("name")`. Of
    ///   the reply, a list is merged in, and an object is imported if it is the member.
    ///
    /// Other unsaved edits of the member stay unsaved. What is sent, what the reply says and the membership are written in one
    /// transaction. It waits for requests about the member that are on their way.
    ///
    /// - Throws: ``APIError``, as the member's `create()` or `save()`; neither object has changed, and the member can be added
    ///   again.
    public nonisolated(nonsending) func add<D: Model>(_ member: D) async throws(APIError) where Value == [D] {
        _ = try liveContext(with: member)
        try await member.inTurn { (context, bridge) throws(APIError) in
            guard !member._object.isAtServer else { return try await link(member, bridge, in: context) }
            try await member.send(
                .post, try route(bridge, context).url, bridge, in: context, joining: membership(isWhole: false),
                after: ownerBatch(in: context))
        }
        // A list with edits of its own is not what the file says.
        let list: [D] = members()
        if !list.contains(where: { $0._object.localID == member._object.localID }) { setMembers(list + [member]) }
    }

    func liveContext(with member: some Model) throws(APIError) -> ObjectContext {
        let context = try owner.liveContext()
        guard try member.liveContext() === context else {
            throw .store(.foreignObject(model: member._object.table.modelName))
        }
        return context
    }
}
