extension Model {
    /// The context that the object lives in; `nil` after the context has ended.
    public var context: ObjectContext? {
        guard let context = _object.context, !context.isEnded else { return nil }
        return context
    }
    /// Whether the object was deleted, here or elsewhere. It keeps its last values.
    public var isDeleted: Bool {
        _object.noteRead(.isDeleted)
        return _object.isDeleted
    }
    /// Whether the object was created locally and isn't in the file yet.
    public var isInserted: Bool {
        _object.noteRead(.isInserted)
        return _object.isInserted
    }
    /// Whether the object, or an object embedded in it, has unsaved edits.
    public var hasChanges: Bool {
        _object.noteRead(.hasChanges)
        return _object.current.hasChanges
    }
    /// The Swift names of the properties with pending edits, saved or unsaved, that the server hasn't confirmed.
    ///
    /// An import leaves these alone until `object.save()` has sent them. A list is left out if some of its members may
    /// be unknown and their own links have the edit, which they send.
    public var unsentProperties: [String] {
        _object.noteRead(.unsentProperties)
        return _object.unsentProperties.map(\.name)
    }
    /// The Swift names of the properties with unsaved edits, in the order of declaration.
    public var changedProperties: [String] {
        _object.noteRead(.changedProperties)
        return _object.changedProperties
    }
    /// The object's row, as links store it.
    public var identityPart: StoredValue { StoredValue(_object.localID) }
}

extension ModelSchema {
    /// Call it on the root model of the table.
    func model(of row: Snapshot) -> ModelSchema {
        guard let family else { return self }
        return model(family.submodel(of: row.value(family.discriminator)))
    }
}
