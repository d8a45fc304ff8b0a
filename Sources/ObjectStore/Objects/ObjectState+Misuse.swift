// With these accessors, the compiler reports one error only for a property with an unsuitable type.

extension ObjectState {
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func value<M: Model, V>(of attribute: MisdeclaredAttribute<M, V>) -> V { switch attribute.never {} }
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func value<M: Model, V>(of attribute: MisdeclaredAttribute<M, V>, at index: Int) -> V {
        switch attribute.never {}
    }
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func set<M: Model, V>(_ attribute: MisdeclaredAttribute<M, V>, at index: Int, to value: V) {}
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func value<M: Submodel, V>(ofOwn attribute: MisdeclaredAttribute<M, V>) -> V { switch attribute.never {} }
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func set<M: Submodel, V>(own attribute: MisdeclaredAttribute<M, V>, to value: V) {}
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func valueToEdit<M: Model, V>(of attribute: MisdeclaredAttribute<M, V>) -> V { switch attribute.never {} }
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func valueToEdit<M: Submodel, V>(ofOwn attribute: MisdeclaredAttribute<M, V>) -> V {
        switch attribute.never {}
    }
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func edit<M: Model, V>(_ attribute: MisdeclaredAttribute<M, V>, to value: V) {}
    /// For misdeclared attributes.
    @_documentation(visibility: internal)
    public func edit<M: Submodel, V>(own attribute: MisdeclaredAttribute<M, V>, to value: V) {}
}
