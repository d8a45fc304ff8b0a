extension Model {
    /// The context that the object lives in; `nil` after the context has ended.
    public var context: ObjectContext? {
        guard let context = _object.context, !context.isEnded else { return nil }
        return context
    }
    /// Whether the object was deleted, by a context or the server. It keeps its last values.
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
    /// The Swift names of the properties with pending edits, saved or unsaved, except those that are never sent.
    ///
    /// An import keeps these values until the server acknowledges them. A list is left out if the store may lack some
    /// of its members and its edits are sent as its members' links.
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
    /// Returns a row's model or submodel. Call it on the table's root model.
    func model(of row: Snapshot) -> ModelSchema {
        guard let family else { return self }
        return model(family.submodel(of: row.value(family.discriminator)))
    }
}
