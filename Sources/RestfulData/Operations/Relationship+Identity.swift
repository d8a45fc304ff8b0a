public import Conventions
import ObjectStore

extension Relationship {
    /// The identity of what the link leads to, whether that object is here or not: of a reply's `{"owner_id": 7}` it is
    /// 7 before any user came. nil where the link leads to nothing, or to an object that has no identity yet, and for a
    /// list.
    ///
    /// ```swift
    /// if issue.owner == nil, let id = issue.$owner.identity {
    ///     let owner = try await issue.$owner.fetch()               // GET /users/7
    /// }
    /// ```
    ///
    /// It is text as it stands in a URL; of an identity of several attributes, the last.
    public var identity: RouteValue? { compiled.link == nil ? nil : identities.first }

    /// Whether the server may have members of the list that are not here: of its pages only some have come, what came
    /// said that there is more, or the list never came and members alone say that they are in it. Such a list is not
    /// sent: ``APIError/partialList(model:property:)``. Costs one look into the file.
    ///
    /// ```swift
    /// if repository.$topics.isPartial { try await repository.$topics.fetch(pages: .all()) }
    /// ```
    public var isPartial: Bool { owner._object.isPartial(compiled) }

    /// Whether the server has a member of the list more than once, as `[1, 2, 1]` was the last that it said of all of
    /// it. The store has each member once, at its first place, so such a list is not sent:
    /// ``APIError/repeatedMember(model:property:)``. Costs one look into the file.
    public var repeatsMember: Bool { owner._object.repeatsMember(compiled) }

    /// The identities of a list's members in their order, with those that are not here; of a link, of what it leads to.
    public var identities: [RouteValue] {
        let state = owner._object
        let property = compiled
        let rows = property.list == nil ? state.linkedRow(property).map { [$0] } ?? [] : state.listedRows(property)
        return rows.compactMap(\.identityValue)
    }
}

extension OutboundRow {
    /// The last attribute of the identity that has a value.
    fileprivate var identityValue: RouteValue? {
        guard let part = model.identity.last(where: { model[$0].link == nil }) else { return nil }
        let value = KeyPathResolver.value(of: model[part], in: self)
        return value.text == nil ? nil : value
    }
}
