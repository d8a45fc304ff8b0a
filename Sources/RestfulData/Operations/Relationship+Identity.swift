public import Conventions
import ObjectStore

extension Relationship {
    /// The identity of the link's target, which may be missing from the store. For a reply's `{"owner_id": 7}` it is 7
    /// before any user was fetched. It is nil for a list, for an empty link, and if the target has no identity yet.
    ///
    /// ```swift
    /// if issue.owner == nil, let id = issue.$owner.identity {
    ///     let owner = try await issue.$owner.fetch()               // GET /users/7
    /// }
    /// ```
    ///
    /// The value is text as in a URL. Of an identity of several attributes, it is the last one.
    public var identity: RouteValue? { compiled.list == nil ? identities.first : nil }

    /// The server's name for the model of the object that a relationship to one of several models leads to.
    /// It is nil for an empty relationship, and for other relationships.
    ///
    /// The server may name a model that the enum lacks. The relationship then leads nowhere here and has this name:
    ///
    /// ```swift
    /// if notification.subject == nil, let type = notification.$subject.typeName { print("a \(type)") }
    /// ```
    ///
    /// If the server named none, it is the model's `resourceType`, or else the class's name.
    public var typeName: String? {
        let property = compiled
        guard property.choice != nil else { return nil }
        if let name = String(stored: owner._object.storedValue(property)) { return name }
        return targets.first?.model.sentTypeName
    }

    /// Whether the server may have more members than the store. That is so if only some pages were fetched, if a reply
    /// said that there are more, or if the list itself was never fetched. Such a list is not sent:
    /// ``APIError/partialList(model:property:)``. Costs one read of the file.
    ///
    /// ```swift
    /// if repository.$topics.isPartial { try await repository.$topics.fetch(pages: .all()) }
    /// ```
    public var isPartial: Bool { owner._object.isPartial(compiled) }

    /// Whether the server has a member more than once in the list, such as `[1, 2, 1]`, by its last reply with the
    /// whole list. The store has each member once, at its first position. So such a list is not sent:
    /// ``APIError/repeatedMember(model:property:)``. Costs one read of the file.
    public var repeatsMember: Bool { owner._object.repeatsMember(compiled) }

    /// The identities of a list's members in their order, including members that are missing from the store. For a
    /// link, the identity of its target.
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
