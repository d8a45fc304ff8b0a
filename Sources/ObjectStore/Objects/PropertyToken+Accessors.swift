// What the accessors that `@Model` writes call where they can see by the spelling which type a property has: of each
// there is one, so that the compiler has nothing to choose, as it has among the functions of `ObjectState`, which take
// several times as long to check. They do the same.

// MARK: Any type

extension Attribute {
    /// The attribute's value: the edit, the stored value, or the default.
    @inlinable @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> Value {
        if isReadTracked() { object.noteRead(place) }
        return object.plainValue(as: Value.self, at: place) ?? object.value(of: self)
    }

    /// Edits the attribute: the value is seen here at once, and by others once it is saved.
    @_documentation(visibility: internal)
    public func set(_ value: Value, in object: ObjectState) { object.set(self, to: value) }
}

extension MisdeclaredAttribute {
    /// So that the compiler says once that the type can be no attribute's, and nothing more.
    @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> Value { switch never {} }

    /// The same for an edit.
    @_documentation(visibility: internal)
    public func set(_ value: Value, in object: ObjectState) {}
}

// A model or a list of models may bear the name of a type of Foundation's (`Data`), which is all that the macro sees.

extension ToOne {
    /// The object that the link references.
    @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> Destination? {
        object.noteRead(of: self)
        return object.value(of: self)
    }

    /// Makes the link reference another object.
    @_documentation(visibility: internal)
    public func set(_ destination: Destination?, in object: ObjectState) { object.set(self, to: destination) }
}

extension ToMany {
    /// The list's members.
    @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> [Destination] {
        object.noteRead(of: self)
        return object.value(of: self)
    }

    /// Makes these the members.
    @_documentation(visibility: internal)
    public func set(_ members: [Destination], in object: ObjectState) { object.set(self, to: members) }
}
