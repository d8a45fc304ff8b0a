public import Conventions
import ObjectStore

extension Relationship {
    /// The identity of the link's target, even if that is missing from the store; nil for a list, an empty link, and a
    /// target without an identity.
    ///
    /// ```swift
    /// if issue.owner == nil, let id = issue.$owner.identity {
    ///     let owner = try await issue.$owner.fetch()               // GET /users/7
    /// }
    /// ```
    ///
    /// The value is text as in a URL; of several attributes, the last one.
    public var identity: RouteValue? { compiled.list == nil ? identities.first : nil }

    /// The server's name for the target's model, in a relationship to one of several models; nil for an empty one, and
    /// for other relationships.
    ///
    /// If the enum lacks the server's model, the relationship is empty here and has this name.
    ///
    /// By default, it is the model's `resourceType`, or else the class's name.
    public var typeName: String? {
        let property = compiled
        guard property.choice != nil else { return nil }
        if let name = String(stored: owner._object.storedValue(property)) { return name }
        return targets.first?.model.sentTypeName
    }

    /// Whether the server may have more members than the store: only some pages were fetched, a reply said that there
    /// are more, or the list was never fetched. Such a list isn't sent (``APIError/partialList(model:property:)``).
    /// Costs one read of the file.
    public var isPartial: Bool { owner._object.isPartial(compiled) }

    /// Whether the server's last whole list repeats a member: `[1, 2, 1]`. The store has each member once, at its first
    /// position, so such a list isn't sent (``APIError/repeatedMember(model:property:)``). Costs one read of the file.
    public var repeatsMember: Bool { owner._object.repeatsMember(compiled) }

    /// The identities of a list's members in order, or of a link's target, even if they are missing from the store.
    public var identities: [RouteValue] { targets.compactMap(\.identityValue) }

    private var targets: [any OutboundRow] {
        let (state, property) = (owner._object, compiled)
        return property.list == nil
            ? state.model.facts(of: property).compactMap { state.linkedRow($0) } : state.listedRows(property)
    }
}

extension OutboundRow {
    fileprivate var identityValue: RouteValue? {
        guard let part = model.identity.last(where: { model[$0].link == nil }) else { return nil }
        let value = KeyPathResolver.value(of: model[part], in: self)
        return value.text == nil ? nil : value
    }
}
