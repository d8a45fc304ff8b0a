extension DeclaredProperty {
    /// They read and write the object's row.
    ///
    /// - Parameter index: The token's index, which allows reads by index alone. `nil` if the class inherits properties,
    ///   because then only the schema knows it.
    func accessors(at index: String?) -> [String] {
        guard let index else { return ownAccessors }
        if let accessors = attributeAccessors(at: index) { return accessors }
        return readAndSet(at: index) + (mayBeList ? [edit] : [])
    }

    private func readAndSet(at index: String) -> [String] {
        [
            """
            get {
                _object.value(of: Self.properties.\(spelling), at: \(index))
            }
            """,
            """
            set {
                _object.set(Self.properties.\(spelling), at: \(index), to: newValue)
            }
            """,
        ]
    }

    /// An edit in place, such as `labels.append(bug)`, changes single members, even of a partly known list.
    private var edit: String {
        """
        _modify {
            var members = _object.valueToEdit(of: Self.properties.\(spelling))
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
            var members = _object.valueToEdit(ofOwn: Self.ownProperties.\(spelling))
            defer {
                _object.edit(own: Self.ownProperties.\(spelling), to: members)
            }
            yield &members
        }
        """
    }

    /// As far as the declaration shows.
    private var mayBeList: Bool {
        guard mayBeRelationship, case .array = shape else { return false }
        return true
    }
}
