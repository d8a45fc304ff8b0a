// Accessors for types that the macro recognizes by their spelling. There is one function for each token, because
// resolving the overloads of `ObjectState` takes the compiler several times as long.

// MARK: Any type

extension Attribute {
    /// The attribute's value.
    @inlinable @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> Value {
        if isReadTracked() { object.noteRead(place) }
        return object.plainValue(as: Value.self, at: place) ?? object.value(of: self)
    }

    /// Edits the attribute.
    @_documentation(visibility: internal)
    public func set(_ value: Value, in object: ObjectState) { object.set(self, to: value) }
}

extension MisdeclaredAttribute {
    /// Suppresses follow-up errors. It can't be called.
    @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> Value { switch never {} }

    /// Suppresses follow-up errors.
    @_documentation(visibility: internal)
    public func set(_ value: Value, in object: ObjectState) {}
}

// A model may have the name of a type of Foundation (`Data`), so relationships have these functions, too.

extension ToOne {
    /// The object that the link references.
    @_documentation(visibility: internal)
    public func value(in object: ObjectState) -> Destination? {
        object.noteRead(of: self)
        return object.value(of: self)
    }

    /// Links another object.
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

    /// Replaces the list's members.
    @_documentation(visibility: internal)
    public func set(_ members: [Destination], in object: ObjectState) { object.set(self, to: members) }
}
