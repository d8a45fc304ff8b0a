// What the accessors that `@Model` writes call. None of them can fail: a link to a row that is gone reads as nil, a list
// leaves it out, and an object that is deleted or whose context has ended reads as it last was.

extension ObjectState {
    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model, V>(of attribute: Attribute<M, V>) -> V {
        attribute.decode(stored(attribute.index))
    }

    /// Edits the attribute: the value is seen here at once, and by others once it is saved.
    public func set<M: Model, V>(_ attribute: Attribute<M, V>, to value: V) {
        set(attribute, attribute.index, to: value)
    }

    func set<M: Model, V>(_ attribute: Attribute<M, V>, _ index: Int, to value: V) {
        guard mayBeEdited else { return }
        let new = attribute.encode(value)
        // What the file holds may be spelt otherwise: "1.50" is the number that is stored as "1.5".
        let old = current.snapshot.value(index)
        setStored(index, to: new != old && attribute.canonical(old) == new ? old : new)
    }

    /// The object that the link leads to, read from the file if it is not live; nil where there is none.
    public func value<M: Model, D: Model>(of link: ToOne<M, D>) -> D? {
        guard let property = property(of: link), let id = linkedID(property.index),
            case .toOne(let compiled) = property.kind, let object = context?.object(D.self, compiled.target, id),
            !object._object.isDeleted
        else { return nil }
        return object
    }

    /// Leads the link elsewhere; its inverse follows at once. An object of another context changes nothing, and the next `save`
    /// says so.
    public func set<M: Model, D: Model>(_ link: ToOne<M, D>, to object: D?) {
        guard let context, mayBeEdited, let index = editableIndex(of: link) else { return }
        if let object, !context.canLink(to: object) { return }
        context.setLink(of: current, index, to: object?._object.localID)
    }

    /// The list's members in their order, deleted ones left out; read from the file if they are not live.
    public func value<M: Model, D: Model>(of list: ToMany<M, D>) -> [D] {
        guard let context, let property = property(of: list), case .toMany(let compiled) = property.kind else {
            return []
        }
        return context.members(of: self, property.index).compactMap { id in
            guard let object = context.object(D.self, compiled.target, id), !object._object.isDeleted else {
                return nil
            }
            return object
        }
    }

    /// Makes these the members, each once; the other side follows at once. Objects of another context are left out, and the next
    /// `save` says so.
    public func set<M: Model, D: Model>(_ list: ToMany<M, D>, to objects: [D]) {
        guard let context, mayBeEdited, let index = editableIndex(of: list) else { return }
        let own = objects.filter { context.canLink(to: $0) }
        context.setMembers(of: current, index, to: own.map(\._object.localID))
    }

    /// A deleted object stays as it last was; the context's next `save` says that it was to be edited.
    private var mayBeEdited: Bool {
        if isDeleted { context?.refuse(.deletedObject(model: table.modelName)) }
        return !isDeleted
    }
}
