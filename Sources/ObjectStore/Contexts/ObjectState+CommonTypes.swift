// The types that most attributes have are read straight from the row, which is several times faster than through the
// attribute's conversion. An edit, and a value of another storage class, go the long way.

extension ObjectState {
    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model>(of attribute: Attribute<M, Int>) -> Int {
        guard edits.isEmpty, let value = snapshot.integer(attribute.index) else { return converted(attribute) }
        return Int(truncatingIfNeeded: value)
    }

    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model>(of attribute: Attribute<M, Int?>) -> Int? {
        guard edits.isEmpty, let value = snapshot.integer(attribute.index) else { return converted(attribute) }
        return Int(truncatingIfNeeded: value)
    }

    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model>(of attribute: Attribute<M, Bool>) -> Bool {
        guard edits.isEmpty, let value = snapshot.integer(attribute.index) else { return converted(attribute) }
        return value != 0
    }

    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model>(of attribute: Attribute<M, Bool?>) -> Bool? {
        guard edits.isEmpty, let value = snapshot.integer(attribute.index) else { return converted(attribute) }
        return value != 0
    }

    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model>(of attribute: Attribute<M, String>) -> String {
        guard edits.isEmpty, let value = snapshot.text(attribute.index) else { return converted(attribute) }
        return value
    }

    /// The attribute's value: the edit, the stored value, or the default.
    public func value<M: Model>(of attribute: Attribute<M, String?>) -> String? {
        guard edits.isEmpty, let value = snapshot.text(attribute.index) else { return converted(attribute) }
        return value
    }

    private func converted<M: Model, V>(_ attribute: Attribute<M, V>) -> V { attribute.decode(stored(attribute.index)) }
}
