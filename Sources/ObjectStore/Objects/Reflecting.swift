// What debuggers, `dump` and a failed expectation of a test show. These look into whatever they are given, and at any
// reference that they find: the references here that hold nothing must not be copied as if they did.

extension ObjectState: CustomReflectable {
    /// The attributes' values as JSON has them; not of what is only sent, as passwords are.
    public var customMirror: Mirror {
        let state = current
        let children = state.model.declared.compactMap { property -> Mirror.Child? in
            guard case .attribute(_, _, let options) = property.kind, options.access != .writeOnly else { return nil }
            return (property.name, (try? state.wireText(property))?.json ?? "a value that JSON can't express")
        }
        return Mirror(self, children: children)
    }
}

extension ObjectContext: CustomReflectable {
    /// How much is unsaved.
    public var customMirror: Mirror { Mirror(self, children: ["unsavedObjects": unsaved.count]) }
}

extension LooseReference: CustomReflectable {
    @usableFromInline var customMirror: Mirror { Mirror(self, children: []) }
}

extension LooseModel: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}
