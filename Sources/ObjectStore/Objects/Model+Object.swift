// What every model has of the object behind it.

extension Model {
    /// The context that the object lives in; `nil` after that has ended.
    public var context: ObjectContext? {
        guard let context = _object.context, !context.isEnded else { return nil }
        return context
    }
    /// Whether the object was deleted, here or by a merge. It keeps the values that it last had.
    public var isDeleted: Bool {
        _object.noteRead(.isDeleted)
        return _object.isDeleted
    }
    /// Whether the object was made here and is in no file yet.
    public var isInserted: Bool {
        _object.noteRead(.isInserted)
        return _object.isInserted
    }
    /// Whether the object, or what is embedded in it, has edits that no `save` has stored.
    public var hasChanges: Bool {
        _object.noteRead(.hasChanges)
        return _object.current.hasChanges
    }
    /// The Swift names of the properties that were changed here and that the server has not confirmed, whether they are
    /// saved in the file or not. An import leaves them alone until `object.save()` has sent them. A list that is not
    /// known to be here whole isn't among them where its members' own links say the same: those are unsent, and go out
    /// with the members.
    public var unsentProperties: [String] {
        _object.noteRead(.unsentProperties)
        return _object.unsentProperties.map(\.name)
    }
    /// The Swift names of the properties that were edited and not stored yet, in the order of their declaration.
    public var changedProperties: [String] {
        _object.noteRead(.changedProperties)
        return _object.changedProperties
    }
    /// The row that links to the object hold.
    public var identityPart: StoredValue { StoredValue(_object.localID) }
}

extension ModelSchema {
    /// What a row is. To be asked of the root.
    func model(of row: Snapshot) -> ModelSchema {
        guard let family else { return self }
        return model(family.submodel(of: row.value(family.discriminator)))
    }
}
