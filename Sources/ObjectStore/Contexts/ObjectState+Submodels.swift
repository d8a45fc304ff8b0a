// What a submodel declares itself stands behind what the other models of its table have, where the schema says.

extension ObjectState {
    /// The value of an attribute that a submodel declares itself; for the code that `@Model` writes.
    public func value<M: Submodel, V>(ofOwn attribute: Attribute<M, V>) -> V {
        attribute.decode(stored(table.index(of: attribute.description)))
    }

    /// Edits an attribute that a submodel declares itself. An object whose row is another model's by now is not edited, and
    /// the context's next `save` says so.
    public func set<M: Submodel, V>(own attribute: Attribute<M, V>, to value: V) {
        guard let index = editableIndex(of: attribute) else { return }
        set(attribute, index, to: value)
    }

    /// The object that the link leads to.
    public func value<M: Submodel, D: Model>(ofOwn link: ToOne<M, D>) -> D? { value(of: link) }

    /// Leads the link elsewhere.
    public func set<M: Submodel, D: Model>(own link: ToOne<M, D>, to object: D?) { set(link, to: object) }

    /// The list's members.
    public func value<M: Submodel, D: Model>(ofOwn list: ToMany<M, D>) -> [D] { value(of: list) }

    /// Makes these the members.
    public func set<M: Submodel, D: Model>(own list: ToMany<M, D>, to objects: [D]) { set(list, to: objects) }

    /// The property that a token names; `nil` where the table does not have it.
    package func property(of token: some PropertyToken) -> Property? {
        let index = table.index(of: token.description)
        return table.properties.indices.contains(index) ? table.properties[index] : nil
    }

    /// The index of a property that is to be edited; `nil` where the row is another model's by now, which does not have it.
    func editableIndex(of token: some PropertyToken) -> Int? {
        guard let property = property(of: token) else { return nil }
        if current.table.has(property.index) { return property.index }
        context?.refuse(.changedModel(property: property.name, now: current.table.modelName))
        return nil
    }
}
