extension DeclaredProperty {
    /// What the stored property becomes: a view of the object's row.
    ///
    /// - Parameter isOwn: whether the class inherits others.
    func accessors(isOwn: Bool) -> [String] {
        if isOwn { return ownAccessors }
        if let attributeAccessors { return attributeAccessors }
        return readAndSet + (mayBeList ? [edit] : [])
    }

    private var readAndSet: [String] {
        [
            """
            get {
                _object.value(of: Self.properties.\(spelling))
            }
            """,
            """
            set {
                _object.set(Self.properties.\(spelling), to: newValue)
            }
            """,
        ]
    }

    /// What is changed in place is not said to be all of a list: `labels.append(bug)`.
    private var edit: String {
        """
        _modify {
            var members = _object.value(of: Self.properties.\(spelling))
            defer {
                _object.edit(Self.properties.\(spelling), to: members)
            }
            yield &members
        }
        """
    }

    private var ownAccessors: [String] { readAndSetOwn + (mayBeList ? [editOwn] : []) }

    private var readAndSetOwn: [String] {
        [
            """
            get {
                _object.value(ofOwn: Self.ownProperties.\(spelling))
            }
            """,
            """
            set {
                _object.set(own: Self.ownProperties.\(spelling), to: newValue)
            }
            """,
        ]
    }

    private var editOwn: String {
        """
        _modify {
            var members = _object.value(ofOwn: Self.ownProperties.\(spelling))
            defer {
                _object.edit(own: Self.ownProperties.\(spelling), to: members)
            }
            yield &members
        }
        """
    }

    /// Whether the property is a to-many relationship, as far as its declaration shows.
    private var mayBeList: Bool {
        guard mayBeRelationship, case .array = shape else { return false }
        return true
    }
}
